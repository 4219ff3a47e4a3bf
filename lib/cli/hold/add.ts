import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { toTimeOrNull } from '../../contract/event.ts';
import { idSchema, reasonSchema, runtimeIdSchema } from '../../contract/input/checks.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import type { Instant } from '../../domain/clock.ts';
import { commandOf } from '../../domain/command.ts';
import { describeDuration } from '../../domain/durations.ts';
import { ID_PREFIX } from '../../domain/endpoint/endpoint.ts';
import {
  aHold,
  describeEnd,
  describeScope,
  GO_BACK,
  HELD,
  HOLD_KINDS,
  type Hold,
  type HoldScope,
  holdsUnderWay,
  LONGEST,
  LONGEST_HOLD_MS,
  lengthMistakes,
  PAUSE,
  PIN,
  scopeMistakes,
  UNLOCK,
} from '../../domain/holds/hold.ts';
import { isWithin } from '../../domain/holds/what-holds.ts';
import { clockTime, dateTime } from '../../domain/local-time.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { countOf, nameOf } from '../../domain/sentences.ts';
import { bindsRolls } from '../../domain/turn/roll-window.ts';
import { rolloutClosed } from '../../ledger/refusals.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../../steps/io/record.ts';
import { heardBy } from '../../telling/story/quiet.ts';
import { plainText } from '../../telling/text.ts';
import { toShownHold } from '../../telling/view/shown-hold.ts';
import type { Engine } from '../engine/engine.ts';
import { tellWebhooks } from '../engine/events.ts';
import { type EngineOptions, engineArguments, withEngine } from '../engine/open-engine.ts';
import { ownerHere } from '../engine/who-is-here.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { refuse, timeOf, wholeNumber, yes } from '../options/fields.ts';
import { globalShape, ledgerShape } from '../options/global-shape.ts';
import { durationSchema } from '../options/policy-shape.ts';
import { rolloutShape } from '../options/rollout-options.ts';
import { withRollout } from '../rollout/named-rollout.ts';
import { withServiceOfStack } from '../rollout/service-of-stack.ts';
import { prepare } from '../settings/prepare.ts';
import { withService } from '../settings/service.ts';
import { confirm, withSomebodyToAsk } from '../terminal/ask.ts';
import { type HowToPrint, printTold } from '../terminal/print-result.ts';

const UNTIL = 'use for how long, such as 2h, or a time, such as 2026-12-24T18:00Z';

const TO_COME = `use a time to come; ${LONGEST}`;

/** A duration from a time on, or a time with its zone. */
const until = z
  .string({ error: UNTIL })
  .transform((text, context): ((from: Instant) => Instant) => {
    const { data: seconds } = durationSchema.safeParse(text);
    const at = timeOf(text) ?? Number.NaN;
    const endOf = (from: Instant) => (seconds === undefined ? at : from + seconds * 1000);
    const leftMs = endOf(systemClock.now()) - systemClock.now();
    if (Number.isNaN(leftMs)) return refuse(context, text, UNTIL);
    return leftMs > 0 && leftMs <= LONGEST_HOLD_MS ? endOf : refuse(context, text, TO_COME);
  });

/** From here on a difference of two clocks is worth a word. */
const AHEAD_MS = 60_000;

/** The time by the later of two clocks, this machine's and the storage's: by an early one a hold would be over at once. */
export function holdingFrom({ clockAheadMs }: Pick<Engine, 'clockAheadMs'>): Instant {
  return Math.round(systemClock.now() + Math.max(0, clockAheadMs()));
}

const shape = { '--until': until, '--reason': reasonSchema, '--yes': yes };

const addShape = {
  ...shape,
  '--until': until.optional(),
  '--endpoint': idSchema('use the name or the id of an endpoint').optional(),
  kind: z.enum(HOLD_KINDS, { error: `use ${HOLD_KINDS.join(' or ')}` }),
  scope: runtimeIdSchema.optional(),
  '--version': wholeNumber.optional(),
  '--under-way': z.enum([PAUSE, GO_BACK]).optional(),
};
const addSchema = z.strictObject({ ...ledgerShape, ...addShape });
const pinSchema = z.strictObject({ ...globalShape, ...addShape });
const pauseSchema = z.strictObject({ ...rolloutShape, ...shape });

type Options = Omit<z.output<typeof pauseSchema>, 'rollout-id' | '--until'>;

/** When it ends, by when it begins. `null`: when somebody lifts it. */
type EndOf = (from: Instant) => Instant | null;

/** `steproll hold add`. The ledger need not be there yet: a hold may come before the first rollout. */
export async function holdAdd(invocation: Invocation): Promise<number> {
  const asking = withSomebodyToAsk(invocation);
  if (asking.given.kind === PIN) return addPin(asking);
  const { options, config } = await prepare(addSchema, asking);
  const { kind, '--under-way': underWay, '--until': endOf } = options;
  const scope = refuseScope(options);
  const what = { kind, scope, ...(underWay === GO_BACK && { underWay }) };
  return withEngine(options, (engine) =>
    add(what, endOf as NonNullable<typeof endOf>, options, engine, config),
  );
}

