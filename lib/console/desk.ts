import type { RehearsalParts } from '../cli/rehearsal/describe-rehearsal.ts';
import type { Containment } from '../domain/containment/failure-policies.ts';
import type { HoldScope } from '../domain/holds/hold.ts';
import type { OutcomeKind } from '../domain/rollout/outcome.ts';
import type { FailurePolicy } from '../domain/rollout/policy.ts';
import type { Course } from '../telling/story/course.ts';
import type { FateGroup } from '../telling/story/fates.ts';
import type { Happening } from '../telling/story/happenings.ts';
import type { Phase } from '../telling/story/phase.ts';
import type { WaveCount } from '../telling/story/standing.ts';
import type { VersionSince } from '../telling/story/versions.ts';
import type { ListedRollout } from '../telling/view/listed.ts';
import type { RolloutView, Want } from '../telling/view/rollout-view.ts';
import type { Coming } from '../telling/words/coming.ts';
import type { ToldDrift } from '../telling/words/drift.ts';
import type { ToldReport } from '../telling/words/report.ts';
import type {
  Act,
  HistoryQuery,
  HoldAsked,
  LiftAsked,
  RehearsalAsked,
  ReportQuery,
  RuntimeQuery,
} from './asked.ts';

/**
 * What the console's server asks for, whatever engine it was started with. The console keeps nothing: every answer is
 * read anew. All sentences are those of the command line.
 */
export interface Desk {
  look(): Promise<OpenRollouts>;
  /** Rollouts that have ended, the last one first. */
  history(query: HistoryQuery): Promise<PastRollouts>;
  /** Throws `RolloutNotFound`. */
  tell(rolloutId: string): Promise<ToldRollout>;
  /** How the plan of a rollout was expected to go. `null`: it has none. Throws `RolloutNotFound`. */
  foresee(rolloutId: string): Promise<Course | null>;
  runtime(runtimeId: string, query: RuntimeQuery): Promise<RuntimeStory>;
  /** What happened since a time, to hand it over. Throws `InvalidInput`. */
  report(query: ReportQuery): Promise<ReportStory>;
  /** Where endpoints are beside where rollouts have brought them. The service is asked. Throws `InvalidInput` without one. */
  drift(runtimeId: string): Promise<DriftStory>;
  /** What will come, if nobody does anything. */
  coming(): Promise<ComingStory>;
  /** The endpoints whose name or id is this text, or begins with it. The service is not asked. */
  find(text: string): Promise<FoundEndpoints>;
  /**
   * Does what a person has asked for.
   *
   * Throws `RolloutNotFound`, `RolloutClosed`, `ApprovalNotWanted`, `NothingBakes`, `NotUnderstood`, `NothingToRetry`,
   * `NothingToRevert`, `LeaseHeld`, `InvalidInput`, and for what runs something, what a start throws.
   */
  act(rolloutId: string, act: Act): Promise<Done>;
  /** Adds a hold. Throws `RolloutNotFound`, `RolloutClosed`, `InvalidInput`. */
  hold(asked: HoldAsked): Promise<Done>;
  /** Lifts a hold. Throws `NotHeld`, and `Held` when it is another person's. */
  lift(holdId: string, asked: LiftAsked): Promise<Done>;
  /** The runtimes of the configuration, and those that the ledger knows. */
  runtimes(): Promise<readonly string[]>;
  /** Rehearses a rollout in virtual time. Throws what `steproll rehearse` throws. */
  rehearse(asked: RehearsalAsked): Promise<RehearsalStory>;
}

export interface DriftStory extends ToldDrift {
  readonly hasDrifted: boolean;
}

export interface ComingStory {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly coming: readonly Coming[];
}

export interface ReportStory extends ToldReport {
  /** All of it as text to paste. */
  readonly text: string;
}

export interface Done {
  /** What was done, and what follows. */
  readonly message: string;
  /** The id of the rollout that was started. `null`: none was. */
  readonly rolloutId: string | null;
  /** When the rollout was told it, as `Told` has it. @default - no rollout was told anything */
  readonly toldAt?: number | undefined;
}

