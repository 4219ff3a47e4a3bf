import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { Decision } from '../../domain/decision/decision.ts';
import { endRefused } from '../../domain/ending/error.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { GateReading } from '../../domain/rollout/gates.ts';
import { waitedBy } from '../../domain/rollout/opening.ts';
import type { Ending } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type Opening, waitFrom } from '../../domain/rollout/wait.ts';
import type { RecordPorts } from '../io/ports.ts';
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
import {
  holdsRead,
  mayWaitForWindow,
  notQuarantined,
  pinsKnown,
  unheld,
  windowOpen,
} from './holds.ts';
import { leaseTaken, runtimeFree } from './lease.ts';
import { listRead } from './list.ts';
import { type Dated, inLine, newest, notWithdrawn, toLatestRequest } from './newest.ts';
import { inNoOtherHands } from './other-hands.ts';
import { planAgreed } from './plan.ts';
import { versionKnown } from './version.ts';

/**
 * Conditions in the order in which they are asked. A condition that has to know what none before it has learnt does not
 * compile.
 *
 * @typeParam Start What is known of a rollout before the first one.
 * @typeParam Known What is known once all of them are met.
 */
interface Conditions<Start, Known> {
  with<Learnt extends object>(
    condition: Condition<Known, Learnt>,
  ): Conditions<Start, Known & Learnt>;
  /**
   * Asks one after the other. The first one that does not say go decides.
   *
   * @throws an error of a condition that is no refusal.
   */
  firstNotGo(rollout: Start, ports: OpeningPorts): Promise<Met<Known> | NotYet>;
  readonly foreseen: ReadonlySet<Condition<never>['foresee']>;
}

interface Met<Known> {
  readonly met: Known;
}

export type NotYet =
  | Extract<Decision, { next: 'wait' }>
  | { readonly next: 'close'; readonly ending: Ending };

/** No condition yet. */
export function opening<Start extends Hindered>(): Conditions<Start, Start> {
  return conditions(async (met) => ({ met }));
}

function conditions<Start, Known extends Hindered>(
  firstNotGo: Conditions<Start, Known>['firstNotGo'],
  foreseen: readonly Condition<never>['foresee'][] = [],
): Conditions<Start, Known> {
  return {
    firstNotGo,
    // Some are asked twice.
    foreseen: new Set(foreseen),
    with: <Learnt extends object>({ ask, foresee }: Condition<Known, Learnt>) =>
      conditions<Start, Known & Learnt>(
        async (rollout, ports) => {
          const before = await firstNotGo(rollout, ports);
          if ('next' in before) return before;
          const { met } = before;
          const answer = endOnRefusal<Learnt>(await ask(met, ports).catch(answerOf));
          if (answer.decision === 'wait') return waitToOpen(met, answer, ports);
          if (answer.decision === 'end') return { next: 'close', ending: answer.ending };
          await answer.effect?.();
          return { met: { ...met, ...answer.learnt } };
        },
        [...foreseen, foresee],
      ),
  };
}

interface Asked extends Pick<AskedRollout, 'signals' | 'wait' | 'opening'> {
  readonly request: AskedRollout['request'];
  readonly input: RolloutInput;
}

/**
 * What has to be true before a rollout begins, in the order in which it is asked. Whatever may refuse it comes before the
 * lease: the rollout under way gives way, and one that died is ended, for nobody who does not begin.
 */
export const TO_OPEN = opening<Asked>()
  .with(notWithdrawn)
  .with(configured)
  .with(inLine)
  .with(pinsKnown)
  .with(holdsRead)
  .with(versionKnown)
  .with(notQuarantined)
  .with(mayWaitForWindow)
  .with(newest)
  .with(windowOpen)
  .with(unheld)
  .with(noGateRed)
  .with(runtimeFree)
  .with(listRead)
  .with(planAgreed)
  .with(inNoOtherHands)
  .with(notQuarantined)
  .with(redKnown)
  .with(aheadSaysYes)
  // The answers may have taken minutes.
  .with(holdsRead)
  .with(notWithdrawn)
  .with(mayWaitForWindow)
  .with(newest)
  .with(windowOpen)
  .with(unheld)
  .with(notQuarantined)
  .with(leaseTaken);

function answerOf(error: unknown): Unread['answer'] | Refused {
  return error instanceof Unread ? error.answer : { decision: 'refuse', error };
}

interface Refused {
  readonly decision: 'refuse';
  readonly error: unknown;
}

type Decided<Learnt extends object> = Exclude<Answer<Learnt>, { decision: 'refuse' }>;

/** A rollout that is refused ends. @throws an error that refuses nothing */
function endOnRefusal<Learnt extends object>(answer: Decided<Learnt> | Refused): Decided<Learnt> {
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

/** The same for a preview: the first condition that would not be met, or what all of them have learnt. Nothing is written. */
export async function foreseeNotGo(
  rollout: Pick<Previewed, 'request'>,
  ports: PreviewPorts,
): Promise<Answer<{ readonly unsaid?: readonly GateReading[] }>> {
  let known: typeof rollout & { readonly unsaid?: readonly GateReading[] } = rollout;
  for (const foresee of TO_OPEN.foreseen) {
    const answer = (await foresee?.(known as Previewed, ports)) ?? GO;
    if (answer.decision !== 'go') return answer;
    known = { ...known, ...answer.learnt };
  }
  return { decision: 'go', learnt: known.unsaid === undefined ? {} : { unsaid: known.unsaid } };
}
