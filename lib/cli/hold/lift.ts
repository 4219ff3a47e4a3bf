import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { idSchema, reasonSchema } from '../../contract/input/checks.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { describeHold, describeScope, type Hold, isOver } from '../../domain/holds/hold.ts';
import { whatPauses } from '../../domain/holds/what-holds.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { plainText } from '../../telling/text.ts';
import { toShownHold } from '../../telling/view/shown-hold.ts';
import type { Engine } from '../engine/engine.ts';
import { tellWebhooks } from '../engine/events.ts';
import { withHistory } from '../engine/open-engine.ts';
import { ownerHere } from '../engine/who-is-here.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { yes } from '../options/fields.ts';
import { ledgerShape } from '../options/global-shape.ts';
import { rolloutShape } from '../options/rollout-options.ts';
import { withRollout } from '../rollout/named-rollout.ts';
import { prepare } from '../settings/prepare.ts';
import { confirm, withSomebodyToAsk } from '../terminal/ask.ts';
import { printTold } from '../terminal/print-result.ts';

const shape = { '--reason': reasonSchema, '--force': z.boolean().default(false), '--yes': yes };
const liftSchema = z.strictObject({
  ...ledgerShape,
  ...shape,
  'hold-id': idSchema('use the id that "steproll hold list" shows'),
});
const unpauseSchema = z.strictObject({ ...rolloutShape, ...shape });

type Options = Omit<z.output<typeof unpauseSchema>, 'rollout-id'>;

export async function holdLift(invocation: Invocation): Promise<number> {
  const { options, config } = await prepare(liftSchema, withSomebodyToAsk(invocation));
  const id = options['hold-id'];
  return withHistory(options, async (engine) => {
    return lift(await findHeld(id, engine.ledger), options, engine, config);
  });
}

/** `steproll rollout unpause`: lifts every pause of one rollout. */
export async function rolloutUnpause(invocation: Invocation): Promise<number> {
  const { options, config } = await prepare(unpauseSchema, withSomebodyToAsk(invocation));
  return withRollout(options, async (engine, rolloutId) => {
    const { ledger } = engine;
    const { request } = await ledger.read(rolloutId);
    const pauses = whatPauses(request, await findStanding(ledger), systemClock.now());
    const own = pauses.filter(({ scope }) => scope.rolloutId === rolloutId);
    const others = pauses.filter((hold) => !own.includes(hold)).map(describeHold);
    if (own.length === 0) {
      throw notHeld([`No pause of rollout ${rolloutId} itself is in force.`, ...others].join(' '));
    }
    for (const line of others) process.stderr.write(`${plainText(`It stays paused. ${line}`)}\n`);
    return lift(own, options, engine, config);
  });
}

export async function findStanding(ledger: Pick<Ledger, 'listHolds'>): Promise<readonly Hold[]> {
  const now = systemClock.now();
  return (await ledger.listHolds()).filter((hold) => !isOver(hold, now));
}

/** Every hold with this id. @throws `NotHeld` when there is none, or it is over. */
export async function findHeld(id: string, ledger: Pick<Ledger, 'listHolds'>) {
  const holds = (await findStanding(ledger)).filter((hold) => hold.id === id);
  if (holds.length === 0) throw notHeld(`There is no hold ${id}, or it is over.`);
  return holds;
}

async function lift(
  holds: readonly Hold[],
  { '--reason': reason, '--force': isForced, '--yes': isAgreed, ...how }: Options,
  engine: Engine,
  config: OpenConfig,
): Promise<number> {
  const by = await ownerHere(engine);
  if (!isForced) refuseForeign(holds, by, 'To lift it all the same: --force.');
  const what = holds
    .map(({ id, kind, scope }) => `the ${kind} of ${describeScope(scope)} (${id})`)
    .join(', ');
  if (!isAgreed && !(await confirm(`Lift ${what}?`))) {
    process.stderr.write('Nothing was lifted.\n');
    return ExitCode.Failed;
  }
  const lifted = { by, reason, at: systemClock.now() };
  for (const hold of holds) await engine.ledger.liftHold(hold, lifted);
  const result = holds.map((hold) => toShownHold({ ...hold, lifted }));
  printTold(result, [plainText(`Lifted ${what}.`)], how);
  await tellWebhooks(config, how, engine);
  return ExitCode.Done;
}

/** @throws `Held` when one of the holds is from somebody else. */
export function refuseForeign(holds: readonly Hold[], by: string, advice: string): void {
  // What nobody has added is nobody's.
  const foreign = holds.find((hold) => hold.by !== by && hold.after === undefined);
  if (foreign === undefined) return;
  const message = `Hold ${foreign.id} is from ${foreign.by}: ${foreign.reason}. ${advice}`;
  throw new SteprollError(ErrorName.Held, message);
}

function notHeld(message: string): SteprollError {
  return new SteprollError(ErrorName.NotHeld, message);
}
