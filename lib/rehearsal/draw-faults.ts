import { ErrorName } from '../domain/errors.ts';
import type { Verification } from '../domain/rollout/policy.ts';
import { askedGates } from '../gates/gates.ts';
import type { SimulatedFault } from '../simulation/scenario.ts';
import {
  type BadVersion,
  type Faults,
  type ListFault,
  NO_FAULTS,
  type WriteFault,
} from './faults.ts';
import { drawGateFault } from './gate-faults.ts';
import { createRandom, type Random } from './random.ts';

/** How much goes wrong in a rehearsal whose faults are drawn. */
export const FAULT_LEVELS = ['few', 'many'] as const;
export type FaultLevel = (typeof FAULT_LEVELS)[number];

export interface Drawing {
  /** A whole number. The same seed draws the same faults for the same fleet. */
  readonly seed: number;
  readonly level: FaultLevel;
  /** The names of the endpoints, in the order of the scenario. */
  readonly endpoints: readonly string[];
  readonly version: number;
  /** What the rollout may ask besides the list. */
  readonly gates: Verification;
  /** Seconds that the rollout takes if nothing goes wrong: faults begin in this time. */
  readonly horizonSeconds: number;
  readonly rollSeconds: number;
}

/** How many things go wrong besides that rolls take different times; each number is equally likely. */
const COUNTS = { few: [0, 0, 1, 1, 2], many: [2, 3, 4, 5, 6] } as const;

/** Draws what goes wrong in one rehearsal. */
export function drawFaults(drawing: Drawing): Faults {
  const random = createRandom(drawing.seed);
  const { endpoints, level } = drawing;
  let faults: Faults = {
    ...NO_FAULTS,
    slowness: endpoints.map(() => 0.5 + random.next() * random.next() * 3),
    approvesAfterSeconds: random.chance(0.9) ? random.integer(10, 3600) : null,
  };
  for (let count = random.pick(COUNTS[level]); count > 0; count -= 1) {
    const draw = random.pick(KINDS);
    faults = { ...faults, ...draw(faults, drawing, random) };
  }
  return faults;
}

type Draw = (faults: Faults, drawing: Drawing, random: Random) => Partial<Faults>;

/** Each kind as often as it stands here. */
const KINDS: readonly Draw[] = [
  withBadVersion,
  withBadVersion,
  withBrokenEndpoint,
  withBrokenEndpoint,
  withBrokenEndpoint,
  withListFault,
  withListFault,
  withWriteFault,
  withWriteFault,
  withGateFault,
  withMove,
  withDeath,
  withLatency,
];

/** Bad everywhere, or on some endpoints; at once, or only after the bake has begun. */
function withBadVersion(_: Faults, drawing: Drawing, random: Random) {
  const { endpoints, gates } = drawing;
  const share = random.pick([1, 1, 1, 0.3]);
  const isGated = askedGates(gates).length > 0;
  const drawn = endpoints.filter(() => random.chance(share));
  const badVersion: BadVersion = {
    endpoints: drawn.length > 0 ? drawn : [nameIn(drawing, random)],
    afterSeconds: random.pick([1, random.integer(1, 60), random.integer(60, 900)]),
    shows: isGated && random.chance(0.5) ? 'gates' : 'crash',
  };
  return { badVersion };
}

function withBrokenEndpoint({ endpoints: before }: Faults, drawing: Drawing, random: Random) {
  return { endpoints: [...before, drawBrokenEndpoint(drawing, random)] };
}

