import fc from 'fast-check';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { mayStop, type RolloutPolicy, type Selection } from '../../../lib/domain/rollout/policy.ts';
import type { MetricRule } from '../../../lib/gates/metric-rule.ts';
import { gatesIn } from '../../support/gates-in.ts';
import { idOf } from './endpoint-ids.ts';
import { RULES } from './metric-rules.ts';
import type { Asked, GateFault, Hours, Ordeal, PlanChange } from './ordeal.ts';
import { PROBE } from './probe-rule.ts';
import { type Ailment, HALE } from './quiet.ts';
import { SITUATIONS } from './situations/all.ts';
import type { Dice } from './situations/situation.ts';

// What a rollout is asked for beside a version: a plan, an endpoint to take the version from, hours, a selection, gates.

/** What is drawn beside the faults of an ordeal. */
export interface RequestDraw extends Pick<Ordeal, 'asked' | 'hours' | 'readings'> {
  /** What comes together, in the place of all that goes wrong by chance. */
  readonly situation: keyof typeof SITUATIONS | null;
  readonly dice: Dice;
  readonly left: Left | null;
  readonly grab: Grab | null;
  /** All that goes wrong is of this kind. */
  readonly only: Ailment | 'nothing' | null;
  /** `unknown`: whoever wrote the policy did not know it. */
  readonly noStops: 'known' | 'unknown' | null;
  readonly scope: Partial<RolloutPolicy> | null;
  readonly questions: Questions | null;
}

const situations = Object.keys(SITUATIONS) as (keyof typeof SITUATIONS)[];

const SAYINGS: readonly Pick<GateFault, 'gate' | 'says'>[] = [
  { gate: 'probe', says: 'bad' },
  { gate: 'probe', says: 'silent' },
  { gate: 'probe', says: 'flaky' },
  { gate: 'metric', says: 'bad' },
  { gate: 'metric', says: 'silent' },
  { gate: 'metric', says: 'unreadable' },
];

/** How a rollout before this one has left the first endpoints. */
interface Left {
  readonly endpoints: number;
  readonly version: 2 | 5;
  readonly state: 'moving' | 'stuck' | 'crashed';
}

/** Somebody takes an endpoint back as soon as it is rolled. */
interface Grab {
  readonly atSecond: 'rolled' | 'seen';
  readonly endpoint: string;
  readonly version: 1 | 5;
}

interface Questions {
  readonly probe: RolloutPolicy['verify']['probe'];
  readonly metrics: readonly MetricRule[];
}

/** @param second When faults come. */
export function requestOf(
  names: readonly string[],
  second: fc.Arbitrary<number>,
): { readonly [K in keyof RequestDraw]: fc.Arbitrary<RequestDraw[K]> } {
  return {
    situation: oneOf(5, fc.constantFrom(...situations)),
    dice: fc.record<Dice>({
      at: fc.integer({ min: 0, max: 120 }),
      lasts: fc.integer({ min: 1, max: 900 }),
      pick: fc.integer({ min: 0, max: 59 }),
    }),
    only: fc.oneof(
      { withCrossShrink: true },
      { arbitrary: fc.constant(null), weight: 6 },
      { arbitrary: fc.constantFrom(...AILMENTS), weight: 2 },
      { arbitrary: fc.constant('nothing' as const), weight: 1 },
    ),
    left: sometimes(
      fc.record<Left>({
        endpoints: fc.integer({ min: 1, max: 6 }),
        version: fc.constantFrom(2, 5),
        state: fc.constantFrom('moving', 'stuck', 'crashed'),
      }),
    ),
    grab: sometimes(
      fc.record<Grab>({
        atSecond: fc.constantFrom('rolled', 'seen', 'seen'),
        endpoint: fc.constantFrom(...names),
        version: fc.constantFrom(1, 1, 5),
      }),
    ),
    asked: sometimes(asked(names)),
    noStops: sometimes(fc.constantFrom('known', 'known', 'known', 'known', 'unknown')),
    scope: sometimes(scope(names)),
    hours: sometimes(fc.constantFrom(...HOURS)),
    questions: sometimes(questions),
    readings: fc.array(
      fc
        .record({
          said: fc.constantFrom(...SAYINGS),
          endpoint: fc.constantFrom(...names),
          // Gates are asked after the bake of a wave, and metrics some minutes later.
          fromSecond: second,
          seconds: fc.oneof(fc.integer({ min: 20, max: 120 }), fc.integer({ min: 120, max: 900 })),
        })
        .map(({ said, ...rest }): GateFault => ({ ...said, ...rest })),
      { maxLength: 3 },
    ),
  };
}

