import type * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { AGENTCORE_ABILITIES, serviceOnAws } from '../../contract/service/services.ts';
import { commandOf } from '../../domain/command.ts';
import { describeSessions } from '../../domain/endpoint/sessions.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { isOfOtherService } from '../../domain/rollout/other-service.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { askedGates } from '../../gates/gates.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { wantedOf } from '../../steps/opening/asked-request.ts';
import { plainText } from '../../telling/text.ts';
import type { AwsEngine, Engine } from '../engine/engine.ts';
import {
  type EngineOptions,
  hasHistory,
  isOnAws,
  openAwsEngine,
  watchCommand,
  withEngine,
} from '../engine/open-engine.ts';
import { ownerHere } from '../engine/who-is-here.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { overridesOf } from '../options/policy-shape.ts';
import {
  inputOf,
  startHereSchema,
  startOnAwsSchema,
  type startShape,
} from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import {
  type Connecting,
  refuseRuntimeId,
  refuseSecret,
  withService,
} from '../settings/service.ts';
import { confirm, watchedOrLeft, withSomebodyToAsk } from '../terminal/ask.ts';
import { type HowToPrint, printTold } from '../terminal/print-result.ts';
import { planningOf, refuseForGroup, withGroup } from './group.ts';
import { newRolloutId } from './new-rollout-id.ts';
import { unlockedPolicy } from './unlocked-policy.ts';

type StartOptions = z.output<z.ZodObject<typeof startShape>>;

/**
 * Runs a rollout in this process to its end, after a person has agreed to its plan, and answers the exit code.
 *
 * @param note What else to know before that, in a sentence. @default - nothing
 */
export async function startHere(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  prepared: Connecting<EngineOptions & HowToPrint & StartOptions>,
  note: string | null = null,
): Promise<number> {
  const { options } = prepared;
  return withService(prepared, async (service) => {
    if (options['--yes']) await refuseUnasked(wanted, policy, service, prepared);
    if (options['--yes'] && note !== null) process.stderr.write(`${note}\n`);
    let input = wanted;
    const dead = await findDead(wanted.runtimeId, service.url, options);
    if (dead !== null) announceTakeOver(wanted.runtimeId, dead, options['--yes']);
    await warnOfOtherService(wanted.runtimeId, service.url, options);
    if (!options['--yes']) {
      const { agreeTo } = await import('./ahead.ts');
      const agreed = await agreeTo(wanted, policy, service, prepared, note);
      if (agreed === null) return ExitCode.Failed;
      input = agreed;
    }
    const { runRollout } = await import('./run.ts');
    return withEngine(options, async (engine) => {
      const asked = await startedByHand(input, options, engine);
      const rollout = { rolloutId: newRolloutId(asked), input: asked, policy };
      return runRollout(rollout, service, engine, prepared);
    });
  });
}

/**
 * Refuses what is known to go wrong. Without a question no plan is drawn before the rollout begins, and a mistake must
 * not become a failed rollout.
 *
 * @throws `StopUnsupported`, `VersionsUnsupported`, `GateUnanswerable`, `SecretUnavailable`, `InvalidCredential`.
 */
export async function refuseUnasked(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  prepared: Connecting<EngineOptions & Partial<Pick<StartOptions, '--unpin'>>>,
): Promise<void> {
  await refuseSecret(prepared);
  const { lookBack, refuseWindowsUnasked } = await import('./preview.ts');
  const { '--unpin': unpin } = prepared.options;
  if (unpin !== undefined) {
    const { refuseUnpin } = await import('../pins.ts');
    const holds = await lookBack(prepared.options, ({ ledger }) => ledger.listHolds());
    refuseUnpin(unpin, wanted.runtimeId, holds);
  }
  await refuseWindowsUnasked(wanted.runtimeId, policy, prepared.options);
  const group = groupNameOf(wanted.runtimeId);
  if (group === null) refuseBeyondAbilities(wanted.version ?? null, policy, service.abilities);
  const { policyOf, runtimesOf } = planningOf(prepared.config);
  const ofRuntimes = group === null ? [] : (runtimesOf(group) ?? []).map(policyOf);
  if ([policy, ...ofRuntimes].every(({ verify }) => askedGates(verify).length === 0)) return;
  const { refuseUnanswerableUnasked } = await import('./ahead.ts');
  await refuseUnanswerableUnasked(wanted, policy, service, prepared);
}

/** Checks that somebody can say what nothing else says: whether to start, and on AWS whether to watch. */
export function askedByHand(invocation: Invocation): Invocation {
  const asking = withSomebodyToAsk(invocation);
  return isOnAws(invocation) ? watchedOrLeft(asking) : asking;
}

/** `steproll rollout start`: starts a rollout, and answers its exit code if it is watched. */
export async function rolloutStart(invocation: Invocation): Promise<number> {
  const asking = askedByHand(withGroup(invocation));
  if (isOnAws(invocation)) {
    const { options, config } = await prepare(startOnAwsSchema, asking);
    refuseForGroup(options, config);
    return startOnAws({ ...inputOf(options), policy: overridesOf(options) }, options);
  }
  const prepared = await prepare(startHereSchema, asking);
  const { options, config } = prepared;
  refuseForGroup(options, config);
  await refuseRuntimeId(prepared, options['runtime-id']);
  const id = options['runtime-id'];
  const policy = await unlockedPolicy(overridesOf(options), config, id, options);
  // Without a configuration there is nothing to name.
  const note = options['--config'] === undefined ? null : await namePolicy(config, id);
  return startHere(inputOf(options), policy, prepared, note);
}

