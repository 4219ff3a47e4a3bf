import fc from 'fast-check';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { ListFault, WriteFault } from '../../../lib/rehearsal/faults.ts';
import { endpointName } from '../../support/endpoint-names.ts';
import { gatesIn } from '../../support/gates-in.ts';
import type { Stall } from '../../support/stalling-ledger.ts';
import { checkedBeside, withCheck } from './draw-check.ts';
import { crowdBeside, withCrowd } from './draw-crowd.ts';
import { heldBeside, promotedBeside, withHolds, withPromotions } from './draw-holds.ts';
import { pinsBeside, withPins } from './draw-pins.ts';
import { requestOf, type Undemanding, withOnly, withRequest } from './draw-request.ts';
import { ringsBeside, withRings } from './draw-rings.ts';
import { silentBeside, withSilence } from './draw-silence.ts';
import { votersBeside, withVoters } from './draw-voters.ts';
import { windowsBeside, withWindows } from './draw-windows.ts';
import {
  type Act,
  isRelease,
  type Ordeal,
  type OrdealDeath,
  type OrdealPolicy,
  type Undo,
} from './ordeal.ts';
import { WATCHER } from './probe-rule.ts';
import { SITUATIONS } from './situations/all.ts';
import type { Dice } from './situations/situation.ts';
import { maybeWire, withWire } from './wire/draw-wire.ts';

const TEN_DAYS = 10 * 24 * 3600;
const HORIZON_SECONDS = 500;
/** Most rollouts are over long before the horizon, and what comes later meets nobody. */
const second = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.integer({ min: 0, max: HORIZON_SECONDS / 5 }), weight: 2 },
  { arbitrary: fc.integer({ min: 0, max: HORIZON_SECONDS }), weight: 1 },
);
/** The number of a call of the ledger. Most rollouts make some dozens. */
const point = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.integer({ min: 1, max: 40 }), weight: 2 },
  { arbitrary: fc.integer({ min: 1, max: 120 }), weight: 1 },
);
const percent = fc.constantFrom(25, 34, 50, 75, 100);

const waves = fc.constantFrom<RolloutPolicy['waves']>(
  [{ percent: 100 }],
  [{ endpoints: 1 }, { percent: 100 }],
  [{ endpoints: 1 }, { percent: 50 }, { percent: 100 }],
  [{ percent: 25 }, { percent: 50 }, { percent: 75 }, { percent: 100 }],
  [{ endpoints: 1 }, { percent: 5, bakeSeconds: 180 }, { percent: 100 }],
);

const policy: fc.Arbitrary<OrdealPolicy> = fc.record({
  waves,
  maxUnavailable: percent.map((share) => ({ percent: share })),
  failureThreshold: fc.constantFrom({ endpoints: 0 }, { endpoints: 1 }, { percent: 50 }),
  onFailure: fc.constantFrom<RolloutPolicy['onFailure'][]>(
    'stop-old',
    'roll-back',
    'hold',
    { stuck: 'stop-old', bad: 'roll-back' },
    { stuck: 'hold', bad: 'roll-back' },
    { stuck: 'roll-back', bad: 'stop-old' },
  ),
  bakeSeconds: fc.constantFrom(0, 30, 120),
  pollSeconds: fc.constantFrom(5, 15),
  maxPollSeconds: fc.constantFrom(15, 30),
  progressDeadlineSeconds: fc.constantFrom(90, 180, 187, 600),
  minServing: fc.constantFrom(0, 1, 3, { percent: 50 }),
  selection: fc.constant({ names: [], ids: [], exclude: [] }),
  protect: fc.constant([]),
  maxVersionStep: fc.constant(1_000),
  allowDowngrade: fc.constant(true),
  onConflict: fc.constantFrom('refuse', 'latest'),
  verify: fc.record({
    probe: fc.constant(null),
    alarms: fc.constantFrom([], ['errors']),
    metrics: fc.constant([]),
    everySeconds: fc.constantFrom(60, 60, 60, 15, 50, 300),
    warmUpSeconds: fc.constantFrom(0, 0, 0, 0, 30, 100),
    approval: rarely(
      fc.record({
        timeoutSeconds: fc.constantFrom(30, 300),
        onTimeout: fc.constantFrom('approve', 'approve', 'reject'),
      }),
    ),
  }),
});

const listFault: fc.Arbitrary<ListFault> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      'frozen',
      'flash',
      'blind',
      'empty',
      'short',
      'some',
      'most',
      'hidden',
      'dark',
      'relapse',
      'odd',
      'UpstreamTransient',
      'ListUnstable',
    ),
    fromSecond: second,
    seconds: fc.integer({ min: 1, max: 55 }),
  }),
  fc.record({
    kind: fc.constantFrom('UpstreamTimeout', 'UpstreamThrottled', 'UpstreamAuth', 'empty'),
    fromSecond: second,
    seconds: fc.integer({ min: 1, max: 900 }),
  }),
);