/** An ordeal that is only asked for version 2. */
export type Undemanding = Omit<Ordeal, 'cannotStop' | 'asked' | 'hours' | 'readings'>;

/** Puts the request into the ordeal, so that it fits the rest. */
export function withRequest(drawn: Undemanding, request: RequestDraw): Ordeal {
  // What goes wrong with a stop needs one: it is asked for plainly.
  const needsStops = drawn.writes.some(({ operation }) => operation === 'stop');
  return needsStops ? withAll(drawn, NOTHING_MORE) : withAll(drawn, request);
}

const NOTHING_MORE: Omit<RequestDraw, 'situation' | 'dice'> = {
  only: null,
  left: null,
  grab: null,
  noStops: null,
  asked: null,
  scope: null,
  hours: null,
  questions: null,
  readings: [],
};

function withAll(
  drawn: Undemanding,
  { left, grab, noStops, asked, hours, scope, questions, readings }: typeof NOTHING_MORE,
): Ordeal {
  const plain = withOthers(drawn, left, grab);
  const scoped = { ...plain.policy, ...scope };
  const policy = questions === null ? scoped : withQuestions(scoped, questions);
  const { probe, metrics } = gatesIn(policy);
  const isAsked = { probe: probe !== null, metric: metrics.length > 0 };
  const cannotStop = noStops !== null;
  const ordeal = withStopsToProtect(
    withAsked(
      withWavesToAsk({
        ...{ ...plain, cannotStop, asked, hours, policy },
        // A gate that nobody asks disturbs nobody.
        readings: readings.filter(({ gate }) => isAsked[gate]),
      }),
    ),
  );
  return cannotStop && noStops === 'known' ? withoutStops(ordeal) : ordeal;
}

function withOthers(plain: Undemanding, left: Left | null, grab: Grab | null): Undemanding {
  const { people, broken, endpoints } = plain;
  const names = endpoints.slice(0, left?.endpoints ?? 0).map(({ name }) => name);
  const moves = names.map(
    (endpoint) =>
      ({ atSecond: 'before', kind: 'move', endpoint, version: left?.version ?? 1 }) as const,
  );
  const faults = names.flatMap((endpoint) => {
    const { version, state } = left ?? { state: 'moving' };
    if (state === 'moving') return [];
    return state === 'stuck'
      ? [{ endpoint, version, kind: 'stuck' }]
      : [{ endpoint, version, kind: 'crash', afterSeconds: 1 }];
  });
  const grabs = grab === null ? [] : [{ kind: 'move', ...grab } as const];
  return { ...plain, people: [...moves, ...grabs, ...people], broken: [...faults, ...broken] };
}

const AILMENTS = Object.keys(HALE) as readonly Ailment[];

/** Where everything goes wrong at once, little is found out. */
export function withOnly(ailment: RequestDraw['only'], drawn: Undemanding): Undemanding {
  if (ailment === null) return drawn;
  if (ailment === 'nothing') return { ...drawn, ...HALE, badReleases: 0, latencyMs: 0 };
  return { ...drawn, ...HALE, [ailment]: drawn[ailment], badReleases: 0 };
}

/** What may be asked of a service that cannot stop. */
export function withoutStops(ordeal: Ordeal): Ordeal {
  const { policy } = ordeal;
  const onFailure = mayStop(policy.onFailure) ? 'roll-back' : policy.onFailure;
  return { ...ordeal, policy: { ...policy, onFailure }, badReleases: 0, wire: null };
}

