import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { Decision } from '../../domain/decision/decision.ts';
import { endRefused } from '../../domain/ending/error.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { waitedBy } from '../../domain/rollout/opening.ts';
import type { Ending } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type Opening, waitFrom } from '../../domain/rollout/wait.ts';
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
  | Extract<Decision, { next: 'wait' }>
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
    if (answer.decision === 'wait') return waitToOpen(known, answer, ports);
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
interface Hindered extends Pick<AskedRollout, 'request' | 'wait' | 'opening'> {
  readonly input?: RolloutInput;
  /** The request, once it has gone before the others that wait. @default - it waits behind one of them */
  readonly inLine?: Dated;
  /** The request, once it is known that it goes before the others that wait. @default - nobody knows */
  readonly newest?: Dated;
  /** The list of endpoints, once it was read. @default - it was not read now */
  readonly endpoints?: readonly Endpoint[];
  /** What it waits for before its first wave has said. @default - it has not been asked now */
  readonly ahead?: Opening['ahead'];
}

/** Records what a rollout waits for before it can begin. So everybody can see it, and nobody forgets the rollout. */
export async function waitToOpen(
  { request, inLine, newest, endpoints, ahead: heard, ...before }: Hindered,
  answer: Hindrance,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<NotYet> {
  const { decision: _, effect, readSeconds = 0, ...rest } = answer;
  const { ahead = heard ?? before.opening?.ahead, ...planned } = rest;
  const now = clock.now();
  const wait = waitFrom(planned, null, before.wait, now);
  const waited = waitedBy(before, now);
  // What was answered already is kept, whatever it waits for now.
  const isRead = endpoints !== undefined || planned.for === 'version';
  const opening = {
    lookedAt: now,
    waited: { ...waited, list: waited.list + readSeconds },
    ...((isRead || before.opening?.hasRead) && { hasRead: true as const }),
    ...(ahead && { ahead }),
  };
  await ledger.saveWaiting(request, { wait, opening });
  // Once it is stored, no older request begins before it. While its version is not known, nobody waits behind it.
  if (newest) await ledger.recordLatestRequest(toLatestRequest(newest, wait.lookAt), now);
  else if (inLine) await ledger.recordLatestRequest(toLatestRequest(inLine, 0), now);
  await effect?.();
  return { next: 'wait', ...planned };
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
