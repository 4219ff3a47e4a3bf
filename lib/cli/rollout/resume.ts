import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { leaseUntil } from '../../domain/rollout/lease.ts';
import { refuseOtherService } from '../../domain/rollout/other-service.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { type AskedRollout, wasOpened } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { rolloutClosed } from '../../ledger/refusals.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { toInput } from '../../steps/opening/asked-request.ts';
import { isOnAws, withHistory } from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { yes } from '../options/fields.ts';
import { globalShape } from '../options/global-shape.ts';
import { rolloutShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { withService } from '../settings/service.ts';
import { refuseForGroup } from './group.ts';
import { findNamed } from './named-rollout.ts';

const ON_AWS =
  'use embedded: on AWS no rollout waits to be resumed; "steproll rollout retry" does again what has failed';
const shape = {
  ...rolloutShape,
  '--engine': z.literal('embedded', { error: ON_AWS }).default('embedded'),
  '--yes': yes,
  '--moved': z.boolean().default(false),
};
/** On AWS there is nothing to resume, so nothing has to be said of the service. */
const onAwsSchema = z.strictObject(shape);
const optionsSchema = z.strictObject({ ...globalShape, ...shape });

/** `steproll rollout resume`: takes a rollout whose process died to its end. */
export async function rolloutResume(invocation: Invocation): Promise<number> {
  if (isOnAws(invocation)) await prepare(onAwsSchema, invocation);
  const prepared = await prepareResume(invocation);
  return withHistory(prepared.options, async (engine) => {
    const known = await takeOver(prepared, engine.ledger);
    const { endpointUrl, ...input } = toInput(known.request);
    const policy = policyToResume(known, prepared);
    const { rolloutId } = known.request;
    const { runRollout } = await import('./run.ts');
    return withService(prepared, (service) =>
      runRollout({ rolloutId, input, policy, known }, service, engine, prepared),
    );
  });
}

export function prepareResume(invocation: Invocation) {
  return prepare(optionsSchema, invocation);
}
type Resuming = Awaited<ReturnType<typeof prepareResume>>;

/** What was not looked at yet is rolled as the configuration says now. */
export function policyToResume({ request }: AskedRollout, { config }: Resuming): RolloutPolicy {
  return request.policy ?? policyOfRuntime(config, request.runtimeId);
}

/**
 * Takes the lease of a rollout whose process died, so that one whose process still runs is refused, and not watched.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `LeaseHeld`, `InvalidInput`.
 */
export async function takeOver(
  { options, config }: Resuming,
  ledger: Pick<Ledger, 'list' | 'open' | 'read' | 'readSummary'>,
): Promise<AskedRollout> {
  const rolloutId = await findNamed(options['rollout-id'], ledger);
  const known = await ledger.read(rolloutId);
  const { request, outcome } = known;
  if (outcome !== null) throw rolloutClosed(rolloutId, outcome);
  if (!options['--moved']) refuseElsewhere(request, options);
  // The runtimes that are left are rolled as the configuration says.
  refuseForGroup({ 'runtime-id': request.runtimeId, '--engine': 'embedded' }, config);
  // A rollout that was not opened yet is opened by only one process, however many wait for it.
  if (wasOpened(known)) {
    const now = systemClock.now();
    await ledger.open(known.request, now, leaseUntil(now));
  }
  return known;
}

type Elsewhere = Readonly<Record<'--endpoint-url' | '--service', string>>;

function refuseElsewhere(
  request: AskedRequest,
  { '--endpoint-url': endpointUrl, '--service': kind }: Elsewhere,
): void {
  try {
    refuseOtherService(request, endpointUrl);
  } catch (cause) {
    const use =
      kind === 'rest'
        ? `Use --endpoint-url ${request.endpointUrl}`
        : 'Use the --region and the --service of that one';
    const advice = `${use}; or --moved, if the service has moved and its endpoints are the same ones.`;
    const message = `${errorMessageOf(cause)} ${advice}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}