/** What goes wrong with a gate needs a wave that gets there: little else goes wrong. */
function withWavesToAsk(ordeal: Ordeal): Ordeal {
  const { readings, people, policy } = ordeal;
  if (readings.length === 0) return ordeal;
  const { probe } = gatesIn(policy);
  const asked = probe === null ? null : { ...probe, hosts: PROBE.hosts };
  return {
    ...ordeal,
    endpoints: ordeal.endpoints.map((one) => ({ ...one, version: 1 })),
    broken: [],
    lists: [],
    people: people.filter(({ kind }) => !DISTURBS.has(kind)),
    word: null,
    policy: {
      ...policy,
      progressDeadlineSeconds: Math.max(180, policy.progressDeadlineSeconds),
      verify: { ...policy.verify, probe: asked },
    },
  };
}

const DISTURBS: ReadonlySet<string> = new Set(['move', 'stop', 'abort', 'rival', 'reject']);

/** What is protected is spared where it would be stopped: it gets stuck, and nothing else keeps it. */
function withStopsToProtect(ordeal: Ordeal): Ordeal {
  const { policy, broken, endpoints, readings } = ordeal;
  if (policy.protect.length === 0 || readings.length > 0) return ordeal;
  const stuck = endpoints.slice(0, 2).map(({ name }) => ({ endpoint: name, kind: 'stuck' }));
  return {
    ...ordeal,
    broken: [...stuck, ...broken],
    policy: { ...policy, onFailure: 'stop-old', minServing: 0 },
  };
}

/** What cannot be answered before the deadline is over is no policy. */
function withQuestions(policy: Ordeal['policy'], { probe, metrics }: Questions): Ordeal['policy'] {
  const progressDeadlineSeconds =
    metrics.length > 0
      ? Math.max(600, policy.progressDeadlineSeconds)
      : policy.progressDeadlineSeconds;
  return { ...policy, progressDeadlineSeconds, verify: { ...policy.verify, probe, metrics } };
}

function withAsked(ordeal: Ordeal): Ordeal {
  const { asked, endpoints, people, lists, broken } = ordeal;
  if (asked?.kind === 'source') {
    const { endpoint: source, state } = asked;
    // Nobody but the fault itself moves it, and it never gets there: then every version is 2.
    const others = people.filter((act) => !('endpoint' in act) || act.endpoint !== source);
    const fault =
      state === 'stopped'
        ? [{ atSecond: 'before', kind: 'stop', endpoint: source } as const]
        : [{ atSecond: 'before', kind: 'move', endpoint: source, version: 5 } as const];
    const stuck = { endpoint: source, kind: 'stuck', version: 5 };
    return {
      ...ordeal,
      endpoints: endpoints.map((one) => (one.name === source ? { ...one, version: 2 } : one)),
      people: state === 'settled' ? others : [...fault, ...others],
      broken: state === 'moving' ? [stuck, ...broken] : broken,
    };
  }
  if (asked?.kind === 'listed' && asked.version === 'latest') {
    // There is no version above 2, and where that one cannot be had, everything is at the latest one.
    const isLower = asked.state === 'failing' || asked.state === 'unlisted';
    return {
      ...ordeal,
      endpoints: endpoints.map((one) => ({ ...one, version: 1 })),
      lists: isLower ? [] : lists,
      people: isLower ? people.filter(({ kind }) => kind !== 'move' && kind !== 'create') : people,
    };
  }
  return ordeal;
}

function asked(names: readonly string[]): fc.Arbitrary<Asked> {
  return fc.oneof(
    fc.record({ kind: fc.constant('plan' as const), since: fc.constantFrom(...CHANGES) }),
    fc.record({
      kind: fc.constant('source' as const),
      endpoint: fc.constantFrom(...names),
      state: fc.constantFrom('settled', 'settled', 'stopped', 'moving'),
    }),
    fc.record({
      kind: fc.constant('listed' as const),
      version: fc.constantFrom<2 | 'latest'>(2, 'latest'),
      state: fc.constantFrom('ready', 'making', 'making', 'unlisted', 'failing'),
      seconds: fc.constantFrom(0, 20, 50, 70, 150, 1000),
      isNewest: fc.constant(false),
    }),
  );
}

