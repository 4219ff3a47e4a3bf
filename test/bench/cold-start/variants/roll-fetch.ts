import { openRecordContext } from '../../../../lib/adapters/lambda/record-context.ts';
import { handleRollBatch } from '../../../../lib/steps/roll-batch.ts';
import { askFetch } from './ask-fetch.ts';
import { serviceOver } from './service-over.ts';

/** With the ledger and the events, as a step needs them. */
export async function handler(event: Readonly<Record<string, unknown>>): Promise<unknown> {
  return handleRollBatch(event, { ...openRecordContext(), service: serviceOver(askFetch) });
}
