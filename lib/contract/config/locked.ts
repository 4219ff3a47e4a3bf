import { secondsOf } from '../../domain/durations.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import {
  type Approval,
  type RolloutPolicy,
  shortestBakeOf,
  type Tolerance,
  type Verification,
  type Wave,
} from '../../domain/rollout/policy.ts';
import { type AskedGate, askedGates } from '../../gates/gates.ts';

export type LockedField = Exclude<keyof RolloutPolicy, 'locked'>;

/** What somebody asks of a field that is locked, beside what the configuration says. */
interface Rule {
  /** What may be asked, for people. */
  readonly may: string;
  asksAsMuch(asked: RolloutPolicy, deployed: RolloutPolicy): boolean;
}

const WHEN_UNLOCKED = 'others while it is unlocked (steproll hold add unlock)';

const same = (field: LockedField): Rule => ({
  may: 'nothing else',
  asksAsMuch: (asked, deployed) => isEqual(asked[field], deployed[field]),
});
const atMost = (field: 'maxVersionStep' | 'maxAtRisk'): Rule => ({
  may: 'the same or less',
  asksAsMuch: (asked, deployed) => (asked[field] ?? 1) <= (deployed[field] ?? 1),
});
const orWord = (
  field: 'allowDowngrade' | 'outsideWindow' | 'windowsBind' | 'onConflict',
  word: unknown,
): Rule => ({
  may: `the same or ${JSON.stringify(word)}`,
  asksAsMuch: (asked, deployed) => asked[field] === deployed[field] || asked[field] === word,
});
const allAndMore = (field: 'protect' | 'freezes', otherwise = ''): Rule => ({
  may: `all of the same and more${otherwise}`,
  asksAsMuch: (asked, deployed) => hasAll<unknown>(asked[field], deployed[field]),
});
const size = (
  field: 'minServing' | 'maxUnavailable' | 'failureThreshold',
  more: boolean,
): Rule => ({
  may: `the same or ${more ? 'more' : 'less'}, in the same unit`,
  asksAsMuch: (asked, deployed) => compareSizes(asked[field], deployed[field], more),
});

/**
 * How each field of a policy may be overridden when it is locked: so that it asks at least as much. A field without a
 * rule of its own must stay as it is.
 */
const RULES: Readonly<Record<LockedField, Rule>> = {
  selection: same('selection'),
  waves: {
    may: 'nothing else',
    asksAsMuch: ({ waves: asked }, { waves }) =>
      isEqual(asked.map(withoutWindows), waves.map(withoutWindows)),
  },
  maxUnavailable: size('maxUnavailable', false),
  maxAtRisk: atMost('maxAtRisk'),
  failureThreshold: size('failureThreshold', false),
  bakeSeconds: {
    may: 'the same or more, for each wave',
    asksAsMuch: (asked, deployed) =>
      asked.bakeSeconds >= deployed.bakeSeconds && bakesAsLong(asked, deployed),
  },
  pollSeconds: same('pollSeconds'),
  maxPollSeconds: same('maxPollSeconds'),
  progressDeadlineSeconds: same('progressDeadlineSeconds'),
  onFailure: same('onFailure'),
  minServing: size('minServing', true),
  protect: allAndMore('protect'),
  allowDowngrade: orWord('allowDowngrade', false),
  maxVersionStep: atMost('maxVersionStep'),
  verify: {
    may: 'the same, stricter, or a further gate without a URL',
    asksAsMuch: (asked, deployed) => verifiesAsMuch(asked.verify, deployed.verify),
  },
  statuses: same('statuses'),
  windows: {
    may: `some of the same, or ${WHEN_UNLOCKED}`,
    asksAsMuch: (asked, deployed) =>
      isWithin(asked.windows, deployed.windows) && wavesAreWithin(asked.waves, deployed.waves),
  },
  freezes: allAndMore('freezes', `, or ${WHEN_UNLOCKED}`),
  outsideWindow: orWord('outsideWindow', 'refuse'),
  windowsBind: orWord('windowsBind', 'rolls'),
  onConflict: orWord('onConflict', 'refuse'),
  quarantine: {
    may: 'the same or longer',
    asksAsMuch: (asked, deployed) => quarantineOf(asked) >= quarantineOf(deployed),
  },
};

