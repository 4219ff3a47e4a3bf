import { openRecordContext } from '../../../../lib/adapters/function/open-record-context.ts';
import { handleRoll } from '../../../../lib/steps/handle.ts';
import { askFetch } from './ask-fetch.ts';
import { serviceOver } from './service-over.ts';

/** With the ledger and the events, as a step needs them. */
export async function handler(event: Readonly<Record<string, unknown>>): Promise<unknown> {
  return handleRoll(event, { ...openRecordContext(), service: serviceOver(askFetch) });
}
