import { failingOf } from '../../domain/rollout/event.ts';
import type { GateLine, GateReading } from '../../domain/rollout/gates.ts';
import { APPROVAL_TIMED_OUT } from '../../domain/rollout/outcome.ts';
import type { AskedRollout, Signal } from '../../domain/rollout/record.ts';
import { describeSeconds } from '../../domain/sentences.ts';
import {
  approvalsNeeded,
  findAnswer,
  findAskedFor,
  listApprovals,
} from '../../domain/signals/approval.ts';
import { whyOf } from '../../domain/signals/signal-kind.ts';
import { linesOf } from './log.ts';

/** A gate of a wave on the way forward, with its last answer. */
export interface ToldGate {
  /** 1-based. */
  readonly wave: number;
  /** The kind of a gate, or `approval`. */
  readonly kind: string;
  /** The endpoints, the alarm or the metric. `null`: it is the approval. */
  readonly name: string | null;
  readonly verdict: GateReading['verdict'];
  /** Why, in words. */
  readonly detail: string;
  /** Milliseconds since the Unix epoch: when it said so, or was asked without an answer. */
  readonly at: number;
  /** It only watches. @default - it decides */
  readonly isWatching?: true;
  /** It only watches, and the rollout would have failed with this no. @default - it would not have */
  readonly wouldHaveFailed?: true;
}

/** What the gates of each wave have answered so far, wave by wave. */
export function listGates(record: AskedRollout): ToldGate[] {
  const { events, progress, plan } = record;
  const told = events.flatMap((event) => ('gates' in event && event.gates) || []);
  // The answers of a wave that waits are younger than any event.
  const all = [...told, ...(progress?.gates ? [progress.gates] : [])];
  const looks = new Map(all.map((look) => [look.wave, look]));
  // The first wave has waited for its first ones, and later looks at it are at others.
  const first = events.find((event) => event.kind === 'wave-started');
  const ahead = first !== undefined && 'gates' in first ? first.gates : undefined;
  const watched = (progress?.watched ?? []).flatMap(({ gate, no }) => (no ? [{ gate, no }] : []));
  return (plan?.waves ?? []).flatMap((_, index) => {
    const last = looks.get(index + 1);
    const own = last === undefined ? [] : [last];
    if (ahead?.wave === index + 1 && ahead.at !== last?.at) own.unshift(ahead);
    const noes = watched.filter(({ no }) => no.wave === index + 1);
    const isTold = ({ verdict, watches }: GateReading) =>
      verdict === 'fail' && noes.some(({ gate }) => gate === watches);
    return [
      ...own.flatMap(({ wave, at, answers }) =>
        answers
          .filter((answer) => !isTold(answer))
          .map(({ watches, ...answer }) => ({
            ...{ wave, at, ...answer },
            ...(watches !== undefined && { isWatching: true as const }),
          })),
      ),
      ...noes.map(({ no }) => ({ ...no, ...WOULD_HAVE_FAILED })),
      ...approvalOf(record, index + 1),
    ];
  });
}

/** For how long a gate has stood by an answer. */
export interface ToldChange extends Pick<GateLine, 'gate' | 'wave' | 'verdict' | 'detail' | 'at'> {
  readonly isWatching: boolean;
  /** Until when. `null`: it has said nothing else yet. */
  readonly until: number | null;
}

/** How the answers of gates have changed on the way forward, in order. */
export function listGateChanges(record: AskedRollout): ToldChange[] {
  const { events, endedAt } = record;
  const changes = linesOf(record).filter((line) => line.kind === 'gate');
  const turn = failingOf(events);
  const end = turn?.at ?? endedAt;
  return changes.map(({ isWatching = false, isAhead = false, isOneOfMany, ...change }, index) => {
    const next = changes
      .slice(index + 1)
      .find((one) => one.gate === change.gate && (one.isWatching ?? false) === isWatching);
    // What a wave has waited for is over once it begins. Of one that changes all the time, a line tells of a moment.
    const isBrief = (isAhead && change.verdict === 'pass') || isOneOfMany || next?.isOneOfMany;
    return { ...change, isWatching, until: isBrief ? change.at : (next?.at ?? end) };
  });
}

const WOULD_HAVE_FAILED = { verdict: 'fail', isWatching: true, wouldHaveFailed: true } as const;

function nameWithReason(signal: Signal): string {
  return `${signal.by === '' ? 'somebody' : signal.by}${whyOf(signal)}`;
}

/** What people said to a wave that waited for them, or what happened without a word of them. */
function approvalOf(record: AskedRollout, wave: number): ToldGate[] {
  const { request, events } = record;
  const isOf = { wave, kind: 'approval', name: null } as const;
  const asked = findAskedFor(record, { direction: 'forward', wave: wave - 1 });
  if (asked === undefined) return [];
  const said = findAnswer(record, wave - 1);
  const yeses = listApprovals(record, wave - 1);
  const needed = approvalsNeeded(request);
  if (said !== undefined) {
    const { at } = said.signal;
    const of = said.answer === 'fail' ? [said.signal] : yeses.slice(0, needed);
    return [{ ...isOf, verdict: said.answer, detail: of.map(nameWithReason).join('; '), at }];
  }
  const { timeoutSeconds = 0 } = request.policy?.verify.approval ?? {};
  const who = yeses.length === 0 ? '' : ` (${yeses.map(nameWithReason).join('; ')})`;
  const answered =
    needed === 1 ? 'nobody has answered' : `${yeses.length} of ${needed} approvals${who}`;
  const detail = `${answered} within ${describeSeconds(timeoutSeconds)}`;
  const next = events.find((event) => event.kind === 'wave-started' && event.wave === wave + 1);
  if (next !== undefined) return [{ ...isOf, verdict: 'pass', detail, at: next.at }];
  const failing = failingOf(events);
  if (failing?.reason === APPROVAL_TIMED_OUT) {
    return [{ ...isOf, verdict: 'fail', detail, at: failing.at }];
  }
  return [{ ...isOf, verdict: 'unknown', detail: answered, at: yeses.at(-1)?.at ?? asked.at }];
}
