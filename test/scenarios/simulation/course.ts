import { createHash } from 'node:crypto';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { isWrite, type WriteCall } from '../../../lib/rehearsal/calls.ts';
import { toRolloutView } from '../../../lib/telling/view/rollout-view.ts';
import type { Run } from '../../support/run-scenario.ts';
import type { Observed } from './to-script.ts';

/** How a rollout went. Sentences for people are left out of both. */
export interface Course {
  /**
   * How it and the rollouts beside it ended, and their writes in order: nothing of when, of how often somebody looked,
   * or of what is told meanwhile.
   */
  readonly done: string;
  /** How long it took, and a hash of all that the service, the event bus and `steproll rollout show` see. */
  readonly seen: string;
}

export function courseOf(observed: Observed): Course {
  const { seconds, calls, earlier, undone, releases } = observed;
  const runs = [observed, ...(undone === null ? [] : [undone.run])];
  const others = releases.map((run) => [run.seconds, run.outcome]);
  const course = [runs.map(seenOf), earlier && shownOf(earlier.record), others];
  const hash = createHash('sha1').update(JSON.stringify(course, withoutSentences));
  return {
    done: [...runs, ...releases].map(doneIn).join(' | '),
    seen: `${seconds} s, ${calls.length} requests, ${hash.digest('base64').slice(0, 12)}`,
  };
}

function doneIn({ outcome, calls }: Pick<Run, 'outcome' | 'calls'>): string {
  const end = [outcome.outcome, outcome.reason, outcome.cleanup].join(', ');
  return [end, ...writesIn(calls)].join('; ');
}

/** Of writes at the same moment nobody can say which one is first. */
function writesIn(calls: Run['calls']): readonly string[] {
  return calls
    .filter(isWrite)
    .map((call) => ({ at: call.at, written: describeWrite(call) }))
    .toSorted((one, other) => one.at - other.at || (one.written < other.written ? -1 : 1))
    .map(({ written }) => written);
}

function describeWrite({ operation, endpointId, version, answer }: WriteCall): string {
  const to = version === undefined ? '' : ` to ${version}`;
  const answered = answer === 'accepted' ? '' : ` (${answer ?? 'no answer'})`;
  return `${operation} ${endpointId}${to}${answered}`;
}

function seenOf({ seconds, outcome, calls, told, record }: Run): unknown {
  // What a list shows is the service's.
  const asked = calls.map((call) => ({ ...call, endpoints: undefined }));
  return [seconds, outcome, asked, told, record && shownOf(record)];
}

function shownOf(record: AskedRollout): unknown {
  // What may come after it follows from the rest, and is in words.
  const { next: _, ...shown } = toRolloutView(record, record.endedAt ?? record.startedAt);
  return shown;
}

const SENTENCES: ReadonlySet<string> = new Set(['message', 'cause', 'statusReason']);

function withoutSentences(key: string, value: unknown): unknown {
  return SENTENCES.has(key) ? undefined : value;
}
