import { type Moment, moveOn, startClock } from '../../domain/clock.ts';
import { describeNotBegun } from '../../domain/ending/failure.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { describeHold } from '../../domain/holds/hold.ts';
import { whatPauses } from '../../domain/holds/what-holds.ts';
import { type AskedReading, listReadings } from '../../domain/rollout/gates.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { Waiting } from '../../domain/rollout/waiting.ts';
import { hearAhead, judgeAhead } from '../../domain/wave/ahead.ts';
import { isDeciding } from '../../domain/wave/gate-watch.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/wave/polls.ts';
import { AHEAD } from '../../gates/gate.ts';
import { askedAhead } from '../../gates/gates.ts';
import { askAheadOf, tellAhead } from '../frame/ask-ahead.ts';
import { runFrom } from '../frame/running-clock.ts';
import { type Answer, type Condition, GO, type Ready } from './condition.ts';
import type { WithHolds } from './holds-read.ts';

type Known = Ready &
  WithHolds & { readonly plan: RolloutPlan; readonly endpoints: readonly Endpoint[] };

/**
 * What a rollout and its first wave wait for has said yes. It is asked last, on the plan that is about to be followed, and
 * not under a pause, in which nothing would be rolled. Nobody asks ahead of the rollout: a question may begin something.
 */
export const aheadSaysYes: Condition<Known> = {
  async ask({ request, waiting, holds, plan, endpoints }, { gates, clock: machine }) {
    const { policy } = request;
    if (plan.waves.length === 0 || askedAhead(policy.verify, AHEAD).length === 0) return GO;
    const begun = clockAt(waiting, machine.now());
    const now = runFrom(begun, machine);
    const [pause] = whatPauses(request, holds, begun.at);
    if (pause !== undefined) {
      const { until } = pause;
      const seconds = Math.ceil(Math.min(LONGEST_LOOK_SECONDS, (until - begun.at) / 1000));
      return { decision: 'wait', for: 'hold', message: describeHold(pause), seconds, until };
    }
    const before = waiting?.ahead;
    const asked = { request, plan, wave: 0, endpoints, before, when: AHEAD };
    const times = { now: begun.at, watched: begun.watched };
    const readings = await askAheadOf({ ...asked, ...times }, gates);
    const clock = now();
    const passedMs = waiting?.for === 'gate' && before ? clock.watched - before.clock.watched : 0;
    const ahead = hearAhead(before, readings, passedMs);
    const verdict = judgeAhead(ahead, readings, { clock }, policy);
    if (verdict === 'go') {
      return { decision: 'go', learnt: { answered: tellAhead(0, clock, readings, {}) } };
    }
    if ('reason' in verdict) {
      return { decision: 'end', ending: describeNotBegun(verdict.reason, verdict.readings) };
    }
    return waitOn(readings, verdict.lookAgainIn, { ...ahead, clock });
  },
};

/** It goes on by as much as was waited: in time in which no process was there, nobody has waited. */
function clockAt(waiting: Waiting | null, now: number): Moment {
  if (waiting?.ahead === undefined) return startClock(now);
  return moveOn(waiting.ahead.clock, now, waiting.wakesAt - waiting.since);
}

/** The longer it has waited, the rarer it looks, as for its turn. */
function waitOn(
  readings: readonly AskedReading[],
  lookAgainIn: number,
  ahead: NonNullable<Waiting['ahead']>,
): Answer {
  const unsaid = readings.filter((one) => isDeciding(one) && one.verdict !== 'pass');
  const rarely = Math.min(LONGEST_LOOK_SECONDS, ahead.clock.watched / 10_000);
  const seconds = Math.ceil(Math.max(lookAgainIn, rarely));
  const message = `It waits for a yes before anything is rolled: ${listReadings(unsaid)}.`;
  return { decision: 'wait', for: 'gate', message, seconds, until: null, ahead };
}
