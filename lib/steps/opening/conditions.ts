import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { endRefused } from '../../domain/ending/error.ts';
import type { Ending } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type Waiting, waitedBy } from '../../domain/rollout/waiting.ts';
import type { RecordPorts } from '../frame/ports.ts';
import {
  type Answer,
  type Condition,
  GO,
  type Hindrance,
  type OpeningPorts,
  type Previewed,
  type PreviewPorts,
  Unread,
} from './condition.ts';
import { configured } from './configured.ts';
import { aheadSaysYes, noGateRed, redKnown } from './gates.ts';
import { holdsRead, mayWaitForWindow, notQuarantined, unheld, windowOpen } from './holds.ts';
import { leaseTaken, runtimeFree } from './lease.ts';
import { listRead } from './list.ts';
import { type Dated, inLine, newest, notWithdrawn, toLatestRequest } from './newest.ts';
import { inNoOtherHands } from './other-hands.ts';
import { planAgreed } from './plan.ts';
import { versionKnown } from './version.ts';

/**
 * What has to be true before a rollout begins, in the order in which it is asked. Whatever may refuse it comes before the
 * lease: the rollout under way gives way, and one that died is ended, for nobody who does not begin.
 */
export const TO_OPEN: readonly Condition[] = [
  notWithdrawn,
  configured,
  inLine,
  holdsRead,
  versionKnown,
  notQuarantined,
  mayWaitForWindow,
  newest,
  windowOpen,
  unheld,
  noGateRed,
  runtimeFree,
  listRead,
  planAgreed,
  inNoOtherHands,
  notQuarantined,
  redKnown,
  aheadSaysYes,
  // The answers may have taken minutes.
  holdsRead,
  notWithdrawn,
  mayWaitForWindow,
  newest,
  windowOpen,
  unheld,
  notQuarantined,
  leaseTaken,
];

export type NotYet =
  | { readonly next: 'queue'; readonly seconds: number }
  | { readonly next: 'close'; readonly ending: Ending };

/**
 * Asks one condition after the other. The first one that does not say go decides. Answers what follows from it, or
 * what is known of the rollout when all are met.
 *
 * @typeParam Met What all of the conditions have learnt together.
 * @throws an error of a condition that is no refusal.
 */
export async function firstNotGo<Met>(
  conditions: readonly Condition[],
  rollout: Hindered,
  ports: OpeningPorts,
): Promise<Met | NotYet> {
  let known = rollout;
  for (const condition of conditions) {
    // The order of the list sees to it that a condition knows what it has to know.
    const answer = endOnRefusal(await condition.ask(known as never, ports).catch(answerOf));
    if (answer.decision === 'wait') return waitToOpen(known, answer, ports, answer.effect);
    if (answer.decision === 'end') return { next: 'close', ending: answer.ending };
    await answer.effect?.();
    known = { ...known, ...answer.learnt };
  }
  return known as Met;
}

function answerOf(error: unknown): Answer {
  if (error instanceof Unread) return error.answer;
  return endOnRefusal({ decision: 'refuse', error });
}

type Decided = Exclude<Answer, { decision: 'refuse' }>;

/** A rollout that is refused ends. @throws an error that refuses nothing */
function endOnRefusal(answer: Decided | { decision: 'refuse'; error: unknown }): Decided {
  if (answer.decision !== 'refuse') return answer;
  const ending = endRefused(answer.error);
  if (ending === null) throw answer.error;
  return { decision: 'end', ending };
}

/** What is known of a rollout, besides what its conditions learn. */
interface Hindered extends Pick<AskedRollout, 'request' | 'waiting'> {
  readonly input?: RolloutInput;
  /** The request, once it has gone before the others that wait. @default - it waits behind one of them */
  readonly inLine?: Dated;
  /** The request, once it is known that it goes before the others that wait. @default - nobody knows */
  readonly newest?: Dated;
  /** What it waits for before its first wave has said. @default - it has not been asked now */
  readonly ahead?: Waiting['ahead'];
}

/** Records what a rollout waits for before it can begin. So everybody can see it, and nobody forgets the rollout. */
export async function waitToOpen(
  { request, waiting, inLine, newest, ahead: heard = waiting?.ahead }: Hindered,
  { for: wait, message, until, seconds, ahead = heard }: Hindrance,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
  effect?: () => Promise<void>,
): Promise<NotYet> {
  const now = clock.now();
  const waited = waitedBy(waiting, now);
  const wakesAt = now + seconds * 1000;
  const times = { since: now, wakesAt, until, waited };
  // What was answered already is kept, whatever it waits for now.
  await ledger.saveWaiting(request, { for: wait, message, ...times, ...(ahead && { ahead }) });
  // Once it is stored, no older request begins before it. While its version is not known, nobody waits behind it.
  if (newest) await ledger.recordLatestRequest(toLatestRequest(newest, wakesAt), now);
  else if (inLine) await ledger.recordLatestRequest(toLatestRequest(inLine, 0), now);
  await effect?.();
  return { next: 'queue', seconds };
}

/** The same for a preview: the first condition that would not be met. Nothing is written. */
export async function foreseeNotGo(
  rollout: Pick<Previewed, 'request'>,
  ports: PreviewPorts,
): Promise<Answer> {
  let known = rollout;
  // Some are asked twice.
  for (const { foresee } of new Set(TO_OPEN)) {
    const answer = (await foresee?.(known as Previewed, ports)) ?? GO;
    if (answer.decision !== 'go') return answer;
    known = { ...known, ...answer.learnt };
  }
  return GO;
}