type Said = Pick<
  z.output<typeof addSchema>,
  'kind' | 'scope' | '--endpoint' | '--version' | '--under-way' | '--until'
>;

/** What it is on. An endpoint is as it was said. @throws `InvalidInput` */
function refuseScope({
  kind,
  scope: runtimeId,
  '--endpoint': endpointId,
  ...said
}: Said): HoldScope {
  const { '--version': version, '--under-way': underWay, '--until': endOf } = said;
  const scope: HoldScope = {
    ...(runtimeId && { runtimeId }),
    ...(version && { version }),
    ...(endpointId && { endpointId }),
  };
  const called = { runtimeId: 'scope', version: '--version', endpointId: '--endpoint' };
  const mistakes = scopeMistakes([kind], scope, called);
  const mayGoBack = HELD[kind].underWay === 'is paused or goes back';
  if (!mayGoBack && underWay) mistakes.push('--under-way: only a quarantine takes it');
  const now = systemClock.now();
  if (kind === PIN && endOf) {
    mistakes.push('--until: leave it out, a pin has no end: somebody has to lift it');
  } else if (kind !== PIN && !endOf) mistakes.push(`--until: missing; ${UNTIL}`);
  else if (endOf) mistakes.push(...lengthMistakes([kind], scope, endOf(now) - now, '--until'));
  if (mistakes.length > 0) throw invalidInput('arguments', mistakes);
  return scope;
}

/** The list of its service tells which endpoint is meant. After `id:` nobody asks it. */
async function addPin(invocation: Invocation): Promise<number> {
  const isById = String(invocation.given['--endpoint']).startsWith(ID_PREFIX);
  if (isById) {
    const { options, config } = await prepare(addSchema, invocation);
    const said = refuseScope(options);
    const scope = { ...said, endpointId: (said.endpointId ?? '').slice(ID_PREFIX.length) };
    return withEngine(options, (engine) =>
      add({ kind: PIN, scope }, NEVER, options, engine, config),
    );
  }
  const prepared = await prepare(pinSchema, await withServiceOfStack(invocation));
  const { options, config } = prepared;
  const said = refuseScope(options);
  const endpoint = await withService(prepared, async (service) => {
    const asked = { id: said.runtimeId ?? '', 'endpoint-id': said.endpointId ?? '' };
    const { findEndpoint } = await import('../endpoint.ts');
    return findEndpoint('pin', asked, service);
  });
  const { id: endpointId } = endpoint;
  const named = 'name' in endpoint && endpoint.name !== null && { endpointName: nameOf(endpoint) };
  const pin = { kind: PIN, scope: { ...said, endpointId, ...named } };
  return withEngine(options, (engine) => add(pin, NEVER, options, engine, config));
}

const NEVER: EndOf = () => null;

/** `steproll rollout pause`: holds one rollout. */
export async function rolloutPause(invocation: Invocation): Promise<number> {
  const { options, config } = await prepare(pauseSchema, withSomebodyToAsk(invocation));
  const now = systemClock.now();
  const mistakes = lengthMistakes([PAUSE], {}, options['--until'](now) - now, '--until');
  if (mistakes.length > 0) throw invalidInput('arguments', mistakes);
  return withRollout(options, async (engine, rolloutId) => {
    const scope = await scopeOfRollout(rolloutId, engine.ledger);
    return add({ kind: PAUSE, scope }, options['--until'], options, engine, config);
  });
}

/** @throws `RolloutNotFound`, `RolloutClosed`. */
export async function scopeOfRollout(rolloutId: string, ledger: Pick<Ledger, 'read'>) {
  const { request, outcome } = await ledger.read(rolloutId);
  if (outcome !== null) throw rolloutClosed(rolloutId, outcome);
  return { runtimeId: request.runtimeId, rolloutId };
}

async function add(
  said: Pick<Hold, 'kind' | 'scope' | 'underWay'>,
  endOf: EndOf,
  { '--reason': reason, '--yes': isAgreed, ...how }: Options & HowToPrint & EngineOptions,
  engine: Engine,
  config: OpenConfig,
): Promise<number> {
  const now = holdingFrom(engine);
  const until = endOf(now);
  const aheadMs = now - systemClock.now();
  if (aheadMs >= AHEAD_MS) {
    const ahead = `The clock of this machine is ${describeDuration(aheadMs)} behind that of the ledger`;
    process.stderr.write(`${ahead}: the hold goes by the ledger's.\n`);
  }
  const id = randomUUID().slice(0, 8);
  const { scope } = said;
  const hold: Hold = { id, ...said, by: await ownerHere(engine), reason, at: now, until };
  const where = `${describeScope(scope)} ${describeEnd(hold, dateTime)}`;
  const affected = await findAffected(hold, engine);
  if (
    !isAgreed &&
    !(await confirm(`Add ${aHold(hold)} of ${where}? ${describeCount(hold, affected)}`))
  ) {
    process.stderr.write('Nothing is held.\n');
    return ExitCode.Failed;
  }
  // The question may have been open for long.
  await engine.ledger.addHold(hold, holdingFrom(engine));
  // Some may have begun since the question was asked.
  const held = holdsUnderWay(hold)
    ? await findAffected(hold, engine).catch(() => affected)
    : affected;
  const [first = '', ...each] = describeAdded([hold], held, engineArguments(how));
  const lift = commandOf(['hold', 'lift', id, '--reason', 'WHY'], engineArguments(how));
  const lines = [`${first} To lift it: ${lift}`, ...each];
  const result = { ...toShownHold(hold), affected: held.map(toShownAffected) };
  printTold(result, lines.map(plainText), how);
  await tellWebhooks(config, how, engine);
  return ExitCode.Done;
}

