import * as z from 'zod';
import type { SecretSource } from '../contract/parsing/secret-source.ts';
import type { Instant, Ms, Watched } from '../domain/clock.ts';
import { type Endpoint, listNames, type PlannedEndpoint } from '../domain/endpoint/endpoint.ts';
import type { Pattern } from '../domain/planning/patterns.ts';
import type { AskedReading, GateNo, GateReading, KeptAnswer } from '../domain/rollout/gates.ts';
import type { RolloutPolicy } from '../domain/rollout/policy.ts';
import type { RolloutRequest } from '../domain/rollout/request.ts';

/**
 * A question besides the list that is asked before a wave is trusted. Everything that the product knows of a kind of
 * gate is one of these, in a file of its own; `gates.ts` lists them all.
 *
 * `Port` is the port through which it asks. An adapter is behind the port, so that a gate itself needs no SDK. Asking
 * never throws: silence is an answer.
 */
export type Gate<Schema extends z.ZodType = z.ZodType, Port = never> =
  | EndpointGate<Schema, Port>
  | WaveGate<Schema, Port, 'wave' | 'itself'>;

/** Is asked of each endpoint of a wave in turn. After a no, the rest of the wave is not asked any more. */
export interface EndpointGate<Schema extends z.ZodType, Port> extends EveryGate<Schema, Port> {
  readonly of: 'endpoint';
  ask(said: Said<Schema>, endpoint: Endpoint, port: Port): Promise<GateAnswer>;
}

/** Is asked of a wave as a whole. One of itself asks about no endpoints: it needs no list, and a group may have it too. */
export interface WaveGate<Schema extends z.ZodType, Port, Of = 'wave'>
  extends EveryGate<Schema, Port> {
  readonly of: Of;
  ask(said: Said<Schema>, wave: AskedWave, port: Port): Promise<readonly NamedAnswer[]>;
}

interface EveryGate<Schema extends z.ZodType, Port> {
  /** What its answers are called in records and for people: `alarm`. */
  readonly kind: string;
  /**
   * Its field in `verify`, with its help and its default. `null` or an empty list means that it is not asked. What has
   * `enforce` false, of a list each by itself, only watches.
   */
  readonly schema: Schema;
  /** What has to be so for a yes, in lines of a plan. */
  describe(said: Said<Schema>): readonly string[];
  /**
   * The origins that it calls over HTTP, and for hosts that only a list knows their patterns: those are never called
   * through a proxy. @default - it calls none
   */
  calls?(said: Said<Schema>): readonly string[];
  /** The URLs that `verify` names for it, by their places seen from the field of the gate. @default - it names none */
  urls?(said: Said<Schema>): readonly NamedUrl[];
  /** What is said with these hosts to be called over plain http, if it does not say others. @default - the same */
  allowHttp?(said: Said<Schema>, hosts: readonly string[]): Said<Schema>;
  /** What the function that asks may do on AWS. @default - it asks without the rights of its role */
  grants?(said: Said<Schema>): readonly Grant[];
  /** The secrets that it needs, by where `verify` names them. @default - none */
  secrets?(said: Said<Schema>): Readonly<Record<string, SecretSource>>;
  /** What of it nobody can ask on AWS, in sentences. @default - all of it can be asked there */
  faultsOnAws?(said: Said<Schema>): readonly string[];
  /** What does not fit the rest of a policy. @default - everything fits */
  misfits?(said: Said<Schema>, policy: RolloutPolicy): readonly Misfit[];
  /** The words in it that are there to match endpoints, by their places seen from its field. @default - none */
  patterns?(said: Said<Schema>): readonly Pattern[];
  /** Whether it can be answered, as the list alone shows it. Nothing is asked. @default - the list does not show it */
  readList?(said: Said<Schema>, list: PlannedList): Tried;
  /** Asks before anything is rolled, to find out whether it can be answered. @default - it is not tried */
  tryOut?(said: Said<Schema>, subject: TrialSubject, port: Port): Promise<Tried>;
  /** What of it can be asked before anything is rolled. @default - nothing, because it asks about a wave */
  readonly before?: BeforeGate<Said<Schema>, Port>;
  /** What of it a wave waits for before it begins. @default - nothing */
  readonly ahead?: AheadGate<Said<Schema>, Port>;
  /** The port in rehearsals. @default - another gate has the same port */
  rehearse?(fleet: RehearsedFleet): Partial<Port>;
}

