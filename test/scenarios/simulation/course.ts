import { createHash } from 'node:crypto';
import { toRolloutReport } from '../../../lib/contract/output/report.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { isWrite } from '../../../lib/rehearsal/calls.ts';
import type { Run } from '../../support/run-scenario.ts';
import type { Observed } from './to-script.ts';

/**
 * The course of a rollout in a line: how it ended, and a hash of all that the service, the event bus and
 * `steproll rollout show` see of it and of the rollouts beside it. Sentences for people are left out.
 */
export function courseOf(observed: Observed): string {
  const { outcome, seconds, calls, earlier, undone, releases } = observed;
  const runs = [observed, ...(undone === null ? [] : [undone.run])];
  const others = releases.map((run) => [run.seconds, run.outcome]);
  const course = [runs.map(seenOf), earlier && shownOf(earlier.record), others];
  const hash = createHash('sha1').update(JSON.stringify(course, withoutSentences));
  const counts = [
    `${seconds} s`,
    `${calls.length} requests`,
    `${calls.filter(isWrite).length} writes`,
  ];
  const end = [outcome.outcome, outcome.reason, outcome.cleanup];
  return [...end, ...counts, hash.digest('base64').slice(0, 12)].join(', ');
}

function seenOf({ seconds, outcome, calls, told, record }: Run): unknown {
  // What a list shows is the service's.
  const asked = calls.map((call) => ({ ...call, endpoints: undefined }));
  return [seconds, outcome, asked, told, record && shownOf(record)];
}

function shownOf(record: AskedRollout): unknown {
  // What may come after it follows from the rest, and is in words.
  const { next: _, ...shown } = toRolloutReport(record, record.endedAt ?? record.startedAt, []);
  return shown;
}

const SENTENCES: ReadonlySet<string> = new Set(['message', 'cause', 'statusReason']);

function withoutSentences(key: string, value: unknown): unknown {
  return SENTENCES.has(key) ? undefined : value;
}
