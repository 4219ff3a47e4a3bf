import * as z from 'zod';
import { systemClock } from '../../adapters/system-clock.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { LEASE_MARGIN_MS } from '../../domain/lease.ts';
import { refuseOtherService } from '../../domain/refuse-other-service.ts';
import type { RolloutRequest } from '../../domain/rollout.ts';
import { withEngine } from '../engine/with-engine.ts';
import type { Invocation } from '../invocation.ts';
import { globalShape } from '../options/global-options.ts';
import { idField } from '../options/id-field.ts';
import { prepare } from '../settings/prepare.ts';
import { withService } from '../settings/with-service.ts';
import { runRollout } from './run-rollout.ts';

const optionsSchema = z
  .strictObject({
    ...globalShape,
    'rollout-id': idField('use the id of a rollout'),
    '--moved': z.boolean().default(false),
  })
  .superRefine(refuseAws, { when: () => true });

function refuseAws(value: object, context: z.RefinementCtx): void {
  if (!('--engine' in value) || value['--engine'] !== 'aws') return;
  const message =
    'use embedded: on AWS no rollout waits to be resumed; "steproll rollout retry" does again what has failed';
  context.addIssue({ code: 'custom', message, input: 'aws', path: ['--engine'] });
}

/** `steproll rollout resume`: takes a rollout whose process died to its end. */
export async function rolloutResume(invocation: Invocation): Promise<number> {
  const prepared = await prepare(optionsSchema, invocation);
  const { options } = prepared;
  const rolloutId = options['rollout-id'];
  return withEngine(options, async ({ ledger }) => {
    const known = await ledger.read(rolloutId);
    const { request, outcome } = known;
    if (outcome !== null) {
      throw new SteprollError(
        ErrorName.RolloutClosed,
        `Rollout ${JSON.stringify(rolloutId)} has ended already, as ${outcome.outcome}: ${outcome.message}`,
      );
    }
    if (!options['--moved']) refuseElsewhere(request, options['--endpoint-url']);
    // The workflow would close a rollout that it cannot open: one whose process still runs, too.
    const now = systemClock.now();
    await ledger.open(request, now, now + LEASE_MARGIN_MS);
    const { runtimeId, desiredVersion: version, policy } = request;
    const input = { schemaVersion: 1, runtimeId, version } as const;
    return withService(prepared, (service) =>
      runRollout({ rolloutId, input, policy, known }, service, ledger, prepared),
    );
  });
}

function refuseElsewhere(request: RolloutRequest, endpointUrl: string): void {
  try {
    refuseOtherService(request, endpointUrl);
  } catch (cause) {
    const advice = `Use --endpoint-url ${request.endpointUrl}; or --moved, if the service has moved and its endpoints are the same ones.`;
    const message = `${errorMessageOf(cause)} ${advice}`;
    throw new SteprollError(ErrorName.InvalidInput, message, { cause });
  }
}
