import * as z from 'zod';
import type { SecretSource } from '../contract/input/secret-source.ts';
import type { Instant, Ms, Watched } from '../domain/clock.ts';
import type { Endpoint, PlannedEndpoint } from '../domain/endpoint/endpoint.ts';
import type { Pattern } from '../domain/planning/patterns.ts';
import type { AskedReading, GateNo, GateReading, KeptAnswer } from '../domain/rollout/gates.ts';
import type { RolloutPolicy } from '../domain/rollout/policy.ts';
import type { RolloutRequest } from '../domain/rollout/request.ts';

/** When a gate is asked that a wave waits for before it begins. */
export const AHEAD = ['before-rollout', 'before-wave'] as const;
export type Ahead = (typeof AHEAD)[number];

/**
 * When a gate may be asked.
 * - `trial`: before anything is rolled, only to find out whether it can be answered.
 * - `start`: the same, to find out whether it is red. No answer is not red, and without data nothing is.
 * - `before-rollout`, `before-wave`: a yes has to be there before the first roll of a rollout, or of a wave.
 * - `bake`: while endpoints converge and waves bake.
 * - `bake-end`: at the end of a bake, and after it.
 */
export type When = 'trial' | 'start' | Ahead | 'bake' | 'bake-end';

export const IN_BAKE: readonly When[] = ['bake', 'bake-end'];

export type Question = TrialQuestion | StartQuestion | QuestionAhead | AskedWave;

/**
 * A question besides the list that is asked before a wave is trusted. Everything that the product knows of a kind of
 * gate is one of these, in a file of its own; `gates.ts` lists them all.
 *
 * `Port` is the port through which it asks. An adapter is behind the port, so that a gate itself needs no SDK. Asking
 * never throws: silence is an answer.
 */
export interface Gate<
  Schema extends z.ZodType = z.ZodType,
  Port = never,
  Of extends 'endpoint' | 'wave' | 'itself' = 'endpoint' | 'wave' | 'itself',
> {
  /** What its answers are called in records and for people: `alarm`. */
  readonly kind: string;
  /**
   * - `endpoint`: a question is about one endpoint, and each of a wave is asked about in turn. After a no, the rest of the
   *   wave is not asked any more.
   * - `wave`: about all of them together.
   * - `itself`: about no endpoints. It needs no list, and a group may have it too.
   */
  readonly of: Of;
  /**
   * Its field in `verify`, with its help and its default. `null` or an empty list means that it is not asked. What has
   * `enforce` false, of a list each by itself, only watches.
   */
  readonly schema: Schema;
  /** When it is asked; of a list, each by itself. */
  answers(said: One<Said<Schema>>): readonly When[];
  /** Asks what is asked then. In a trial a yes says that it can be answered. */
  ask(said: Said<Schema>, question: Question, port: Port): Promise<readonly NamedAnswer[]>;
  /** What has to be so for a yes, in lines of a plan. */
  describe(said: Said<Schema>): readonly string[];
  /** What it calls, may do and needs. @default - nothing */
  needs?(said: Said<Schema>): Needs;
  /** What is said with these hosts to be called over plain http, if it does not say others. @default - the same */
  allowHttp?(said: Said<Schema>, hosts: readonly string[]): Said<Schema>;
  /** What does not fit the rest of a policy. @default - everything fits */
  misfits?(said: Said<Schema>, policy: RolloutPolicy): readonly Misfit[];
  /** Whether it can be answered, as the list alone shows it. Nothing is asked. @default - the list does not show it */
  readList?(said: Said<Schema>, list: PlannedList): Tried;
  /** The port in rehearsals. @default - another gate has the same port */
  rehearse?(fleet: RehearsedFleet): Partial<Port>;
}

/** One of a list, or what is no list. */
type One<Said> = Said extends readonly (infer Each)[] ? Each : Said;

/** What a gate calls, may do and needs. @default - nothing */
export interface Needs {
  /** The origins that it calls over HTTP, and for hosts that only a list knows their patterns: those are never called through a proxy. */
  readonly calls?: readonly string[];
  /** The URLs that `verify` names for it, by their places seen from the field of the gate. */
  readonly urls?: readonly NamedUrl[];
  /** What the function that asks may do on AWS. */
  readonly grants?: readonly Grant[];
  /** The secrets that it needs, by where `verify` names them. */
  readonly secrets?: Readonly<Record<string, SecretSource>>;
  /** What of it nobody can ask on AWS, in sentences. */
  readonly faultsOnAws?: readonly string[];
  /** The words in it that are there to match endpoints, by their places seen from its field. */
  readonly patterns?: readonly Pattern[];
}

/** Whether a gate decides anything, or only watches. */
export const enforce = z
  .boolean()
  .optional()
  .describe(
    'false: it only watches. It is asked as the others are, and decides nothing. Default: true.',
  );

/** What a policy says of a gate that is asked. */
export type Said<Schema extends z.ZodType> = NonNullable<z.output<Schema>>;