export interface RehearsalStory extends RehearsalParts {
  /** The holds that keep a real one from starting now. */
  readonly held: readonly string[];
  readonly hasSucceeded: boolean;
  /** The picture. `null`: the rollout never began. */
  readonly course: Course | null;
}

/** Every rollout that has not ended, at one moment. */
export interface OpenRollouts {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Where the rollouts run and are recorded, in words. */
  readonly place: string;
  /** Those that want something of people, then the newest. */
  readonly rollouts: readonly OpenRollout[];
  /** The id of the newest rollout, ended or not. `null`: there is none. */
  readonly newest: string | null;
  /** Every hold in force, the widest first. */
  readonly holds: readonly StandingHold[];
  /** What a command of the pages begins with in a shell where nothing is set. The text ends with a space, or is empty. */
  readonly shell: string;
  /** Whether a rollout that somebody resumes or starts on the pages runs in the process of the console. */
  readonly runsHere: boolean;
}

export interface StandingHold {
  readonly id: string;
  /** Of several kinds with one id, all. */
  readonly kinds: readonly string[];
  readonly scope: HoldScope;
  /** What it is on, in words. */
  readonly on: string;
  readonly by: string;
  /** Whether it is of the person who started the console. */
  readonly isOwn: boolean;
  readonly reason: string;
  /** Milliseconds since the Unix epoch. */
  /** `null`: until somebody lifts it. */
  readonly until: number | null;
}

export interface OpenRollout extends ListedRollout {
  /** The 1-based wave whose bake somebody may end. */
  readonly bakes: number | null;
  /** What it does now, with its countdowns. */
  readonly state: string;
  /** The same without countdowns, and without when one whose process is dead was heard of last. */
  readonly stage: string;
  readonly wants: readonly Want[];
  /** Whether a roll takes far too long, or nobody lets it in; of a group: whether that is so of its runtimes. */
  readonly isStuck: boolean;
  /** The courses of its gates that have said anything but yes, in words. */
  readonly gates: readonly string[];
  /** When it goes on and ends, in words. `null`: nobody can say. */
  readonly forecast: string | null;
  readonly isAbandoned: boolean;
  readonly phase: Phase['phase'];
  /** The time that counts for it, in milliseconds since the Unix epoch: its last sign of life, if its process is dead. */
  readonly at: number;
  /** The ids of the holds that keep it from its next roll. */
  readonly pausedBy: readonly string[];
  readonly waves: readonly WaveCount[];
  /** What was done so far, in time. */
  readonly course: Course;
  /** The last happenings, the newest first. */
  readonly news: readonly ToldHappening[];
  /** A text that changes with every change of its record. */
  readonly stamp: string;
}

export interface PastRollouts {
  /** Those that fit, and after each group those of its runtimes. */
  readonly rollouts: readonly PastRollout[];
  /** How many there are that the filters fit, among those that were looked through, without those of a group that does. */
  readonly found: number;
  /**
   * What failed in the last hour and is not passed, whatever the filters are, the last one first: a group without the
   * runtimes that it failed with.
   */
  readonly failed: readonly (PastRollout & {
    /** What helps most now. `null`: nothing is known to, or nobody has looked. */
    readonly next: string | null;
  })[];
  /** What failed in the last hour, and its runtime got another version since then: nobody has to look at it. */
  readonly passed: readonly PastRollout[];
  /** What was refused in the last hour, before anything was written. */
  readonly refused: readonly PastRollout[];
  /** The runtimes and groups of all that were looked through. */
  readonly runtimes: readonly string[];
}

export interface PastRollout extends ListedRollout {
  /** What its runtime was asked for next, if that was the same. */
  readonly again: Attempt | null;
}

/** What the newest rollouts of the runtimes know of endpoints with a name or an id. */
export interface FoundEndpoints {
  /** At most 50: those with exactly this name or id first. */
  readonly endpoints: readonly FoundEndpoint[];
  readonly found: number;
  /** In the plans of so many rollouts was looked, the newest ones of so many runtimes. */
  readonly rollouts: number;
  readonly runtimes: number;
}

