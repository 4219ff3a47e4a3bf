import { type Moment, moveOn, standStill, startClock } from '../../domain/clock.ts';
import { describeNotBegun } from '../../domain/ending/failure.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName } from '../../domain/errors.ts';
import { whatPauses } from '../../domain/holds/what-holds.ts';
import type { LookAgain } from '../../domain/look-again.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/look-again.ts';
import { type AskedReading, type GateReading, listReadings } from '../../domain/rollout/gates.ts';
import { type NotBegun, waitedBy } from '../../domain/rollout/opening.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRequest } from '../../domain/rollout/request.ts';
import type { Opening } from '../../domain/rollout/wait.ts';
import { LONGEST_QUEUE_SECONDS } from '../../domain/turn/queue.ts';
import type { AheadVerdict } from '../../domain/wave/ahead.ts';
import { hearAhead, judgeAhead } from '../../domain/wave/ahead.ts';
import { isDeciding } from '../../domain/wave/gate-watch.ts';
import { nameOfGate } from '../../domain/wave/red-at-start.ts';
import { askGates } from '../../gates/ask-gates.ts';
import { AHEAD } from '../../gates/gate.ts';
import { askedAt } from '../../gates/gates.ts';
import { askAheadOf, tellAhead } from '../io/ask-ahead.ts';
import { runFrom } from '../io/running-clock.ts';
import {
  type Answer,
  type Condition,
  GO,
  hindrance,
  type OpeningPorts,
  type PreviewPorts,
  type Ready,
  refusal,
  Unread,
  type WithHolds,
  waitPatiently,
} from './condition.ts';
import { waitForLift } from './holds.ts';
import { readToOpen } from './list.ts';
import { planOn } from './plan.ts';

/**
 * No gate is red that can be asked before anything is rolled, or the policy says to ignore that. What a trigger asks for
 * waits, if the policy lets it wait for a window. A person is there to decide, so it is refused.
 */
export const noGateRed: Condition<Ready & WithHolds, { readonly unsaid?: readonly GateReading[] }> =
  {
    async ask(rollout, ports) {
      const { request } = rollout;
      const { red } = isIgnored(request) ? { red: [] } : await askAtStart(request, ports);
      if (red.length === 0 || (await isNothingToRoll(rollout, ports))) return GO;
      const mayWait =
        request.startedBy.kind !== 'person' && request.policy.outsideWindow === 'wait';
      return mayWait ? waitForGreen(rollout, red, ports.clock.now()) : refuseRed(red);
    },
    async foresee({ request }, { gates, clock }) {
      if (gates === undefined || isIgnored(request)) return GO;
      const { red, unsaid } = await askAtStart(request, { gates, clock });
      return red.length === 0 ? { decision: 'go', learnt: { unsaid } } : refuseRed(red);
    },
  };

/** It is known which gates are red before the first write, although the policy says to ignore that. */
export const redKnown: Condition<
  Ready & { readonly plan: RolloutPlan },
  { readonly redAtStart?: readonly string[] }
> = {
  async ask({ request, plan }, ports) {
    if (!isIgnored(request) || plan.waves.length === 0) return GO;
    const { red } = await askAtStart(request, ports);
    return { decision: 'go', learnt: { redAtStart: red.map(nameOfGate) } };
  },
};

type Asked = Pick<RolloutRequest, 'runtimeId' | 'desiredVersion' | 'policy'>;

function isIgnored({ policy }: Pick<Asked, 'policy'>): boolean {
  return policy.verify.redAtStart === 'ignore';
}

/** A gate that does not answer is not red. In a bake it is no yes either, so a preview tells of it. */
async function askAtStart(
  { runtimeId, desiredVersion, policy }: Asked,
  { gates, clock }: Pick<PreviewPorts, 'clock'> & Pick<OpeningPorts, 'gates'>,
) {
  const question = { when: 'start', runtimeId, desiredVersion, now: clock.now() } as const;
  const answers = await askGates(policy.verify, question, gates);
  return {
    red: answers.filter(({ verdict }) => verdict === 'fail'),
    unsaid: answers.filter(({ verdict }) => verdict === 'unknown'),
  };
}

