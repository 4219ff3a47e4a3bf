import type { Attributes } from '../../../lib/domain/endpoint/attributes.ts';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { HOLD_KINDS, Hold } from '../../../lib/domain/holds/hold.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { FailurePolicy, RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { CheckAnswer } from '../../../lib/gates/check-answer.ts';
import type { Check, CheckQuestion } from '../../../lib/gates/checks.ts';
import type { ListFault, While, WriteFault } from '../../../lib/rehearsal/faults.ts';
import type { Death } from '../../../lib/rehearsal/mortal-ledger.ts';
import type { Stall } from '../../support/stalling-ledger.ts';

/** One rollout from version 1 to 2, and everything that goes wrong in it. Plain data, so it can be printed. */
export interface Ordeal {
  readonly endpoints: readonly {
    readonly name: string;
    readonly version: number;
    readonly attributes?: Attributes;
  }[];
  readonly rollSeconds: number;
  readonly policy: OrdealPolicy;
  /** Faults of the simulated endpoints, as in a scenario file. */
  readonly broken: readonly BrokenEndpoint[];
  readonly lists: readonly ListFault[];
  readonly writes: readonly WriteFault[];
  readonly people: readonly Act[];
  /** Something that is said to the rollout just when one of its writes arrives. */
  readonly word: Word | null;
  readonly alarms: readonly AlarmFault[];
  /** What an alarm says that only watches. @default - there is none */
  readonly watcher?: AlarmFault;
  readonly clock: ClockJump | null;
  /** The event bus takes nothing for a while. */
  readonly busDown: While | null;
  readonly death: OrdealDeath | null;
  /** Seconds after which a killed process is resumed. `null`: nobody does, and another rollout takes its place. */
  readonly resumesAfter: number | null;
  readonly stall: Stall | null;
  /** Releases after this one, each of which fails everywhere. */
  readonly badReleases: number;
  /** `null`: nobody else has the runtime. */
  readonly earlier: Earlier | null;
  /** `null`: no newer one was asked for before it. */
  readonly ahead: Ahead | null;
  /** What the list shows in another way than it is. */
  readonly guises: readonly Guise[];
  /** Somebody undoes it once it has ended. `null`: nobody does. */
  readonly undo: Undo | null;
  readonly latencyMs: number;
  /** Seconds that it has to wait before it may begin: a freeze ends then. */
  readonly opensAfter: number;
  /** How many events an execution may have in its history before it hands over to the next one. */
  readonly executionEvents: number;
  /** How many seconds an execution may take. */
  readonly executionSeconds: number;
  /** Its service cannot stop endpoints, repeats rolls and moves an endpoint by itself. */
  readonly cannotStop: boolean;
  /** How it is asked for. `null`: version 2 is, and whatever the plan will be is welcome. */
  readonly asked: Asked | null;
  /** When rollouts may begin. `null`: at any time after `opensAfter`. */
  readonly hours: Hours | null;
  /** Probes and metrics that say something else than a yes. */
  readonly readings: readonly GateFault[];
  /** The client of the product runs under it, with this way to the service. `null`: the service is called directly. */
  readonly wire: Wire | null;
  /** What people hold. @default - nothing */
  readonly held?: Held;
  /** Somebody ends bakes early. @default - nobody does */
  readonly promotions?: readonly Promotion[];
  /** It has a check of its own. @default - none */
  readonly check?: DrawnCheck;
  /** Its policy counts people, who answer. @default - it does not */
  readonly voters?: Voters;
}

/** An approval that counts people, and what people answer to each wave. */
export interface Voters {
  readonly count: number;
  readonly notTheStarter: boolean;
  readonly timeoutSeconds: number;
  readonly votes: readonly Vote[];
}

export interface Vote {
  readonly kind: 'approve' | 'reject';
  readonly person: string;
  /** Seconds after somebody was asked, or when the wave goes on without further answers. */
  readonly after: number | 'decision';
}

/** A check of the rollout's own, and what it answers. */
export interface DrawnCheck extends Pick<Check, 'when' | 'deadlineSeconds'> {
  /** It decides, and does not only watch. */
  readonly isEnforced: boolean;
  /** How long a yes stands. `null`: as the policy says nothing. */
  readonly everySeconds: number | null;
  /** For so many seconds after the first question about a wave it is at work. */
  readonly worksFor: number;
  /** So many seconds after an answer it wants to be asked again, while it is at work. */
  readonly delaySeconds: number;
  /** When it says something else than a yes. */
  readonly faults: readonly AlarmFault[];
}