/** A rollout that is under way, and in the scope of a hold. */
interface Affected {
  readonly record: AskedRollout;
  /** Whether the code that runs it knows such a hold. */
  readonly understands: boolean;
  /** By when it has heard the hold. `null`: nobody listens, or nobody knows. */
  readonly heardBy: Instant | null;
}

export async function findAffected(
  { kind, scope, at }: Hold,
  { ledger, listens, isAbandoned }: Engine,
): Promise<readonly Affected[]> {
  const leases = await ledger.listHeld();
  const found = await Promise.all(
    leases.map(async ({ rolloutId }) => {
      const record = await findRecord(rolloutId, ledger);
      if (record === null || record.outcome !== null || !isWithin(record.request, scope)) return [];
      const isDead = await isAbandoned(rolloutId).catch(() => false);
      return {
        record,
        // Pins are younger than the other holds, which have one word.
        understands: await ledger.understands(rolloutId, kind === PIN ? PIN : PAUSE),
        heardBy: heardBy(record, at, { listens, isAbandoned: isDead }),
      };
    }),
  );
  return found.flat();
}

/**
 * What was added, and what follows for each rollout under way.
 *
 * @param holds Those of one id, the one last that concerns what is under way.
 * @param where The arguments with which a command finds the engine. @default - none are needed
 */
export function describeAdded(
  holds: readonly Hold[],
  affected: readonly Affected[],
  where = '',
): string[] {
  const last = holds.at(-1);
  if (last === undefined) return [];
  const what = `${holds.map(({ kind }) => kind).join(' and ')} of ${describeScope(last.scope)}`;
  return [
    `Added the ${what} ${describeEnd(last, dateTime)}. ${describeCount(last, affected)}`,
    ...affected
      .filter(({ understands }) => holdsUnderWay(last) || (last.kind === PIN && !understands))
      .map((one) => describeAffected(one, last, where)),
  ];
}

function describeCount(hold: Hold, affected: readonly Affected[]): string {
  const { length } = affected;
  if (hold.kind === UNLOCK)
    return 'What says --any-time may start, whatever window or freeze is locked.';
  if (!holdsUnderWay(hold) && hold.kind !== PIN) return describeFreeze(affected);
  if (length === 0) return 'No rollout is under way there.';
  if (hold.kind === PIN) return describePin(affected);
  const rollouts = `${countOf(length, 'rollout')} under way`;
  return `It ${hold.underWay === GO_BACK ? 'sends back' : 'pauses'} ${rollouts}.`;
}

function describePin(affected: readonly Affected[]): string {
  const { length } = affected.filter(({ understands }) => understands);
  if (length === 0) return 'No rollout that is under way there hears it.';
  return `${countOf(length, 'rollout')} under way there ${length === 1 ? 'lets' : 'let'} go of it, unless it has got there already.`;
}

function describeFreeze(affected: readonly Affected[]): string {
  const { length } = affected;
  const rollouts = `${countOf(length, 'rollout')} under way`;
  const bound = affected.filter(({ record }) => bindsRolls(record.request)).length;
  const goesOn = `there ${length === 1 ? 'goes' : 'go'} on`;
  const rollsNothing = `${bound === 1 ? 'rolls' : 'roll'} nothing more`;
  if (bound === 0) return `${rollouts} ${goesOn}; nothing starts.`;
  const what =
    bound === length ? `there ${rollsNothing}` : `${goesOn}, of which ${bound} ${rollsNothing}`;
  return `${rollouts} ${what}; nothing starts.`;
}

function describeAffected(
  { record, understands, heardBy: by }: Affected,
  { kind }: Pick<Hold, 'kind'>,
  where: string,
): string {
  const { rolloutId, runtimeId } = record.request;
  const which = `${rolloutId} (${runtimeId})`;
  if (!understands) {
    return `${which}: it is run by an older steproll, and does not hear ${kind === PIN ? 'pins' : 'holds'}. To end it: ${commandOf(['rollout', 'abort', rolloutId], where)}`;
  }
  return by === null
    ? `${which}: nobody looks after it now. It hears that when somebody goes on with it.`
    : `${which}: it hears that by ${clockTime(by)}.`;
}

function toShownAffected({ record, understands, heardBy: by }: Affected) {
  const { rolloutId, runtimeId } = record.request;
  return { rolloutId, runtimeId, understands, heardBy: toTimeOrNull(by) };
}
