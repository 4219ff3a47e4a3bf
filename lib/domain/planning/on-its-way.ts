import { listNames } from '../endpoint/endpoint.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { nameOf } from '../sentences.ts';

export interface OnItsWay {
  readonly name: string;
  readonly to: number;
}

/** Endpoints on their way to another version than the plan's. What has failed, or was never live, is on no way. */
export function onTheirWay({ endpoints }: Pick<RolloutPlan, 'endpoints'>): readonly OnItsWay[] {
  return endpoints.flatMap((planned) => {
    const { previousVersion: live, previousTarget: to, desiredVersion, wrongBefore } = planned;
    if (!isThere(live) || !isThere(to) || wrongBefore.includes('failed')) return [];
    return to === live || to === desiredVersion ? [] : [{ name: nameOf(planned), to }];
  });
}

/** Some services say 0 before the first version is live. */
function isThere(version: number | null): version is number {
  return version !== null && version >= 1;
}

/** Every version that a rollout may have sent an endpoint to: forward, or back. */
export function versionsSentBy({ request, plan }: AskedRollout): readonly number[] {
  const forward = request.desiredVersion === null ? [] : [request.desiredVersion];
  const planned = plan?.endpoints ?? [];
  return [
    ...forward,
    ...planned.flatMap(({ desiredVersion, previousVersion }) => {
      return previousVersion === null ? [desiredVersion] : [desiredVersion, previousVersion];
    }),
  ];
}

/** `web-1 to version 2, web-2 to version 2 and 3 more` */
export function listOnTheirWay(found: readonly OnItsWay[]): string {
  return listNames(found.map(({ name, to }) => `${name} to version ${to}`));
}