const ANSWERS = ['lost', 'forgotten', 'unheard', 'late', 'queued'] as const;
const REFUSALS = [
  'UpstreamTimeout',
  'UpstreamConflict',
  'UpstreamThrottled',
  'UpstreamTransient',
  'UpstreamNotFound',
  'UpstreamRejected',
  'UpstreamAuth',
] as const;

function ordealOf(names: readonly string[]): fc.Arbitrary<Ordeal> {
  const endpoint = fc.constantFrom(...names);
  const common = { endpoint, version: fc.constantFrom(1, 2, 2, 2, 5) };
  const afterReplicas = fc.integer({ min: 0, max: 3 });
  const afterSeconds = fc.integer({ min: 1, max: 200 });
  const kind = <K extends string>(word: K) => fc.constant(word);
  const fault = fc.oneof(
    fc.record({ ...common, kind: kind('stuck'), afterReplicas }),
    fc.record({ ...common, kind: kind('fail'), afterReplicas }),
    fc.record({ ...common, kind: kind('slow'), rollSeconds: fc.constantFrom(90, 170, 400) }),
    fc.record({ ...common, kind: kind('regress'), afterSeconds }),
    fc.record({ ...common, kind: kind('vanish'), afterSeconds }),
    fc.record({
      ...common,
      kind: kind('take-back'),
      afterSeconds,
      status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ERROR'),
      reason: fc.constant('The health check of the service failed.'),
    }),
    fc.record({ ...common, kind: kind('crash'), afterSeconds }),
    fc.record({
      ...common,
      kind: kind('refuse'),
      httpStatus: fc.constantFrom(400, 403, 404, 409, 429, 503),
      times: fc.integer({ min: 1, max: 6 }),
    }),
    fc.record({
      endpoint,
      kind: kind('busy'),
      httpStatus: fc.constantFrom(400, 409, 423),
      fromSecond: fc.oneof(fc.constant(0), second),
      seconds: fc.constantFrom(3, 20, 90, 300, 2000),
    }),
  );
  const write: fc.Arbitrary<WriteFault> = fc.record({
    operation: fc.constantFrom('roll', 'stop'),
    endpoint,
    nth: fc.constantFrom(1, 1, 1, 2, 3),
    kind: fc.constantFrom(...ANSWERS, 'ignored', 'mute', ...REFUSALS),
    seconds: fc.integer({ min: 1, max: 50 }),
  });
  const atSecond = fc.oneof(
    { arbitrary: second, weight: 5 },
    { arbitrary: fc.constant('before' as const), weight: 2 },
  );
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ atSecond, kind: kind('move'), endpoint, version: fc.constantFrom(1, 2, 5, 7) }),
    fc.record({ atSecond, kind: kind('stop'), endpoint }),
    fc.record({ atSecond: second, kind: kind('create') }),
    fc.record({
      atSecond: second,
      kind: fc.constantFrom('approve', 'reject'),
      wave: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({
      atSecond: second,
      kind: kind('abort'),
      onFailure: fc.constantFrom('stop-old', 'roll-back', 'hold', null),
    }),
    fc.record({
      atSecond: second,
      kind: fc.constantFrom('rival', 'absurd', 'stale', 'twin', 'lower'),
    }),
  );
  const death: fc.Arbitrary<OrdealDeath> = fc
    .record({
      error: fc.constantFrom(
        'LedgerUnavailable',
        'Lambda.ServiceException',
        'Lambda.Unknown',
        'Runtime.ExitError',
        'Sandbox.Timedout',
        'Killed',
        'Killed',
      ),
      when: fc.constantFrom('before', 'after'),
      at: fc.oneof(
        fc.record({ since: fc.constant(null), point }),
        fc.record({
          since: fc.constantFrom('started', 'wave-started', 'wave-converged', 'failing'),
          point: fc.integer({ min: 1, max: 8 }),
        }),
      ),
    })
    .map(({ at, ...rest }) => ({ ...rest, ...at }));
  const stall: fc.Arbitrary<Stall> = fc.record({
    point: fc.oneof(point, fc.integer({ min: 1, max: 8 })),
    at: fc.constantFrom('any', 'any', 'append', 'hear'),
    when: fc.constantFrom('before', 'after'),
    seconds: fc.integer({ min: 1, max: 900 }),
    isRaced: fc.boolean(),
  });
  const ordeals: fc.Arbitrary<Undemanding> = fc.record({
    endpoints: fc.tuple(
      ...names.map((name) => fc.record({ name: fc.constant(name), version: previousVersion })),
    ),
    rollSeconds: fc.constantFrom(5, 20, 60),
    policy,
    broken: few(fault),
    lists: few(listFault),
    writes: few(write),
    people: few(act),
    word: rarely(
      fc.record({
        said: fc.constantFrom('hold', 'stop-old', 'roll-back', null),
        at: fc.constantFrom('roll', 'roll-back', 'stop', 'close'),
        nth: fc.constantFrom(1, 1, 2, 3),
      }),
    ),
    alarms: few(
      fc.record({
        verdict: fc.constantFrom('fail', 'unknown'),
        fromSecond: second,
        seconds: fc.integer({ min: 1, max: 300 }),
      }),
    ),
    clock: rarely(
      fc.record({
        fromSecond: second,
        seconds: fc.integer({ min: 1, max: 300 }),
        offsetMs: fc.constantFrom(-3_600_000, -30_000, 30_000, 3_600_000),
      }),
    ),
    busDown: rarely(fc.record({ fromSecond: second, seconds: fc.integer({ min: 1, max: 2000 }) })),
    death: rarely(death),
    resumesAfter: fc.oneof(
      { arbitrary: fc.integer({ min: 0, max: 900 }), weight: 4 },
      { arbitrary: fc.constant(null), weight: 1 },
    ),
    stall: rarely(stall),
    badReleases: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 3),
    earlier: fc.constant(null),
    ahead: fc.constant(null),
    guises: fc.constant([]),
    wire: fc.constant(null),
    undo: undoOf(endpoint),
    latencyMs: fc.constantFrom(0, 0, 300, 2000),
    opensAfter: fc.constantFrom(0, 0, 0, 0, 900),
    executionSeconds: fc.constantFrom(TEN_DAYS, TEN_DAYS, TEN_DAYS, 300),
    executionEvents: fc.constantFrom(10_000, 10_000, 200, 60, 0),
  });
  const draws = fc.tuple(
    pinsBeside,
    windowsBeside,
    ringsBeside,
    votersBeside,
    crowdBeside,
    silentBeside,
    checkedBeside,
    heldBeside,
    promotedBeside,
    ordeals,
    fc.record(requestOf(names, second)),
    maybeWire,
  );
  return draws.map(
    ([
      pins,
      windows,
      rings,
      voters,
      crowd,
      silent,
      checked,
      held,
      promoted,
      drawn,
      request,
      wire,
    ]) => {
      const plain = withStops(withAlarmsToAsk(withOnly(request.only, drawn)));
      const asked = withRequest(plain, request);
      const { situation, dice } = request;
      const all = situation === null ? asked : SITUATIONS[situation](asked, dice);
      const told = withHolds(withPromotions(all, promoted), held);
      const whole = withWatcher(withWire(withEndToUndo(withWarmUpInTime(told)), wire), dice);
      const crowded = withCrowd(withSilence(withCheck(whole, checked), silent), crowd);
      const timed = withVoters(withWindows(withRings(crowded, rings), windows), voters);
      return withPins(timed, pins);
    },
  );
}

