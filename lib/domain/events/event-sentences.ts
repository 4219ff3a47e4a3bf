import type { Seconds } from '../clock.ts';
import type { Containment } from '../containment/failure-policies.ts';
import type { WaveEvent } from '../rollout/event.ts';
import { nounOf } from '../rollout/group.ts';
import type { Ending, Outcome } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import {
  type AskedRequest,
  describeStarter,
  describeWanted,
  type RolloutRequest,
} from '../rollout/request.ts';
import { asSentence, countOf, describeSeconds } from '../sentences.ts';
import { AT_TIMEOUT } from '../signals/approval.ts';

// These are the sentences of the events. Each one is read alone, so each names the runtime.

export function describeStart(request: RolloutRequest, plan: RolloutPlan): string {
  const { runtimeId, startedBy } = request;
  const what = `rolling ${countOf(plan.endpoints.length, nounOf(runtimeId))} to ${describeWanted(request)} in ${countOf(plan.waves.length, 'wave')}`;
  const rest = plan.leftOut.length > 0 ? `, ${plan.leftOut.length} left alone` : '';
  return `${runtimeId}: ${what}${rest}. Started by ${describeStarter(startedBy)}.`;
}

interface WaveFacts extends Pick<WaveEvent, 'direction' | 'wave' | 'waves' | 'endpoints'> {
  /** How long it bakes. @default - nobody has planned that */
  readonly bakeSeconds?: Seconds | undefined;
}

export function describeWaveEvent(
  kind: WaveEvent['kind'],
  request: RolloutRequest,
  { direction, wave, waves, endpoints, bakeSeconds }: WaveFacts,
): string {
  const { runtimeId, policy } = request;
  const isBack = direction === 'back';
  const where = `${runtimeId}: wave ${wave} of ${waves}${isBack ? ' on the way back' : ''}`;
  const count = countOf(endpoints, nounOf(runtimeId));
  switch (kind) {
    case 'wave-started':
      return `${where}, rolling ${count} ${isBack ? 'to the versions before' : `to ${describeWanted(request)}`}.`;
    case 'wave-converged':
      return `${where} has converged, ${count}${describeBake(bakeSeconds)}.`;
    case 'approval-wanted':
      return `${where} has baked and waits for approval${describeTimeout(policy.verify.approval)}.`;
    default:
      return kind satisfies never;
  }
}

function describeBake(seconds: Seconds | undefined): string {
  if (seconds === undefined) return '';
  const bake =
    seconds === 0
      ? 'not baking, because it was promoted'
      : `baking for ${describeSeconds(seconds)}`;
  return `, ${bake}`;
}

function describeTimeout(approval: RolloutRequest['policy']['verify']['approval']): string {
  if (approval === null) return '';
  const { timeoutSeconds, onTimeout } = approval;
  return `; without an answer within ${describeSeconds(timeoutSeconds)} it is ${AT_TIMEOUT[onTimeout]}`;
}

export function describeFailing(
  { runtimeId }: RolloutRequest,
  ending: Ending,
  { announce }: Containment,
  oldEndpoints: number,
  isAnyRolled: boolean,
): string {
  return `${runtimeId}: ${asSentence(describeEnding(ending))} ${announce(oldEndpoints, isAnyRolled)}`;
}

export function describeEnd({ runtimeId }: AskedRequest, outcome: Outcome): string {
  return `${runtimeId}: ${describeEnding(outcome)}`;
}

/** The outcome stands before its reason, unless the reason begins with it: `Aborted by ann.` */
function describeEnding({ outcome, message }: Ending): string {
  return message.startsWith(`${outcome} `) ? message : `${outcome}. ${message}`;
}