/** What an override may say of each field that is locked, for people. */
export const MAY_BE_ASKED = Object.entries(RULES).map(([field, { may }]) => ({ field, may }));

export const LOCKABLE = Object.keys(RULES) as [LockedField, ...LockedField[]];

/** What an unlock frees. */
export const UNLOCKABLE = ['windows', 'freezes'] as const satisfies LockedField[];

/** What is locked on AWS, where whoever may start an execution may override the policy. */
export const LOCKED_ON_AWS: readonly LockedField[] = ['verify', 'maxVersionStep', 'protect'];

/**
 * Refuses what asks less than the configuration where that is locked, and with any list of locked fields a URL or a host
 * that only the one who starts has named: gates send there what they know, from where the rollout runs.
 *
 * @param unlocked Fields that an unlock frees now.
 * @throws `PolicyLocked` that names every field.
 */
export function refuseLocked(
  asked: RolloutPolicy,
  deployed: RolloutPolicy,
  unlocked: readonly LockedField[] = [],
): void {
  const { locked } = deployed;
  if (locked === undefined) return;
  const faults = [
    ...locked
      .filter((field) => !unlocked.includes(field))
      .map((field) => ({ field, ...RULES[field] }))
      .filter(({ asksAsMuch }) => !asksAsMuch(asked, deployed))
      .map(({ field, may }) => `${field}: locked in the configuration; use ${may}`),
    ...foreignPlaces(asked.verify, deployed.verify).map(
      (place) => `verify.${place}: use only URLs and hosts that the configuration names`,
    ),
  ];
  if (faults.length === 0) return;
  throw new SteprollError(
    ErrorName.PolicyLocked,
    `The policy may not be overridden so:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
  );
}

/** The order of keys does not matter. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sortKeys) === JSON.stringify(other, sortKeys);
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function hasAll<T>(all: readonly T[], part: readonly T[]): boolean {
  return part.every((one) => all.some((other) => isEqual(one, other)));
}

function withoutWindows({ windows: _, ...wave }: Wave): object {
  return wave;
}

function whatIsTaken({ windows: _, bakeSeconds: __, ...wave }: Wave): object {
  return wave;
}

type Windows = NonNullable<Wave['windows']>;

function isWithin(asked: Windows, deployed: Windows): boolean {
  return deployed.length === 0 || (asked.length > 0 && hasAll(deployed, asked));
}

/** Wave by wave, if they take the same endpoints; else all within the windows of each wave. */
function wavesAreWithin(asked: readonly Wave[], deployed: readonly Wave[]): boolean {
  const takeTheSame = isEqual(asked.map(whatIsTaken), deployed.map(whatIsTaken));
  return asked.every(({ windows = [] }, index) => {
    const before = takeTheSame ? deployed.slice(index, index + 1) : deployed;
    return before.every((wave) => isWithin(windows, wave.windows ?? []));
  });
}

function compareSizes(
  asked: number | Tolerance,
  deployed: number | Tolerance,
  isMore: boolean,
): boolean {
  const [a, b] = [sizeOf(asked), sizeOf(deployed)];
  if (!isMore && a.count === 0) return true;
  if (a.unit !== b.unit) return false;
  return isMore ? a.count >= b.count : a.count <= b.count;
}

function sizeOf(size: number | Tolerance) {
  if (typeof size === 'number') return { unit: 'endpoints', count: size };
  return 'endpoints' in size
    ? { unit: 'endpoints', count: size.endpoints }
    : { unit: 'percent', count: size.percent };
}

/** Wave by wave, if there are as many; else the shortest one against the longest one. */
function bakesAsLong(asked: RolloutPolicy, deployed: RolloutPolicy): boolean {
  const bakesOf = ({ waves, bakeSeconds }: RolloutPolicy) =>
    waves.map((wave) => wave.bakeSeconds ?? bakeSeconds);
  const before = bakesOf(deployed);
  if (asked.waves.length !== before.length) return shortestBakeOf(asked) >= Math.max(...before);
  return bakesOf(asked).every((bake, index) => bake >= (before[index] ?? 0));
}

const DEFAULT_QUARANTINE = '30d';

function quarantineOf({ quarantine }: RolloutPolicy): number {
  return secondsOf(String(quarantine?.afterBad ?? DEFAULT_QUARANTINE)) ?? 0;
}

function verifiesAsMuch(asked: Verification, deployed: Verification): boolean {
  const { everySeconds = 0, warmUpSeconds = 0, redAtStart = 'refuse' } = deployed;
  const gates = new Map(askedGates(asked).map((one) => [one.name, one]));
  const before = new Map(askedGates(deployed).map((one) => [one.name, one]));
  const names = new Set([...gates.keys(), ...before.keys()]);
  return (
    approvesAsMuch(asked.approval, deployed.approval) &&
    (asked.everySeconds ?? everySeconds) <= everySeconds &&
    (asked.warmUpSeconds ?? 0) <= warmUpSeconds &&
    [redAtStart, 'refuse'].includes(asked.redAtStart ?? 'refuse') &&
    [...names].every((name) => hasGates(gates.get(name), before.get(name)))
  );
}

function approvesAsMuch(asked: Approval | null, deployed: Approval | null): boolean {
  if (deployed === null) return true;
  if (asked === null) return false;
  if ((asked.count ?? 1) < (deployed.count ?? 1)) return false;
  if (deployed.notTheStarter && !asked.notTheStarter) return false;
  if (asked.onTimeout === 'reject') return true;
  return deployed.onTimeout === 'approve' && asked.timeoutSeconds >= deployed.timeoutSeconds;
}

/** All that was asked before is asked, and what is asked besides calls nobody. */
function hasGates(asked: AskedGate | undefined, deployed: AskedGate | undefined): boolean {
  const [now, before] = [partsOf(asked), partsOf(deployed)];
  const isAmong = (one: unknown, all: readonly unknown[]) => all.some((each) => isSame(one, each));
  return (
    before.every((one) => now.some((each) => isSame(each, one))) &&
    now.every((one) => isAmong(one, before) || (asked && callsNobody(asked, one)))
  );
}

function partsOf(gate: AskedGate | undefined): readonly unknown[] {
  if (gate === undefined) return [];
  return Array.isArray(gate.said) ? gate.said : [gate.said];
}

/** The configuration says for all gates which hosts may be called over plain http. */
function isSame(asked: unknown, deployed: unknown): boolean {
  if (typeof deployed !== 'object' || deployed === null) return asked === deployed;
  const both =
    'allowHttp' in deployed ? { allowHttp: deployed.allowHttp, ...Object(asked) } : asked;
  return isEqual(both, deployed);
}

function callsNobody({ gate, said }: AskedGate, one: unknown): boolean {
  const part = Array.isArray(said) ? [one] : one;
  return placesOf({ gate, said: part as NonNullable<unknown> }).length === 0;
}

/** Where a gate sends something: URLs, origins and patterns of hosts. */
function placesOf({ gate, said }: Pick<AskedGate, 'gate' | 'said'>): readonly string[] {
  const { urls = [], calls = [] } = gate.needs?.(said as never) ?? {};
  return [...urls.map(({ url }) => url), ...calls];
}

/** The gates that would send something to where no gate of the configuration does. */
function foreignPlaces(asked: Verification, deployed: Verification): readonly string[] {
  const known = new Set(askedGates(deployed).flatMap(placesOf));
  return askedGates(asked).flatMap((one) =>
    placesOf(one).every((place) => known.has(place)) ? [] : [one.name],
  );
}