/** Where gates decide, one more may watch. It changes nothing, so that nothing more is drawn for it. */
function withWatcher(ordeal: Ordeal, { at, lasts, pick }: Dice): Ordeal {
  const { policy } = ordeal;
  const { alarms } = gatesIn(policy);
  if (alarms.length === 0 || pick % 2 === 1) return ordeal;
  const verdict = pick % 3 === 2 ? 'unknown' : 'fail';
  const verify = { ...policy.verify, alarms: [...alarms, { name: WATCHER, enforce: false }] };
  const watcher = { verdict, fromSecond: at, seconds: lasts } as const;
  return { ...ordeal, policy: { ...policy, verify }, watcher };
}

function withStops(ordeal: Undemanding): Undemanding {
  return withWavesToHide(withStopsToSpare(withStopsToHalt(withStopsToDisturb(ordeal))));
}

/** An alarm that nobody asks disturbs nobody. */
function withAlarmsToAsk(ordeal: Undemanding): Undemanding {
  const { policy, alarms } = ordeal;
  if (alarms.length === 0) return ordeal;
  return { ...ordeal, policy: { ...policy, verify: { ...policy.verify, alarms: ['errors'] } } };
}

/** What goes wrong with a stop needs that stop: its endpoint is rolled and gets stuck, and nothing else keeps it. */
function withStopsToDisturb(ordeal: Undemanding): Undemanding {
  const { writes, endpoints, policy, broken } = ordeal;
  const names = writes.flatMap(({ operation, endpoint }) =>
    operation === 'stop' ? [endpoint] : [],
  );
  if (names.length === 0) return ordeal;
  return {
    ...ordeal,
    endpoints: endpoints.map((one) => (names.includes(one.name) ? { ...one, version: 1 } : one)),
    broken: [...names.map((endpoint) => ({ endpoint, kind: 'stuck' })), ...broken],
    policy: { ...policy, onFailure: 'stop-old', minServing: 0 },
  };
}