/** What a check was asked, when, in milliseconds since the Unix epoch, and what it has said. */
export interface CheckCall
  extends CheckAnswer,
    Pick<CheckQuestion, 'rolloutId' | 'wave' | 'when' | 'attempt'> {
  readonly at: number;
}

/** The holds beside a rollout, and what it is to them. */
export interface Held {
  readonly holds: readonly DrawnHold[];
  /** It is a runtime of the group that is held, whose rollout has started it. */
  readonly isOfGroup: boolean;
  /** Its policy refuses what may not start now, instead of letting it wait. */
  readonly refuses: boolean;
  /** A person wants its version although that is in quarantine. */
  readonly isAgain: boolean;
  /** It runs in a process that listens while it waits. */
  readonly listens: boolean;
}

/** One hold. Plain data. */
export interface DrawnHold {
  readonly kind: (typeof HOLD_KINDS)[number];
  /** `parent`: the rollout of the group that has started this one. `version before`: version 1. */
  readonly on:
    | 'everything'
    | 'group'
    | 'runtime'
    | 'rollout'
    | 'parent'
    | 'version'
    | 'version before'
    | 'another group'
    | 'another runtime'
    | 'another rollout'
    | 'another version'
    | 'endpoint';
  /** Only of a pin: the name of its endpoint. */
  readonly endpoint?: string;
  /** Only of a pin: the rollout passes it. @default - it heeds it */
  readonly isPassed?: true;
  /** In seconds since the start, before that, or just after a moment of the rollout. `refused`: a roll is, for now. */
  readonly from: number | 'before' | 'opened' | 'refused' | 'wave-converged' | 'failing' | 'ended';
  /** From when it is added to its end. A pin has none. */
  readonly seconds: number;
  /** Seconds after which somebody lifts it. `null`: it ends by itself. */
  readonly liftedAfter: number | null;
}

/** A hold that was added, and when it was over: lifted, or at its end. In milliseconds since the Unix epoch. */
export interface SeenHold extends DrawnHold {
  readonly id: Hold['id'];
  readonly addedAt: number;
  readonly overAt: number;
}

/** Somebody promotes a wave some seconds after it has converged, and with it all that follow. */
export interface Promotion {
  /** 0-based. */
  readonly wave: number;
  readonly afterSeconds: number;
  readonly isFull: boolean;
}

/** The way to the service. After the exchanges that it has, all further ones go as they should. */
export interface Wire {
  readonly auth: 'none' | 'bearer' | 'client-credentials';
  /** So long a token from the token endpoint is good. */
  readonly tokenSeconds: number;
  /** Of requests that read, that write, and for a token, in the order in which they are sent. */
  readonly reads: readonly Exchange[];
  readonly writes: readonly Exchange[];
  readonly tokens: readonly Exchange[];
}

/**
 * What becomes of one request.
 * - `refused`: there is no connection. `waits`: there is one after so many seconds.
 * - `dropped`, `unheard`: the socket is reset before it is carried out, or after it.
 * - `slow`: the answer comes so many seconds after it was carried out. `late`: it is carried out so many seconds later.
 * - `throttled`, `unavailable`: 429 or 503, with a Retry-After of so many seconds, or with another one.
 * - `expired`: 401, the token is good no more. `forbidden`: 403.
 * - `empty`, `envelope`, `page`: 200 without a body, with the body in `data`, or with a page for people.
 */
export interface Exchange {
  readonly kind:
    | 'plain'
    | 'refused'
    | 'waits'
    | 'dropped'
    | 'unheard'
    | 'slow'
    | 'late'
    | 'throttled'
    | 'unavailable'
    | 'expired'
    | 'forbidden'
    | 'empty'
    | 'envelope'
    | 'page';
  readonly seconds: number;
  readonly retryAfter: 'none' | 'seconds' | 'date' | 'nonsense';
}

export type OrdealPolicy = Pick<
  RolloutPolicy,
  | 'waves'
  | 'maxUnavailable'
  | 'failureThreshold'
  | 'onFailure'
  | 'bakeSeconds'
  | 'pollSeconds'
  | 'maxPollSeconds'
  | 'progressDeadlineSeconds'
  | 'selection'
  | 'minServing'
  | 'protect'
  | 'allowDowngrade'
  | 'maxVersionStep'
  | 'onConflict'
  | 'verify'
  | 'maxAtRisk'