/** Whether a gate decides anything, or only watches. */
export const enforce = z
  .boolean()
  .optional()
  .describe(
    'false: it only watches. It is asked as the others are, and decides nothing. Default: true.',
  );

/** The part of a list. `null`: there is none. */
export function partOf<One>(all: readonly One[], isMeant: (one: One) => boolean): One[] | null {
  const part = all.filter(isMeant);
  return part.length === 0 ? null : part;
}

/** A question of a gate that makes sense before anything is rolled. */
export interface BeforeGate<Said, Port> {
  /** What of it can be asked then. `null`: nothing. */
  part(said: Said): Said | null;
  /** Asks this part. Without data nothing is red. The names are those of its answers in a wave. */
  ask(
    said: Said,
    subject: Omit<TrialSubject, 'endpoints'>,
    port: Port,
  ): Promise<readonly NamedAnswer[]>;
}

/** When a gate is asked that a wave waits for before it begins. */
export const AHEAD = ['before-rollout', 'before-wave'] as const;
export type Ahead = (typeof AHEAD)[number];

/** A question that has to be answered with yes before the first roll of a rollout, or of a wave. */
export interface AheadGate<Said, Port> {
  /** What of it is asked at these times, or in the bake. `null`: nothing. */
  part(said: Said, when: readonly Ahead[] | 'bake'): Said | null;
  /** Asks the part. A yes stands until the wave begins, unless the gate says for how long. */
  ask(said: Said, wave: WaveAhead, port: Port): Promise<readonly NamedAnswer[]>;
}

/** A wave that is about to begin. */
export interface WaveAhead extends Pick<AskedWave, 'request' | 'now' | 'watched' | 'kept'> {
  /** 1-based. */
  readonly wave: number;
  /** What is asked now. */
  readonly when: readonly Ahead[];
  /** The endpoints that a question is about: those of the wave, or all that the rollout would roll. */
  endpointsOf(when: Ahead): readonly EndpointAhead[];
}

/** An endpoint that is about to be rolled, as the last list shows it. */
export interface EndpointAhead extends Pick<Endpoint, 'id' | 'name' | 'url'> {
  /** Its live version before the rollout. */
  readonly previousVersion: number | null;
}

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

export interface AskedWave {
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
  /** Whether this is asked at the end of the bake, or after it. */
  readonly hasBaked: boolean;
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

export interface TrialSubject extends Pick<RolloutRequest, 'runtimeId' | 'desiredVersion'> {
  /** Names of the endpoints that are asked about. */
  readonly endpoints: readonly string[];
  readonly now: Instant;
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

/** What answers tell before anything is rolled. @param tell Lists some of them. */
export function tried(
  field: string,
  answers: readonly NamedAnswer[],
  tell: (told: readonly NamedAnswer[]) => string,
  isFound = ({ verdict }: NamedAnswer) => verdict === 'pass',
): Tried {
  const told = answers.filter(({ mend }) => mend === undefined);
  return {
    faults: whatToMend(field, answers),
    ...(answers.some(({ mayPass }) => mayPass) && { mayPass: true }),
    silent: tell(told.filter((one) => !isFound(one))) || undefined,
    found: tell(told.filter(isFound)) || undefined,
  };
}

/** What a person has to do before a gate can be answered, in a sentence for each reason. */
function whatToMend(field: string, answers: readonly NamedAnswer[]): string[] {
  const namesOf = new Map<string, string[]>();
  for (const { name, detail, mend } of answers) {
    if (mend === undefined) continue;
    const fault = `${detail}. ${mend}`;
    namesOf.set(fault, [...(namesOf.get(fault) ?? []), name]);
  }
  return [...namesOf].map(
    ([fault, concerned]) => `verify.${field}, ${listNames(concerned)}: ${fault}`,
  );
}