/** Where nothing would be rolled, no gate is in the way. If that cannot be seen now, the gates decide. */
async function isNothingToRoll(rollout: Ready & WithHolds, ports: OpeningPorts): Promise<boolean> {
  const { gates: _, ...ofPlan } = ports;
  try {
    const endpoints = await readToOpen(rollout, ofPlan);
    // An empty list may be no answer, so it says nothing of what would be rolled.
    if (endpoints.length === 0) return false;
    return (await planOn(rollout.request, endpoints, rollout.holds, ofPlan)).waves.length === 0;
  } catch (error) {
    if (error instanceof Unread) return false;
    throw error;
  }
}

function refuseRed(red: readonly GateReading[]): Answer {
  return refusal(
    ErrorName.GateRed,
    `A gate is red before anything is rolled, so nothing is: ${listReadings(red)}.`,
  );
}

/** Seconds between two looks at a gate that is red, in the first hour. */
const LOOK_SECONDS = 60;

function waitForGreen(before: NotBegun, red: readonly GateReading[], now: number): Answer {
  const { turn: waitedSeconds } = waitedBy(before, now);
  const secondsLeft = LONGEST_QUEUE_SECONDS - waitedSeconds;
  if (secondsLeft <= 0) return refuseRed(red);
  const seconds = waitedSeconds < 3_600 ? LOOK_SECONDS : LONGEST_LOOK_SECONDS;
  const message = `It waits until its gates are green. Red now: ${listReadings(red)}.`;
  return waitPatiently('gate', { seconds, secondsLeft, message }, now);
}

type Planned = Ready &
  WithHolds & { readonly plan: RolloutPlan; readonly endpoints: readonly Endpoint[] };

/**
 * What a rollout and its first wave wait for has said yes. It is asked last, on the plan that would be followed now, and not
 * under a pause, in which nothing would be rolled. Nobody asks ahead of the rollout: a question may begin something. An older
 * rollout goes on until there is a yes, and then that stands for as long as it takes to give way.
 */
export const aheadSaysYes: Condition<
  Planned,
  { readonly answered?: ReturnType<typeof tellAhead>; readonly ahead?: Opening['ahead'] }
> = {
  async ask(rollout, { gates, clock: machine }) {
    const { request, holds, plan, endpoints, wait } = rollout;
    const { policy } = request;
    if (plan.waves.length === 0 || askedAt(policy.verify, AHEAD).length === 0) return GO;
    const begun = clockAt(rollout, machine.now());
    const now = runFrom(begun, machine);
    const [pause] = whatPauses(request, holds, begun.at);
    if (pause !== undefined) return waitForLift([pause], begun.at);
    const before = rollout.opening?.ahead;
    const asked = { request, plan, wave: 0, endpoints, before, when: AHEAD };
    const times = { now: begun.at, watched: begun.watched };
    const readings = await askAheadOf({ ...asked, ...times }, gates);
    const clock = now();
    const wasAsked = wait?.for === 'gate' || wait?.for === 'check';
    const passedMs = wasAsked && before ? clock.watched - before.clock.watched : 0;
    const ahead = hearAhead(before, readings, passedMs);
    const verdict = judgeAhead(ahead, readings, { clock }, policy);
    if (verdict === 'go') {
      const answered = tellAhead(0, clock, readings, {});
      return { decision: 'go', learnt: { answered, ahead: { ...ahead, clock } } };
    }
    if ('reason' in verdict) {
      return { decision: 'end', ending: describeNotBegun(verdict.reason, verdict.readings) };
    }
    return waitOn(verdict, readings, { ...ahead, clock });
  },
};

/** It goes on by as much as was waited for an answer: in time in which no process was there, nobody has waited. */
function clockAt({ wait, opening }: NotBegun, now: number): Moment {
  if (opening?.ahead === undefined || wait === null) return startClock(now);
  if (wait.for === 'turn') return standStill(opening.ahead.clock, now);
  return moveOn(opening.ahead.clock, now, wait.lookAt - opening.lookedAt);
}

/** The longer it has waited, the rarer it looks, as for its turn. */
function waitOn(
  { waitsFor, lookAgainIn }: Extract<AheadVerdict, LookAgain>,
  readings: readonly AskedReading[],
  ahead: NonNullable<Opening['ahead']>,
): Answer {
  const unsaid = readings.filter((one) => isDeciding(one) && one.verdict !== 'pass');
  const rarely = Math.min(LONGEST_LOOK_SECONDS, ahead.clock.watched / 10_000);
  const seconds = Math.ceil(Math.max(lookAgainIn, rarely));
  const message = `It waits for a yes before anything is rolled: ${listReadings(unsaid)}.`;
  return { ...hindrance(waitsFor, message, seconds), ahead };
}