export interface GateAnswer {
  readonly verdict: GateReading['verdict'];
  /** The answer for people: `200`, `503`, `no answer in 5 s`, `ALARM`, `12 in 3 min`. It never contains a body. */
  readonly detail: string;
  /** What a person has to do, because the answer will always be `unknown` until then. @default - waiting may help */
  readonly mend?: string;
  /** Whether what has to be mended may be gone at a second look: a token is renewed, a server deployed. @default false */
  readonly mayPass?: boolean;
  /** What its gate is called, besides the kind. @default - as the answer */
  readonly gate?: string;
}

/** @see AskedReading */
export type NamedAnswer = GateAnswer &
  Pick<AskedReading, 'name' | 'endpointId' | 'kept' | 'series'>;

/** What is asked of waves that roll, bake or have baked. */
export interface AskedWave {
  readonly when: 'bake' | 'bake-end';
  readonly request: Pick<RolloutRequest, 'rolloutId' | 'runtimeId' | 'desiredVersion'>;
  /** The last wave of those that are asked about, 1-based. */
  readonly wave: number;
  /** Those that have converged and are asked about now, as the last list shows them. The accused ones come first. */
  readonly endpoints: readonly Endpoint[];
  /** Those of them whose wave has converged. What is asked about a time is asked about them alone. */
  readonly settled: readonly Endpoint[];
  /** Their live versions before the rollout, by the ids of endpoints. */
  readonly previousVersions: ReadonlyMap<string, number | null>;
  /** When all of them had converged, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly now: Instant;
  /** How long the last wave has baked. */
  readonly bakedMs: Ms;
  /** By the clock of the rollout. */
  readonly watched: Watched;
  /** What gates that keep their own time have said before. */
  readonly kept: readonly KeptAnswer[];
  /** The noes that stand. */
  readonly noes: readonly GateNo[];
}

/** What a wave that is about to begin waits for. A yes stands until it begins, unless the gate says for how long. */
export interface QuestionAhead extends Pick<AskedWave, 'request' | 'now' | 'watched' | 'kept'> {
  readonly when: Ahead;
  /** 1-based. */
  readonly wave: number;
  /** The endpoints of the wave, or all that the rollout would roll. */
  readonly endpoints: readonly EndpointAhead[];
}

/** An endpoint that is about to be rolled, as the last list shows it. */
export interface EndpointAhead extends Pick<Endpoint, 'id' | 'name' | 'url'> {
  /** Its live version before the rollout. */
  readonly previousVersion: number | null;
}

export interface StartQuestion extends Pick<RolloutRequest, 'runtimeId' | 'desiredVersion'> {
  readonly when: 'start';
  readonly now: Instant;
}

export interface TrialQuestion extends Omit<StartQuestion, 'when'> {
  readonly when: 'trial';
  /** Names of the endpoints that are asked about. */
  readonly endpoints: readonly string[];
}

/** An entry of a policy of AWS. */
export interface Grant {
  readonly actions: readonly string[];
  /** ARNs. */
  readonly resources: readonly string[];
}

/** A URL that somebody has written into a policy. */
export interface NamedUrl {
  readonly path: readonly PropertyKey[];
  readonly url: string;
}

/** Their origins. Where an app of the CDK is synthesized, a URL may be known only where the stack is deployed. */
export function originsOf(urls: readonly NamedUrl[]): readonly string[] {
  return urls.flatMap(({ url }) => (URL.canParse(url) ? [new URL(url).origin] : []));
}

export interface Misfit {
  /** Its place, seen from the field of the gate. */
  readonly path: readonly PropertyKey[];
  readonly input: unknown;
  readonly message: string;
}

/** A whole list, and the endpoints of it that would be rolled. */
export interface PlannedList extends Pick<RolloutPolicy, 'statuses'> {
  readonly planned: readonly Pick<PlannedEndpoint, 'endpointId'>[];
  readonly endpoints: readonly Endpoint[];
}

/** What a gate is like before anything is rolled. */
export interface Tried {
  /** What a person has to mend before it can be answered, in a sentence for each reason. */
  readonly faults: readonly string[];
  /** Whether a second look may find fewer of them. @default false */
  readonly mayPass?: boolean;
  /** What gave no answer, although nobody has to mend anything. Without a full stop. @default - nothing */
  readonly silent?: string | undefined;
  /** What was found. Without a full stop. @default - nothing */
  readonly found?: string | undefined;
}

export function answer(detail: string, isPassed: boolean): GateAnswer {
  return { verdict: isPassed ? 'pass' : 'fail', detail };
}

/** No answer. */
export function silent(detail: string, mend?: string | null, mayPass = false): GateAnswer {
  return { verdict: 'unknown', detail, ...(mend != null && { mend, ...(mayPass && { mayPass }) }) };
}

/** The fleet of a rehearsal. */
export interface RehearsedFleet {
  /** The HTTP status that a request to this URL is answered with. */
  statusAt(url: string): number;
  /** Names of the endpoints that the version to roll to has made sick. */
  sick(): readonly string[];
}