/** Settings that no ordeal has, one for each that changes a plan. */
const OTHER_SETTINGS: readonly Partial<RolloutPolicy>[] = [
  { selection: { names: [], ids: [], exclude: ['nobody'] } },
  { waves: [{ percent: 99 }, { percent: 100 }] },
  { maxUnavailable: { endpoints: 77 } },
  { failureThreshold: { endpoints: 7 } },
  { maxAtRisk: 78 },
  { bakeSeconds: 31 },
  { pollSeconds: 6 },
  { maxPollSeconds: 31 },
  { progressDeadlineSeconds: 601 },
  { minServing: { percent: 51 } },
  { protect: ['nobody'] },
  { maxVersionStep: 999 },
  { verify: { probe: null, alarms: ['another'], metrics: [], approval: null } },
  {
    statuses: {
      ...DEFAULT_POLICY.statuses,
      ...{ failed: ['BROKEN'], stopped: ['STOPPED', 'STOPPING'] },
      serving: ['ACTIVE'],
    },
  },
];

const OTHER_HOURS: readonly Partial<RolloutPolicy>[] = [
  { windows: [{ days: ['sun'], from: '00:00', to: '24:00', timeZone: 'UTC' }] },
  { freezes: [{ from: '2025-12-01T00:00', to: '2025-12-02T00:00', timeZone: 'UTC' }] },
  { outsideWindow: 'refuse' },
  { onConflict: 'latest' },
];

const CHANGES: readonly PlanChange[] = [
  ...OTHER_SETTINGS.flatMap((): PlanChange => ({ kind: 'nothing', shownWith: {} })),
  ...OTHER_SETTINGS.map((shownWith): PlanChange => ({ kind: 'how', shownWith })),
  ...OTHER_HOURS.map((shownWith): PlanChange => ({ kind: 'when', shownWith })),
  { kind: 'version', shownWith: {} },
  { kind: 'mistyped', shownWith: {} },
];

