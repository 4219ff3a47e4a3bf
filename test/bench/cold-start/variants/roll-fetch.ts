import { openRecordContext } from '../../../../lib/adapters/lambda/record-context.ts';
import { DEFAULT_POLICY } from '../../../../lib/domain/rollout/default-policy.ts';
import { rollEndpoints } from '../../../../lib/handlers/endpoints.ts';
import { handleRollBatch } from '../../../../lib/steps/roll-batch.ts';
import { askFetch } from './ask-fetch.ts';
import { serviceOver } from './service-over.ts';

/** As `functions/roll.ts`, with the ledger and the events, as a step needs them. */
export async function handler(event: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { statuses } = DEFAULT_POLICY;
  const context = { ...openRecordContext(), service: serviceOver(askFetch), statuses };
  return 'batch' in event ? handleRollBatch(event, context) : rollEndpoints(event, context);
}