async function namePolicy(config: OpenConfig, runtimeId: string): Promise<string | null> {
  const { describePolicyName } = await import('../../contract/config/policy-name.ts');
  return describePolicyName(config, runtimeId);
}

type Options = EngineOptions & HowToPrint & StartOptions;

/**
 * Starts a rollout on AWS, and watches it unless it is to be left alone. Answers the exit code.
 *
 * @param note What else to know before that, in a sentence. @default - nothing
 */
export async function startOnAws(
  input: RolloutInput,
  options: Options,
  note: string | null = null,
): Promise<number> {
  const engine = await openAwsEngine(options);
  const what = describeStart(input, options, engine);
  if (note !== null) process.stderr.write(`${note}\n`);
  // No plan is drawn here, which would say it.
  const { sessions } = serviceOnAws(engine.endpointUrl) === null ? {} : AGENTCORE_ABILITIES;
  const ofSessions = describeSessions(sessions);
  if (ofSessions !== null) process.stderr.write(`Sessions: ${ofSessions}\n`);
  if (options['--yes']) {
    process.stderr.write(`${what}.\n`);
  } else if (!(await confirm(`${what}?`))) {
    process.stderr.write('Not started.\n');
    return ExitCode.Failed;
  }
  const { '--unpin': unpin } = options;
  if (unpin !== undefined) {
    const { refuseUnpin } = await import('../pins.ts');
    refuseUnpin(unpin, input.runtimeId, await engine.ledger.listHolds());
  }
  const rolloutId = newRolloutId(input);
  // The id is printed before it is known whether the start arrives. Without an answer, a person can look for it.
  process.stderr.write(`Rollout ${rolloutId}\n`);
  await engine.start(rolloutId, await startedByHand(input, options, engine));
  if (options['--detach']) {
    const lines = [
      `Started rollout ${rolloutId}. To follow it:`,
      `  ${watchCommand(rolloutId, options)}`,
    ];
    printTold({ rolloutId, runtimeId: input.runtimeId }, lines, options);
    return ExitCode.Done;
  }
  const { watchRollout } = await import('./watch.ts');
  return watchRollout({ ...engine, rolloutId, asked: input, how: options });
}

function describeStart(
  { runtimeId, ...wanted }: RolloutInput,
  { '--stack': stack }: Options,
  { account, region, endpointUrl }: AwsEngine,
): string {
  const where = `the stack ${stack} on AWS (account ${account}, region ${region})`;
  return plainText(
    `Roll ${runtimeId} to ${describeWanted(wantedOf(wanted))} with ${where}, at ${endpointUrl}`,
  );
}

/** The same input, with the person who asks, the time and the reason, and what that person says does not count. */
export async function startedByHand(
  input: RolloutInput,
  options: StartOptions,
  engine: Pick<Engine, 'caller'>,
): Promise<RolloutInput> {
  const { '--reason': reason, '--again': isAgain, '--take-over': takesOver } = options;
  const { '--unpin': unpin } = options;
  const name = await ownerHere(engine);
  const person = { kind: 'person', name, at: systemClock.now() } as const;
  return {
    ...input,
    ...(isAgain && { again: true as const }),
    ...(takesOver && { takeOver: true as const }),
    ...(unpin && { unpin }),
    startedBy: { ...person, ...(reason !== '' && { reason }) },
  };
}

/** The rollout that a start would end, because its process seems dead. `null`: none. On AWS the janitor does it. */
export async function findDead(
  runtimeId: string,
  endpointUrl: string | undefined,
  options: EngineOptions,
): Promise<string | null> {
  if (options['--engine'] === 'aws' || !hasHistory(options)) return null;
  return withEngine({ ...options, '--debug': false }, async ({ ledger, isAbandoned }) => {
    const held = (await ledger.listHeld()).find((lease) => lease.runtimeId === runtimeId);
    if (held === undefined || !(await isAbandoned(held.rolloutId))) return null;
    const { request } = await ledger.read(held.rolloutId);
    // Such a rollout is not ended but refuses the new one.
    const isRefused = endpointUrl !== undefined && isOfOtherService(request, { endpointUrl });
    return isRefused ? null : held.rolloutId;
  });
}

/** Nobody means to mix the histories of two services. If one has moved, this is said once. */
async function warnOfOtherService(runtimeId: string, endpointUrl: string, options: EngineOptions) {
  if (!hasHistory(options)) return;
  await withEngine({ ...options, '--debug': false }, async ({ ledger }) => {
    // A warning keeps nobody from a start: what cannot be read is told by whoever needs it.
    const [newest] = await ledger.list({ runtimeId, limit: 1 }).catch(() => []);
    if (newest === undefined || !isOfOtherService(newest, { endpointUrl })) return;
    const what = `The last rollout of ${runtimeId} in this ledger was at ${newest.endpointUrl}, not at ${endpointUrl}.`;
    const why = 'Holds, quarantines and history go by the id of a runtime alone.';
    const advice = 'If these are two services, give each a STEPROLL_STATE_DIR of its own.';
    process.stderr.write(`${plainText(`${what} ${why} ${advice}`)}\n`);
  });
}

/** Says which rollout the new one ends, and before somebody has agreed to that, how to go on with it instead. */
export function announceTakeOver(runtimeId: string, dead: string, isAgreed: boolean): void {
  const what = `The runtime ${runtimeId} has a rollout that has not ended, and whose process seems to be dead`;
  const lines = [
    `${what}: ${dead}. The new one ends it when it begins, and rolls nothing back and stops nothing for it.`,
    ...(isAgreed
      ? []
      : ['To go on with it instead:', `  ${commandOf(['rollout', 'resume', dead])}`]),
  ];
  process.stderr.write(`${lines.map(plainText).join('\n')}\n`);
}