function scope(names: readonly string[]): fc.Arbitrary<Partial<RolloutPolicy>> {
  const first = names[0] ?? '';
  const select = (said: Partial<Selection>) => ({
    selection: { names: [], ids: [], exclude: [], ...said },
  });
  return fc
    .record({
      selection: fc.constantFrom(
        {},
        {},
        select({ exclude: ['*-02'] }),
        select({ exclude: [first] }),
        select({ names: ['*-01', '*-03'] }),
        select({ names: ['endpoint-0*'], exclude: ['*-03', 'nobody'] }),
        select({ ids: [idOf(1), idOf(2)] }),
        select({ ids: [idOf(1), idOf(2)], exclude: [first] }),
        select({ names: ['*-02'], ids: [idOf(1)], exclude: [idOf(3)] }),
        select({ names: ['nobody'] }),
      ),
      waves: fc.constantFrom<Partial<RolloutPolicy>>(
        {},
        {},
        { waves: [{ names: ['*-02'] }, { percent: 100 }] },
        { waves: [{ names: [idOf(1)], bakeSeconds: 90 }, { endpoints: 2 }, { percent: 100 }] },
        { waves: [{ names: ['nobody'], bakeSeconds: 90 }, { percent: 50 }, { percent: 100 }] },
        { waves: [{ endpoints: 1 }, { names: ['*-03', '*-04'] }, { percent: 100 }] },
      ),
      protect: fc.constantFrom([], [], [first], ['*-02'], [idOf(1)], ['*']),
      allowDowngrade: fc.constantFrom(true, false),
      maxVersionStep: fc.constantFrom(1, 1, 2, 1_000),
    })
    .map(({ selection, waves, ...rest }) => ({ ...selection, ...waves, ...rest }));
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const ALWAYS = 9 * DAY;
const NO_FREEZE = { freezes: [], outsideWindow: 'wait' } as const;
const REFUSES = { freezes: [], outsideWindow: 'refuse' } as const;

/** Every scenario begins on Thursday, 2026-01-01, at midnight in UTC. */
const HOURS: readonly Hours[] = [
  {
    ...NO_FREEZE,
    windows: [{ days: ['thu'], from: '00:15', to: '02:00', timeZone: 'UTC' }],
    openings: [
      [HOUR / 4, 2 * HOUR],
      [7 * DAY + HOUR / 4, 7 * DAY + 2 * HOUR],
    ],
  },
  {
    ...NO_FREEZE,
    // It opened on Wednesday, which is the day that it belongs to.
    windows: [{ days: ['wed'], from: '22:00', to: '04:00', timeZone: 'UTC' }],
    openings: [
      [-2 * HOUR, 4 * HOUR],
      [6 * DAY - 2 * HOUR, 6 * DAY + 4 * HOUR],
    ],
  },
  {
    ...NO_FREEZE,
    windows: [{ days: ['thu'], from: '22:00', to: '04:00', timeZone: 'UTC' }],
    openings: [
      [22 * HOUR, DAY + 4 * HOUR],
      [7 * DAY + 22 * HOUR, 8 * DAY + 4 * HOUR],
    ],
  },
  {
    ...NO_FREEZE,
    windows: [{ days: ['fri'], from: '00:00', to: '24:00', timeZone: 'Europe/Berlin' }],
    openings: [
      [DAY - HOUR, 2 * DAY - HOUR],
      [8 * DAY - HOUR, 9 * DAY - HOUR],
    ],
  },
  {
    ...NO_FREEZE,
    windows: [
      { days: ['sat', 'sun'], from: '08:00', to: '09:00', timeZone: 'UTC' },
      { days: ['thu'], from: '00:00', to: '00:15', timeZone: 'UTC' },
    ],
    openings: [
      [0, HOUR / 4],
      [2 * DAY + 8 * HOUR, 2 * DAY + 9 * HOUR],
      [3 * DAY + 8 * HOUR, 3 * DAY + 9 * HOUR],
      [7 * DAY, 7 * DAY + HOUR / 4],
    ],
  },
  {
    windows: [{ days: ['thu', 'fri'], from: '00:00', to: '24:00', timeZone: 'UTC' }],
    freezes: [
      { from: '2025-12-24T00:00', to: '2026-01-01T02:00', timeZone: 'Europe/Berlin' },
      { from: '2026-01-01T03:00', to: '2026-02-01T00:00', timeZone: 'UTC' },
    ],
    outsideWindow: 'wait',
    openings: [[HOUR, 3 * HOUR]],
  },
  {
    ...NO_FREEZE,
    // In Tokyo it has just closed.
    windows: [{ days: ['thu'], from: '08:00', to: '09:00', timeZone: 'Asia/Tokyo' }],
    openings: [[7 * DAY - HOUR, 7 * DAY]],
  },
  {
    windows: [],
    freezes: [{ from: '2025-12-24T00:00', to: '2026-01-08T00:00', timeZone: 'UTC' }],
    outsideWindow: 'wait',
    openings: [[7 * DAY, ALWAYS]],
  },
  {
    windows: [],
    freezes: [{ from: '2025-12-24T00:00', to: '2026-02-01T00:00', timeZone: 'UTC' }],
    outsideWindow: 'wait',
    openings: [],
  },
  {
    windows: [],
    // It is over in the minute in which the rollout begins.
    freezes: [{ from: '2025-12-24T00:00', to: '2026-01-01T00:00', timeZone: 'UTC' }],
    outsideWindow: 'refuse',
    openings: [[0, ALWAYS]],
  },
  {
    ...REFUSES,
    windows: [{ days: ['thu'], from: '00:15', to: '24:00', timeZone: 'UTC' }],
    openings: [[HOUR / 4, DAY]],
  },
  {
    ...REFUSES,
    windows: [{ days: ['thu'], from: '00:00', to: '02:00', timeZone: 'UTC' }],
    openings: [
      [0, 2 * HOUR],
      [7 * DAY, 7 * DAY + 2 * HOUR],
    ],
  },
];

const questions: fc.Arbitrary<Questions> = fc.record({
  probe: fc.constantFrom(
    PROBE,
    PROBE,
    { ...PROBE, tries: 1 },
    // Nobody can answer it.
    { ...PROBE, hosts: ['*.example.com'] },
    null,
    null,
    null,
  ),
  metrics: fc.oneof(
    fc.constant([]),
    fc.array(fc.constantFrom(...RULES), { minLength: 1, maxLength: 2 }),
  ),
});

/** One of seven: most rollouts are asked for plainly, and what goes wrong in them is not covered up. */
function sometimes<T>(draw: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return oneOf(7, draw);
}

function oneOf<T>(many: number, draw: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(null), weight: many - 1 },
    { arbitrary: draw, weight: 1 },
  );
}
