import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { isRollBack, letGoIn } from '../../../support/read-evidence.ts';
import type { Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { handOverMs } from '../wire/as-judged.ts';

// What people pin, as the world sees it.

/** The holds are read at most so long before a write is sent. */
const LONGEST_TRUST_MS = 10_000;

/** When an endpoint was pinned, without pins that the rollout passes. */
function pinsOf({ record, holds }: Observed, endpointId: string) {
  const { endpoints = [], leftOut = [] } = record?.plan ?? {};
  const name = [...endpoints, ...leftOut].find((one) => one.endpointId === endpointId)?.name;
  return holds.filter((one) => one.kind === 'pin' && one.endpoint === name && !one.isPassed);
}

/** Nothing is rolled forward or stopped that is pinned, once that has had its time to be heard. */
export function pinIsHeard(ordeal: Ordeal, run: Observed): string[] {
  const { record, calls, turnedAt } = run;
  if (record === null || ordeal.clock !== null) return [];
  const trustMs = LONGEST_TRUST_MS + handOverMs(ordeal);
  return calls
    .filter(isWrite)
    .filter((write) => write.operation === 'stop' || !isRollBack(write, record, turnedAt))
    .filter(({ endpointId, at }) =>
      pinsOf(run, endpointId).some(({ addedAt, overAt }) => addedAt < at - trustMs && at < overAt),
    )
    .map(({ operation, endpointId }) => `${operation} of ${endpointId}, which was pinned`);
}

/** What a plan leaves out as pinned, or what is let go of, was pinned by then; and a plan rolls nothing that is. */
export function onlyPinnedIsLeft(ordeal: Ordeal, run: Observed): string[] {
  const { record } = run;
  const plan = record?.plan;
  if (plan == null || ordeal.clock !== null) return [];
  const started = record?.events.find(({ kind }) => kind === 'started')?.at ?? record?.startedAt;
  const end = record?.endedAt ?? Number.POSITIVE_INFINITY;
  const wasPinned = (id: string, by: number) =>
    pinsOf(run, id).some(({ addedAt }) => addedAt <= by);
  const left = plan.leftOut.filter(({ reason }) => reason === 'pinned');
  const isAllTheTime = (id: string) =>
    pinsOf(run, id).some(({ from, overAt }) => from === 'before' && overAt > (started ?? 0));
  return [
    ...left
      .filter(({ endpointId }) => !wasPinned(endpointId, started ?? end))
      .map(({ name }) => `${name} is left out as pinned, and was not`),
    ...plan.endpoints
      .filter(({ endpointId }) => isAllTheTime(endpointId))
      .map(({ name }) => `${name} is pinned, and the plan rolls it`),
    ...[...letGoIn(record as NonNullable<typeof record>)]
      .filter((id) => !wasPinned(id, end))
      .map((id) => `${id} was let go of, and nobody had pinned it`),
  ];
}

/** No wave is rolled before something of an earlier one was. */
export function wavesFollowATry(ordeal: Ordeal, run: Observed): string[] {
  const { record, calls, turnedAt } = run;
  if (
    record?.plan == null ||
    ordeal.clock !== null ||
    run.holds.every(({ kind }) => kind !== 'pin')
  )
    return [];
  const { plan, request } = record;
  const waveOf = new Map(
    plan.waves.flatMap(({ from, to }, wave) =>
      plan.endpoints.slice(from, to).map(({ endpointId }) => [endpointId, wave] as const),
    ),
  );
  const [first] = calls
    .filter(isWrite)
    .filter((write) => write.operation === 'roll' && !isRollBack(write, record, turnedAt));
  const isLate = first !== undefined && (waveOf.get(first.endpointId) ?? 0) > 0;
  const wasThere = (id: string) =>
    calls.filter(isList).some(({ endpoints }) => {
      return endpoints?.some((one) => one.id === id && one.liveVersion === request.desiredVersion);
    });
  const earlier = plan.endpoints.slice(0, plan.waves[0]?.to).map(({ endpointId }) => endpointId);
  return isLate && !earlier.some(wasThere)
    ? [`${first.endpointId} is rolled first, and nothing of the first wave was`]
    : [];
}

/** Where nothing else goes wrong, a rollout of which endpoints are pinned succeeds, or has nothing to roll. */
export function pinFailsNothing(ordeal: Ordeal, run: Observed): string[] {
  const { broken, lists, writes, alarms, readings, guises, policy, held } = ordeal;
  const { alarms: asked, metrics } = gatesIn(policy);
  const ills = { broken, lists, writes, alarms, readings, guises, asked, metrics };
  const others = held?.holds.filter(({ kind }) => kind !== 'pin') ?? [];
  const isTimed = ordeal.hours !== null || ordeal.opensAfter > 0 || policy.verify.approval !== null;
  const isWell =
    Object.values(ills).every(({ length }) => length === 0) && others.length === 0 && !isTimed;
  const isQuick = ordeal.rollSeconds < policy.progressDeadlineSeconds / 2;
  if (!isWell || !isQuick || run.holds.every(({ kind }) => kind !== 'pin')) return [];
  const { outcome, reason, message } = run.outcome;
  const isFine = outcome === 'Succeeded' || outcome === 'Refused' || reason === 'AllPinned';
  return isFine ? [] : [`it ended with ${reason}, and nothing but a pin was there: ${message}`];
}