> &
  Partial<Pick<RolloutPolicy, 'statuses' | 'windows' | 'windowsBind'>>;

/** What a rollout is asked for in another way than by version 2 alone. */
export type Asked =
  /** Somebody has agreed to the plan, and that is how the request differs from what was shown. */
  | { readonly kind: 'plan'; readonly since: PlanChange }
  /** The version is that of an endpoint, which is version 2 unless it has none by then. */
  | {
      readonly kind: 'source';
      readonly endpoint: string;
      readonly state: 'settled' | 'stopped' | 'moving';
    }
  /** The service lists its versions, and so it is with version 2 for so many seconds. */
  | {
      readonly kind: 'listed';
      readonly version: 2 | 'latest';
      /** `secret`: it lists no versions at all. */
      readonly state: 'ready' | 'making' | 'unlisted' | 'failing' | 'secret';
      readonly seconds: number;
      /** It lists none above version 2. */
      readonly isNewest: boolean;
    }
  /** The service takes no version above this one. */
  | { readonly kind: 'highest'; readonly version: 1 | 2 }
  /** It says who asks, when that was, in seconds since the start, and at which service. */
  | {
      readonly kind: 'by';
      readonly who: 'person' | 'release';
      readonly askedAfter: number;
      readonly service: 'ours' | 'another' | null;
    };

/** `how` and `when`: the plan was shown with other settings, those that change it and those that only delay it. */
export interface PlanChange {
  readonly kind: 'nothing' | 'how' | 'when' | 'version' | 'mistyped';
  readonly shownWith: Partial<RolloutPolicy>;
}

export interface Hours extends Pick<RolloutPolicy, 'windows' | 'freezes' | 'outsideWindow'> {
  /** When these let a rollout begin, in seconds since the start, over the next 9 days. */
  readonly openings: readonly (readonly [from: number, to: number])[];
}

/**
 * What one of the gates says for a while. `flaky`: all tries of a probe but the last one fail. `silent`: a metric has
 * no data, and a probe is not answered at all. `unreadable`: nobody may read the metrics.
 */
export interface GateFault extends While {
  readonly gate: 'probe' | 'metric';
  readonly says: 'bad' | 'silent' | 'flaky' | 'unreadable';
  /** Name of an endpoint. */
  readonly endpoint: string;
}

/** `since`: the event after which the calls are counted. `null`: the start of the rollout. */
export interface OrdealDeath extends Death {
  readonly since: RolloutEvent['kind'] | null;
}

/** Another rollout that has the runtime when this one is asked for. */
export interface Earlier {
  readonly version: 1 | 2 | 3;
  /** When it was asked for, in seconds since the start of this one. */
  readonly askedAfter: number;
  /** When it ends by itself, or when the lease runs out of one that is dead, in seconds since the start. */
  readonly endsAfter: number;
  readonly isDead: boolean;
  /** Seconds after it was asked to. `null`: it never does. */
  readonly givesWayAfter: number | null;
  /** Of two at the same time for the same version, the one with the later id counts as the newer one. */
  readonly rolloutId: 'earlier' | 'the-earlier';
  /** It took the lease, and its request is not the latest one that is known. */
  readonly isUnknown: boolean;
  /** It is of another service. */
  readonly isElsewhere: boolean;
}

/** A newer request for the runtime, whose rollout has not got it. */
export interface Ahead {
  readonly version: 1 | 2 | 3;
  /** When it was asked for, in seconds since the start of this one. */
  readonly askedAfter: number;
  /** When it is to look again, in seconds since the start. `null`: it has begun. */
  readonly wakesAfter: number | null;
  /** `unknown`: the ledger has no record of it. */
  readonly state: 'unknown' | 'waiting' | 'taken back';
}

/** How the service shows an endpoint. */
export interface Guise {
  /** Its true name. */
  readonly endpoint: string;
  /** `null`: it is missing. */
  readonly shown: Partial<Endpoint> | null;
  /** Numbers of the reads that show it so, 1-based. `until rolled`: as long as its target is version 1. */
  readonly during: readonly number[] | 'always' | 'until rolled';
}