/** What fails for two reads and has recovered in the third one is there to be stopped, while it is on its way. */
function withStopsToSpare(ordeal: Undemanding): Undemanding {
  const { lists, policy, latencyMs } = ordeal;
  if (!lists.some(({ kind }) => kind === 'relapse')) return ordeal;
  const whileItRolls = { fromSecond: 8, seconds: 55 };
  return {
    ...ordeal,
    lists: lists.map((one) => (one.kind === 'relapse' ? { ...one, ...whileItRolls } : one)),
    policy: { ...policy, onFailure: 'stop-old', minServing: 0 },
    latencyMs: Math.max(latencyMs, 300),
  };
}

/** What is said in the midst of stops needs stops, one after the other: all that is rolled gets stuck. */
function withStopsToHalt(ordeal: Undemanding): Undemanding {
  const { word, endpoints, policy, latencyMs, death, stall } = ordeal;
  if (word?.at !== 'stop' || death !== null || stall !== null) return ordeal;
  return {
    ...ordeal,
    endpoints: endpoints.map((one) => ({ ...one, version: 1 })),
    broken: endpoints.map(({ name }) => ({ endpoint: name, kind: 'stuck' })),
    policy: {
      ...policy,
      waves: [{ percent: 100 }],
      maxUnavailable: { percent: 100 },
      onFailure: 'stop-old',
      minServing: 0,
    },
    latencyMs: Math.max(latencyMs, 300),
  };
}

/** What tells no versions hides something when a wave has converged and the next one is half done. */
function withWavesToHide(ordeal: Undemanding): Undemanding {
  const { lists, endpoints, policy } = ordeal;
  const [only, ...others] = lists;
  if (only?.kind !== 'blind' || others.length > 0) return ordeal;
  return {
    ...ordeal,
    endpoints: endpoints.map((one) => ({ ...one, version: 1 })),
    rollSeconds: 20,
    lists: [{ ...only, fromSecond: 30 + (only.fromSecond % 40), seconds: 10 + only.seconds }],
    policy: {
      ...policy,
      waves: [{ endpoints: 1 }, { percent: 100 }],
      maxUnavailable: { percent: 25 },
      bakeSeconds: 0,
      progressDeadlineSeconds: 600,
    },
  };
}

/** Few: it takes as long as another rollout. */
function undoOf(endpoint: fc.Arbitrary<string>): fc.Arbitrary<Undo | null> {
  const version = fc.constantFrom(null, 1, 2, 5);
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(null), weight: 11 },
    {
      arbitrary: fc.record<Undo>({
        afterSeconds: fc.constantFrom(0, 0, 0, 50, 300, 3600),
        meanwhile: few(fc.record({ endpoint, version })),
        oldReads: fc.constant(0),
      }),
      weight: 1,
    },
  );
}

/** A warm-up is no longer than the shortest bake. */
function withWarmUpInTime(ordeal: Ordeal): Ordeal {
  const { policy } = ordeal;
  const { warmUpSeconds = 0 } = policy.verify;
  const shortest = Math.min(...policy.waves.map((wave) => wave.bakeSeconds ?? policy.bakeSeconds));
  const verify = { ...policy.verify, warmUpSeconds: Math.min(warmUpSeconds, shortest) };
  return { ...ordeal, policy: { ...policy, verify } };
}

/** Who undoes it has the runtime for himself, and nobody else has it or moves anything after its end. */
function withEndToUndo(ordeal: Ordeal): Ordeal {
  const { people, stall, clock, badReleases } = ordeal;
  const isAlone =
    badReleases === 0 &&
    clock === null &&
    stall?.isRaced !== true &&
    !people.some((act) => isRelease(act) || act.atSecond === 'seen');
  return isAlone ? ordeal : { ...ordeal, undo: null };
}

/** Mostly one below the desired version; some at it already, some above. */
const previousVersion = fc.constantFrom(1, 1, 1, 1, 2, 3);

/** Mostly none: where everything goes wrong at once, nothing is found out. */
function few<T>(fault: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> {
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant([]), weight: 3 },
    { arbitrary: fc.array(fault, { minLength: 1, maxLength: 1 }), weight: 3 },
    { arbitrary: fc.array(fault, { minLength: 2, maxLength: 3 }), weight: 2 },
  );
}

function rarely<T>(fault: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(null), weight: 3 },
    { arbitrary: fault, weight: 1 },
  );
}

export const ordeal: fc.Arbitrary<Ordeal> = fc
  .oneof(
    { arbitrary: fc.integer({ min: 1, max: 8 }), weight: 12 },
    // More than the writes that go at once.
    { arbitrary: fc.integer({ min: 9, max: 12 }), weight: 1 },
  )
  .chain((count) => ordealOf(Array.from({ length: count }, (_, index) => endpointName(index + 1))));
