import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { leaseUntil } from '../../domain/rollout/lease.ts';
import { type AskedRollout, wasOpened } from '../../domain/rollout/record.ts';
import { type AskedRequest, refuseOtherService } from '../../domain/rollout/request.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { toInput } from '../../steps/opening/asked-request.ts';
import { isOnAws, withHistory } from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { ALWAYS, idField, yes } from '../options/fields.ts';
import { globalShape, ledgerShape } from '../options/global-shape.ts';
import { prepare } from '../settings/prepare.ts';
import { withService } from '../settings/service.ts';
import { refuseForGroup } from './group.ts';

/** It says only that there is nothing to resume, so nothing has to be said of the service. */
const onAwsSchema = z
  .strictObject({
    ...ledgerShape,
    'rollout-id': idField('use the id of a rollout'),
    '--yes': yes,
    '--moved': z.boolean().default(false),
  })
  .superRefine(refuseAws, ALWAYS);

const optionsSchema = z
  .strictObject({
    ...globalShape,
    'rollout-id': idField('use the id of a rollout'),
    '--yes': yes,
    '--moved': z.boolean().default(false),
  })
  .superRefine(refuseAws, ALWAYS);

function refuseAws(value: object, context: z.RefinementCtx): void {
  if (!('--engine' in value) || value['--engine'] !== 'aws') return;
  const message =
    'use embedded: on AWS no rollout waits to be resumed; "steproll rollout retry" does again what has failed';
  context.addIssue({ code: 'custom', message, input: 'aws', path: ['--engine'] });
}

/** `steproll rollout resume`: takes a rollout whose process died to its end. */
export async function rolloutResume(invocation: Invocation): Promise<number> {
  if (isOnAws(invocation)) await prepare(onAwsSchema, invocation);
  const prepared = await prepare(optionsSchema, invocation);
  const { options, config } = prepared;
  const rolloutId = options['rollout-id'];
  return withHistory(options, async (engine) => {
    const { ledger } = engine;
    const known = await ledger.read(rolloutId);
    const { request, outcome } = known;
    if (outcome !== null) {
      throw new SteprollError(
        ErrorName.RolloutClosed,
        `Rollout ${JSON.stringify(rolloutId)} has ended already, as ${outcome.outcome}: ${outcome.message}`,
      );
    }
    if (!options['--moved']) refuseElsewhere(request, options);
    const { runtimeId } = request;
    // The runtimes that are left are rolled as the configuration says.
    refuseForGroup({ 'runtime-id': runtimeId, '--engine': 'embedded' }, config);
    await takeOver(known, ledger);
    const policy = request.policy ?? policyOfRuntime(config, runtimeId);
    const { endpointUrl, ...input } = toInput(request);
    const { runRollout } = await import('./run.ts');
    return withService(prepared, (service) =>
      runRollout({ rolloutId, input, policy, known }, service, engine, prepared),
    );
  });
}

/** Takes the lease first, so that a rollout whose process still runs is refused, and not watched. */
async function takeOver(known: AskedRollout, ledger: Ledger): Promise<void> {
  // A rollout that was not opened yet is opened by only one process, however many wait for it.
  if (!wasOpened(known)) return;
  const now = systemClock.now();
  await ledger.open(known.request, now, leaseUntil(now));
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