/** Whoever undoes it has a policy that would keep a release from its beginning, and gates that would fail it. */
export interface Undo {
  /** Seconds after its end. */
  readonly afterSeconds: number;
  /** What somebody does to endpoints at its end. */
  readonly meanwhile: readonly Meanwhile[];
  /** So many reads of the list show how it was before the rollout. */
  readonly oldReads: number;
}

export interface Meanwhile {
  readonly endpoint: string;
  /** `null`: it is stopped. Otherwise it is moved there. */
  readonly version: number | null;
}

interface BrokenEndpoint {
  readonly endpoint: string;
  /** @default 2 */
  readonly version?: number;
  readonly kind: string;
  readonly rollSeconds?: number;
  readonly afterSeconds?: number;
  readonly afterReplicas?: number;
  readonly status?: string;
  readonly reason?: string;
  readonly httpStatus?: number;
  readonly times?: number;
  readonly fromSecond?: number;
  readonly seconds?: number;
}

/**
 * An abort in the midst of writes, when it rolls, when it stops, or on the way back. `failed`: just before the step
 * after the one that has told of the failure. `close`: just before its outcome is stored.
 */
export interface Word {
  /** `null`: nobody says what is to be done, and everything is left. */
  readonly said: 'hold' | 'stop-old' | 'roll-back' | null;
  readonly at: 'roll' | 'roll-back' | 'stop' | 'failed' | 'close';
  /** 1-based: which write of this kind. */
  readonly nth: number;
}

/** The alarm that every wave has to pass says something else than a yes for a while. */
export interface AlarmFault extends While {
  readonly verdict: 'fail' | 'unknown';
}

/** The clock of the steps is off for a while. */
export interface ClockJump extends While {
  readonly offsetMs: number;
}

/**
 * What somebody else does. `before`: just before the rollout begins. `rolled`: just after it has rolled the endpoint for
 * the first time. `seen`: some seconds after that, when a list may have shown it.
 */
export type Act = { readonly atSecond: number | 'before' | 'rolled' | 'seen' } & (
  | { readonly kind: 'move'; readonly endpoint: string; readonly version: number }
  | { readonly kind: 'stop'; readonly endpoint: string }
  | { readonly kind: 'create' }
  | { readonly kind: 'approve'; readonly wave: number }
  | {
      readonly kind: 'reject';
      readonly wave: number;
      /** @default - the policy decides */
      readonly onFailure?: FailurePolicy;
    }
  | {
      readonly kind: 'abort';
      /** `null`: nobody says what is to be done, and everything is left. */
      readonly onFailure: 'stop-old' | 'roll-back' | 'hold' | null;
    }
  | { readonly kind: 'rival' }
  /** A release that was asked for an hour before this one. */
  | { readonly kind: 'stale' }
  /** A newer release of the same version. */
  | { readonly kind: 'twin' }
  /** A newer release of version 1, whose policy allows no downgrade. */
  | { readonly kind: 'lower' }
  /** A release of the highest version that there can be. */
  | { readonly kind: 'absurd' }
  /** A newer release that asks this one to give way, and whose process is gone then. */
  | { readonly kind: 'vanishing' }
);

/** Releases of others. */
export type ReleaseKind = Extract<Act['kind'], 'rival' | 'stale' | 'twin' | 'lower' | 'absurd'>;

const RELEASES: ReadonlySet<string> = new Set<ReleaseKind>([
  'rival',
  'stale',
  'twin',
  'lower',
  'absurd',
]);

export function isRelease({ kind }: Act): boolean {
  return RELEASES.has(kind);
}

/** Its process neither dies nor stands still, and its clock is right. */
export function isSteady({ death, stall, clock }: Ordeal): boolean {
  return [death, stall, clock].every((one) => one === null);
}

/** Its policy lets endpoints be lost. */
export function toleratesLosses({ policy: { failureThreshold } }: Ordeal): boolean {
  return !('endpoints' in failureThreshold) || failureThreshold.endpoints > 0;
}

/** Its process may die, and nobody goes on with it. */
export function wasLeft({ death, resumesAfter }: Ordeal): boolean {
  return death?.error === 'Killed' && resumesAfter === null;
}

/** Some writes are answered with a yes that cannot be read. It counts once the list shows that they have arrived. */
export function isAnsweredOddly(wire: Wire | null): boolean {
  return wire?.writes.some(({ kind }) => kind === 'envelope' || kind === 'page') === true;
}
