import type { Seconds } from '../clock.ts';
import type { Where } from '../endpoint/attributes.ts';
import type { StatusWords } from '../endpoint/endpoint.ts';
import type { Weekday } from '../local-time.ts';

/**
 * How a rollout is done. The trigger says what is rolled, the policy says how. `policyFields` of the configuration says what
 * each field means; here is only what decisions have to know besides.
 */
export interface RolloutPolicy {
  readonly selection: Selection;
  readonly waves: readonly Wave[];
  readonly maxUnavailable: WaveSize;
  /**
   * Only of a group: how many runtimes may be in mid-roll or lost together, in the whole rollout. It never keeps the
   * failure threshold from being used: one more than that is always allowed. @default - there is no such limit
   */
  readonly maxAtRisk?: number | undefined;
  readonly failureThreshold: Tolerance;
  readonly bakeSeconds: number;
  readonly pollSeconds: number;
  readonly maxPollSeconds: number;
  readonly progressDeadlineSeconds: number;
  readonly onFailure: OnFailure;
  readonly minServing: number | Tolerance;
  readonly protect: readonly Protected[];
  readonly allowDowngrade: boolean;
  readonly maxVersionStep: number;
  readonly verify: Verification;
  readonly statuses: StatusWords;
  readonly windows: readonly DeploymentWindow[];
  readonly freezes: readonly Freeze[];
  readonly outsideWindow: OutsideWindow;
  readonly windowsBind: WindowsBind;
  readonly onConflict: ConflictPolicy;
  /** @default - a version that failed as bad is in quarantine for 30 days */
  readonly quarantine?: { readonly afterBad: string | 0 } | undefined;
  /** Fields that who starts a rollout may only make stricter. @default - each may be overridden in any way */
  readonly locked?: readonly Exclude<keyof RolloutPolicy, 'locked'>[] | undefined;
}

/** Selects endpoints of the runtime. `*` in a name stands for any run of characters. */
export interface Selection {
  /** Names of endpoints; without a name the id counts. They add up with `ids`. Both empty: all endpoints. */
  readonly names: readonly string[];
  readonly ids: readonly string[];
  readonly exclude: readonly string[];
  /** Of those, only endpoints with these attributes. @default - all of them */
  readonly where?: Where | undefined;
}

/** A name or an id, in which `*` stands for any run of characters, or attributes. */
export type Protected = string | { readonly where: Where };

/** A number of endpoints, or a share of them: `percent` is above 0 and at most 100. */
export type WaveSize = { readonly endpoints: number } | { readonly percent: number };

/**
 * The endpoints of a ring: those with these attributes, or as many of them as it takes to reach this size of the ring. A
 * share is one of the ring.
 */
export type Ring = { readonly where: Where } | ({ readonly where: Where } & WaveSize);

/**
 * The endpoints of one wave: those with these names, those of a ring, or as many as it takes to reach this size in all.
 */
export type Wave = (WaveSize | { readonly names: readonly string[] } | Ring) & {
  /** Seconds for this wave alone. @default - the policy's bakeSeconds */
  readonly bakeSeconds?: number | undefined;
  /** Its rolls go only within one of these, whatever else holds them back. @default - at any time */
  readonly windows?: readonly DeploymentWindow[] | undefined;
};

/** A number of endpoints, or a share of them from 0 to 100. A share of a wave is rounded down. */
export type Tolerance = { readonly endpoints: number } | { readonly percent: number };

export const FAILURE_POLICIES = ['stop-old', 'roll-back', 'hold'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/**
 * The two kinds of failure.
 * - `stuck`: an endpoint did not get to the version.
 * - `bad`: it got there and is no good. It was confirmed converged and is lost, a gate said no, or a person.
 */
export const FAILURE_KINDS = ['stuck', 'bad'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export type OnFailure = FailurePolicy | Readonly<Record<FailureKind, FailurePolicy>>;

export function policyAfter(failure: FailureKind, onFailure: OnFailure): FailurePolicy {
  return typeof onFailure === 'string' ? onFailure : onFailure[failure];
}

export function mayStop(onFailure: OnFailure): boolean {
  return FAILURE_KINDS.some((kind) => policyAfter(kind, onFailure) === 'stop-old');
}

/** How long the wave bakes that bakes least. */
export function shortestBakeOf({ waves, bakeSeconds }: RolloutPolicy): Seconds {
  return Math.max(0, Math.min(...waves.map((wave) => wave.bakeSeconds ?? bakeSeconds)));
}

/** A warm-up that outlasts a bake would keep every gate of that wave from saying anything. `undefined`: it fits. */
export function faultOfWarmUp(warmUpSeconds: Seconds, policy: RolloutPolicy): string | undefined {
  const shortest = shortestBakeOf(policy);
  return warmUpSeconds > shortest ? `use at most the shortest bake, ${shortest}` : undefined;
}

/** What is checked in the bake and after it, besides that every endpoint is still converged. */
export interface Verification {
  readonly approval: Approval | null;
  readonly everySeconds?: number | undefined;
  readonly warmUpSeconds?: number | undefined;
  /** @default 'refuse' */
  readonly redAtStart?: RedAtStart | undefined;
  /** What each gate of `lib/gates` is asked. `null`, an empty list or no such field: it is not asked. */
  readonly [gate: string]: unknown;
}

/**
 * What happens when a gate that can be asked before anything is rolled says no then.
 * - `refuse`: nothing is rolled.
 * - `ignore`: its no counts once it was green, and at the end of a bake. The rollout may be the fix.
 */
export const RED_AT_START = ['refuse', 'ignore'] as const;
type RedAtStart = (typeof RED_AT_START)[number];

export interface Approval {
  readonly timeoutSeconds: number;
  readonly onTimeout: 'approve' | 'reject';
  /** How many people have to say yes. @default 1 */
  readonly count?: number | undefined;
  /** The yes of whoever started the rollout does not count. @default - it does */
  readonly notTheStarter?: boolean | undefined;
}

/** Whether it matters who says yes, and not only that somebody does: that takes names that are proven. */
export function countsPeople(approval: Approval | null): boolean {
  return approval !== null && ((approval.count ?? 1) > 1 || approval.notTheStarter === true);
}

/** A time on some days, as the clocks of a zone show it: `09:00`. */
export interface DeploymentWindow {
  readonly days: readonly Weekday[];
  readonly from: string;
  /** The first minute after the window, on the next day if it is before `from`. `24:00`: the end of the day. */
  readonly to: string;
  readonly timeZone: string;
}

/** A time without rollouts, as the clocks of a zone show it: `2026-12-18T18:00`. */
export interface Freeze {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly reason?: string | undefined;
}

/** What happens to a rollout that is asked for outside the windows or in a freeze. */
export const OUTSIDE_WINDOW = ['wait', 'refuse'] as const;
export type OutsideWindow = (typeof OUTSIDE_WINDOW)[number];

/** What windows and freezes bind, those of a hold included: the start of a rollout, or each roll forward as well. */
export const WINDOWS_BIND = ['start', 'rolls'] as const;
export type WindowsBind = (typeof WINDOWS_BIND)[number];

/** What happens to a rollout that is asked for while another one of the same runtime is under way. */
export const CONFLICT_POLICIES = ['refuse', 'latest'] as const;
type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