function drawBrokenEndpoint(drawing: Drawing, random: Random): SimulatedFault {
  const { version, rollSeconds } = drawing;
  const endpoint = nameIn(drawing, random);
  // One in five is broken on the way back, too.
  const common = random.chance(0.8) ? { endpoint, version } : { endpoint };
  const afterSeconds = random.integer(1, 600);
  switch (random.integer(0, 6)) {
    case 0:
      return { ...common, kind: 'stuck', afterReplicas: random.integer(0, 2) };
    case 1:
      return { ...common, kind: 'fail', afterReplicas: random.integer(0, 2) };
    case 2:
      return { ...common, kind: 'slow', rollSeconds: rollSeconds * random.integer(3, 12) };
    case 3:
      return { ...common, kind: 'regress', afterSeconds };
    case 4:
      return { ...common, kind: 'vanish', afterSeconds };
    case 5: {
      const httpStatus = random.pick([400, 409, 409, 423]);
      const fromSecond = random.chance(0.5) ? 0 : secondIn(drawing, random);
      return { endpoint, kind: 'busy', httpStatus, fromSecond, seconds: random.integer(5, 900) };
    }
    default: {
      const httpStatus = random.pick([400, 404, 409, 429, 429, 503, 503]);
      return { ...common, kind: 'refuse', httpStatus, times: random.integer(1, 4) };
    }
  }
}

function withListFault({ lists }: Faults, drawing: Drawing, random: Random) {
  const { kind, seconds } = random.pick(LIST_KINDS);
  const fault: ListFault = {
    kind,
    fromSecond: secondIn(drawing, random),
    seconds: random.integer(1, seconds),
  };
  return { lists: [...lists, fault] };
}

/** What a list may say instead of the truth, and the longest time for it. */
const LIST_KINDS = [
  { kind: ErrorName.UpstreamTransient, seconds: 300 },
  { kind: ErrorName.UpstreamTimeout, seconds: 1800 },
  { kind: ErrorName.UpstreamThrottled, seconds: 900 },
  { kind: ErrorName.ListUnstable, seconds: 120 },
  { kind: 'frozen', seconds: 90 },
  { kind: 'flash', seconds: 60 },
  { kind: 'empty', seconds: 300 },
  { kind: 'some', seconds: 60 },
  { kind: 'most', seconds: 120 },
] as const;

function withWriteFault({ writes }: Faults, drawing: Drawing, random: Random) {
  const fault: WriteFault = {
    operation: random.pick(['roll', 'roll', 'roll', 'stop']),
    endpoint: nameIn(drawing, random),
    nth: random.pick([1, 1, 1, 2]),
    kind: random.pick(WRITE_KINDS),
    seconds: random.integer(1, 60),
  };
  return { writes: [...writes, fault] };
}

const WRITE_KINDS = [
  'lost',
  'unheard',
  'late',
  'queued',
  'forgotten',
  'ignored',
  ErrorName.UpstreamThrottled,
  ErrorName.UpstreamTransient,
] as const;

function withGateFault({ gates: before }: Faults, drawing: Drawing, random: Random) {
  const { horizonSeconds, endpoints, gates } = drawing;
  const each = gates.probe === null ? [] : endpoints;
  return { gates: [...before, drawGateFault({ horizonSeconds, endpoints: each }, random)] };
}

function withMove({ others }: Faults, drawing: Drawing, random: Random) {
  const { version } = drawing;
  const move = {
    atSecond: secondIn(drawing, random),
    endpoint: nameIn(drawing, random),
    version: random.pick([version + 1, Math.max(1, version - 1), null]),
  };
  return { others: [...others, move] };
}

/** The process is killed, or a function of AWS is. */
function withDeath(_: Faults, __: Drawing, random: Random) {
  return {
    death: {
      point: random.integer(1, 200),
      error: random.pick(['Killed', 'Killed', 'Lambda.Unknown', 'Runtime.ExitError']),
      when: random.pick(['before', 'after']),
      resumesAfterSeconds: random.integer(10, 1800),
    },
  };
}

function withLatency(_: Faults, __: Drawing, random: Random) {
  return { latencyMs: random.integer(300, 5000) };
}

function secondIn({ horizonSeconds }: Drawing, random: Random): number {
  return random.integer(0, Math.ceil(horizonSeconds));
}

function nameIn({ endpoints }: Drawing, random: Random): string {
  return endpoints[random.integer(0, endpoints.length - 1)] ?? '';
}
