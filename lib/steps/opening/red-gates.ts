import { ErrorName } from '../../domain/errors.ts';
import { type GateReading, listReadings } from '../../domain/rollout/gates.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRequest } from '../../domain/rollout/request.ts';
import { waitedBy } from '../../domain/rollout/waiting.ts';
import { LONGEST_QUEUE_SECONDS } from '../../domain/turn/queue.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/wave/polls.ts';
import { nameOfGate } from '../../domain/wave/red-at-start.ts';
import { askBefore } from '../../gates/ask-gates.ts';
import {
  type Answer,
  type Condition,
  GO,
  type OpeningPorts,
  type PreviewPorts,
  type Ready,
  refusal,
} from './condition.ts';
import { readToOpen } from './list.ts';
import { toLatestRequest } from './newest.ts';
import { planOn } from './plan.ts';

/**
 * No gate is red that can be asked before anything is rolled, or the policy says to ignore that. What a trigger asks for
 * waits, if the policy lets it wait for a window. A person is there to decide, so it is refused. This is asked before the
 * lease, so that nobody is kept out by a rollout that waits.
 */
export const noGateRed: Condition<Ready> = {
  async ask(rollout, ports) {
    const { request } = rollout;
    if (isIgnored(request)) return GO;
    const red = await findRed(request, ports);
    if (red.length === 0 || (await isNothingToRoll(rollout, ports))) return GO;
    const mayWait = request.startedBy.kind !== 'person' && request.policy.outsideWindow === 'wait';
    return mayWait ? waitForGreen(rollout, red, ports) : refuseRed(red);
  },
  async foresee({ request }, { gates, clock }) {
    if (gates === undefined || isIgnored(request)) return GO;
    const red = await findRed(request, { gates, clock });
    return red.length === 0 ? GO : refuseRed(red);
  },
};

/** It is known which gates are red before the first write, although the policy says to ignore that. */
export const redKnown: Condition<Ready & { readonly plan: RolloutPlan }> = {
  async ask({ request, plan }, ports) {
    if (!isIgnored(request) || plan.waves.length === 0) return GO;
    const red = await findRed(request, ports);
    return { decision: 'go', learnt: { redAtStart: red.map(nameOfGate) } };
  },
};

type Asked = Pick<RolloutRequest, 'runtimeId' | 'desiredVersion' | 'policy'>;

function isIgnored({ policy }: Pick<Asked, 'policy'>): boolean {
  return policy.verify.redAtStart === 'ignore';
}

/** A gate that does not answer is not red. */
async function findRed(
  request: Asked,
  { gates, clock }: Pick<PreviewPorts, 'clock'> & Pick<OpeningPorts, 'gates'>,
): Promise<readonly GateReading[]> {
  const answers = await askBefore(request.policy.verify, { ...request, now: clock.now() }, gates);
  return answers.filter(({ verdict }) => verdict === 'fail');
}

/** Where nothing would be rolled, no gate is in the way. If that cannot be seen now, the gates decide. */
async function isNothingToRoll(rollout: Ready, ports: OpeningPorts): Promise<boolean> {
  const { gates: _, ...ofPlan } = ports;
  const list = await readToOpen(rollout, ofPlan);
  if (list.decision !== 'go') return false;
  return (await planOn(rollout.request, list.read, ofPlan)).waves.length === 0;
}

function refuseRed(red: readonly GateReading[]): Answer {
  return refusal(
    ErrorName.GateRed,
    `A gate is red before anything is rolled, so nothing is: ${listReadings(red)}.`,
  );
}

/** Seconds between two looks at a gate that is red, in the first hour. */
const LOOK_SECONDS = 60;

function waitForGreen(
  { request, waiting }: Ready,
  red: readonly GateReading[],
  { ledger, clock }: OpeningPorts,
): Answer {
  const now = clock.now();
  const { turn: waitedSeconds } = waitedBy(waiting, now);
  const secondsLeft = LONGEST_QUEUE_SECONDS - waitedSeconds;
  if (secondsLeft <= 0) return refuseRed(red);
  const look = waitedSeconds < 3_600 ? LOOK_SECONDS : LONGEST_LOOK_SECONDS;
  const seconds = Math.ceil(Math.min(look, secondsLeft));
  const message = `It waits until its gates are green. Red now: ${listReadings(red)}.`;
  const latest = toLatestRequest(request, now + seconds * 1000);
  const effect = () => ledger.recordLatestRequest(latest, now);
  return {
    decision: 'wait',
    for: 'gate',
    message,
    seconds,
    until: now + secondsLeft * 1000,
    effect,
  };
}
