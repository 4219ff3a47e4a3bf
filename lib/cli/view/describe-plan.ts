import type { RolloutPolicy } from '../../domain/policy.ts';
import type { RolloutPlan } from '../../domain/rollout.ts';
import { describeDuration } from './describe-duration.ts';
import { plainText } from './plain-text.ts';

const MAX_NAMES = 5;

/** The plan in lines, as people read it before they say yes. */
export function describePlan(
  plan: RolloutPlan,
  runtimeId: string,
  desiredVersion: number,
  policy: RolloutPolicy,
): string[] {
  const left = plan.leftOut.length;
  const total = plan.endpoints.length;
  const title = `Plan: ${plainText(runtimeId)} to version ${desiredVersion}, ${total} of ${total + left} endpoints in ${plan.waves.length} waves`;
  if (total === 0)
    return [`Plan: nothing to do for version ${desiredVersion}`, ...leftOutLines(plan)];
  return [
    title,
    ...plan.waves.map(({ from, to }, index) => {
      const names = plan.endpoints
        .slice(from, to)
        .map(({ name, endpointId }) => name ?? endpointId);
      return `  Wave ${index + 1}: ${to - from} (${listNames(names)})`;
    }),
    ...leftOutLines(plan),
    `  At most ${plan.maxUnavailable} in mid-roll at once, bake ${describeDuration(policy.bakeSeconds * 1000)}, progress deadline ${describeDuration(policy.progressDeadlineSeconds * 1000)}, on failure: ${policy.onFailure}`,
  ];
}

function leftOutLines({ leftOut }: RolloutPlan): string[] {
  const lineOf = (reason: string, words: string) => {
    const names = leftOut.filter((row) => row.reason === reason).map(nameOf);
    return names.length === 0 ? [] : [`  ${words}: ${names.length} (${listNames(names)})`];
  };
  return [
    ...lineOf('at-version', 'At the version already'),
    ...lineOf('stopped', 'Stopped, left alone'),
  ];
}

function nameOf({ name, endpointId }: { name: string | null; endpointId: string }): string {
  return name ?? endpointId;
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(plainText).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