export interface FoundEndpoint {
  readonly endpointId: string;
  readonly name: string;
  readonly runtimeId: string;
  /** What became of it in the newest rollout that had it in its plan, in words. */
  readonly fate: string;
  /** Milliseconds since the Unix epoch: when it was seen to change last. `null`: it was not seen to. */
  readonly since: number | null;
  readonly rollout: Pick<
    ListedRollout,
    'rolloutId' | 'runtimeId' | 'version' | 'versionFrom' | 'versions' | 'revert'
  >;
}

/** Another rollout of the same runtime that was asked for the same. */
export interface Attempt {
  readonly rolloutId: string;
  /** `null`: it is under way. */
  readonly outcome: OutcomeKind | null;
  /** Milliseconds since the Unix epoch: when it ended, or began. */
  readonly at: number;
}

/** Something that happened in a rollout, in a sentence. */
export interface ToldHappening {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly kind: Happening['kind'];
  readonly text: string;
  /** What the rollout did after a person's signal, and whether it was heard. @default - nothing yet */
  readonly answer?: string;
}

/** A rollout, with everything that `steproll rollout show` tells of it. */
export interface ToldRollout {
  /** As `steproll rollout show -o json` prints it. */
  readonly report: RolloutView;
  /** The course of each gate, and what it says now. */
  readonly gates: readonly { readonly answer: 'yes' | 'no' | 'none'; readonly says: string }[];
  /** How it stands or how it ended, line by line. */
  readonly state: readonly string[];
  readonly isAbandoned: boolean;
  readonly plan: readonly string[];
  readonly course: Course;
  readonly happenings: readonly ToldHappening[];
  /** What became of the endpoints, the worst first. */
  readonly fates: readonly ToldFate[];
  /** What each failure policy would do with the endpoints, if the rollout was aborted or rejected with it. */
  readonly containments: Readonly<Record<FailurePolicy, Pick<Containment, 'halt' | 'consequence'>>>;
  /** What its own policy does after a failure. */
  readonly onFailure: FailurePolicy;
  /** What a retry would do. `null`: there is nothing to retry. */
  readonly retry: Offer | null;
  /** What a revert would do. `null`: there is nothing to take back. */
  readonly revert: Offer | null;
  /** What a resume would do. `null`: nobody has to resume it. */
  readonly resume: Offer | null;
  /** Whether its version may be put into quarantine. */
  readonly mayQuarantine: boolean;
  /** What its runtime was asked for before and after, if that was the same. */
  readonly before: Attempt | null;
  readonly after: Attempt | null;
  readonly stamp: string;
}

/** Something that somebody may want to do, and what it would do; or why it cannot be done now. */
export type Offer = { readonly says: readonly string[] } | { readonly whyNot: string };

export interface ToldFate extends Pick<FateGroup, 'fate' | 'reason' | 'statusReason'> {
  /** The fate of one endpoint, in words. */
  readonly words: string;
  /** How many have it, and their names. */
  readonly text: string;
}

/** What the ledger knows of one runtime or group. */
export interface RuntimeStory {
  /** How the newest 1,000 rollouts at most have ended, by their version: the newest versions that were asked for. */
  readonly versions: readonly EndsOfVersion[];
  /** How many versions these rollouts had. */
  readonly versionsFound: number;
  /** The newest few rollouts, which were read whole. */
  readonly newest: readonly (ListedRollout & {
    /** How many seconds a roll of one endpoint took. `null`: it cannot be told from this rollout. */
    readonly rollSeconds: number | null;
  })[];
  readonly endpoints: readonly VersionsOfEndpoint[];
}

export interface EndsOfVersion {
  readonly version: number;
  /** How many have ended in each way. */
  readonly ends: Readonly<Partial<Record<OutcomeKind, number>>>;
  /** `null`: none has failed. */
  readonly lastFailure: { readonly rolloutId: string; readonly message: string } | null;
}

export interface VersionsOfEndpoint {
  readonly endpointId: string;
  readonly name: string;
  /** What was live on it after each rollout of `newest`, in words. `null`: the rollout did not have it in its plan. */
  readonly after: readonly (string | null)[];
  /** The same in time, as far as it is known. */
  readonly inTime: readonly VersionSince[];
}
