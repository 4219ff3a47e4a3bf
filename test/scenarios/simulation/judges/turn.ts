import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';

/** A way back leaves out what may have been stopped before it, and nothing else as stopped. */
export function stoppedIsLeftOut({ record, calls, turnedAt }: ScenarioResult): string[] {
  if (record?.rollback == null || turnedAt === null) return [];
  const { endpoints, leftOut } = record.rollback.plan;
  const left = leftOut.filter(({ reason }) => reason === 'stopped');
  const rest = [...endpoints, ...leftOut.filter((one) => !left.includes(one))];
  const mayBeStopped = ({ endpointId }: { readonly endpointId: string }) => {
    const isMeant = calls.some(
      (call) =>
        isWrite(call) &&
        call.operation === 'stop' &&
        call.endpointId === endpointId &&
        call.at <= turnedAt &&
        !REFUSED.has(call.answer ?? ''),
    );
    const last = record.journal.findLast(
      (entry) => entry.operation === 'stop' && entry.endpointId === endpointId,
    );
    // A step that died after it had noted a stop may have sent it.
    return isMeant || last?.result === 'intended';
  };
  return [
    ...rest.filter(mayBeStopped).map(({ name }) => `${name} may be stopped, and is not left out`),
    ...left.filter((one) => !mayBeStopped(one)).map(({ name }) => `${name} is not stopped`),
  ];
}
