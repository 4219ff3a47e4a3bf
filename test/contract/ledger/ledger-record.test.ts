import { describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { completePolicy } from '../../../lib/contract/config/policy.ts';
import { decodeRecord, encodeRecord } from '../../../lib/contract/ledger/envelope.ts';
import { requestRecord, signalRecord } from '../../../lib/contract/ledger/records.ts';
import { WRITE_OPERATIONS } from '../../../lib/domain/endpoint/journal.ts';
import { journalEntry } from '../../../lib/domain/endpoint/stored.ts';
import { PRESET_NAMES } from '../../../lib/domain/rollout/default-policy.ts';
import { LEFT_OUT_REASONS } from '../../../lib/domain/rollout/plan.ts';
import { FAILURE_POLICIES } from '../../../lib/domain/rollout/policy.ts';
import type { AskedRequest } from '../../../lib/domain/rollout/request.ts';
import * as stored from '../../../lib/domain/rollout/stored.ts';
import { SIGNAL_KINDS } from '../../../lib/domain/signals/signals.ts';
import {
  afterTarget,
  FULL_REQUEST,
  line,
  planBackOf,
  plannedBack,
  planOf,
  progressOf,
  recordOf,
  seen,
  signal,
} from '../../domain/examples.ts';
import { textFromTomorrow } from '../../support/from-tomorrow.ts';
import { notBegun } from '../../support/not-begun.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';

const { ids: _forward, ...plan } = planOf([1, 2], {
  leftOut: LEFT_OUT_REASONS.map((reason) => ({ endpointId: reason, name: null, reason })),
});
const { ids: _back, ...back } = planBackOf(2, {
  endpoints: [plannedBack('web-1', { leftAs: 'broken' }), plannedBack('web-2')],
});
const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
const { request } = recordOf();
const gates = {
  wave: 1,
  at: 5,
  answers: [{ kind: 'alarm', name: 'errors', verdict: 'unknown', detail: 'no data' }],
} as const;
const progress = progressOf(
  1,
  [
    seen('pending'),
    {
      ...afterTarget(seen('reverted', 2)),
      since: 5,
      elsewhere: { of: 'target', version: 2 },
      changedAt: 4,
    },
  ],
  {
    direction: 'back',
    silentMs: 1,
    bakedMs: 2,
    converged: { at: 7, watched: 8 },
    resumed: 5,
    looks: 9,
    fastestRollMs: 3,
    gates,
  },
);

const roundTrip = (schema: z.ZodType, value: unknown) => decodeRecord(schema, encodeRecord(value));

test('a request from before some of its fields is read with their defaults', () => {
  const { maxVersionStep: _, statuses, ...rest } = request.policy;
  const { serving: __, ...words } = statuses;
  const older = { ...rest, statuses: words };
  expect(decodeRecord(requestRecord, encodeRecord({ ...request, policy: older }))).toEqual({
    ...request,
    policy: {
      ...request.policy,
      maxVersionStep: 1000,
      statuses: { ...statuses, serving: WHOLE_POLICY.statuses.serving },
    },
  });
});

/** What version 0.1.0 has stored: rollouts outlive the deployment that began them, so this is never changed. */
const POLICY_OF_0_1_0 = {
  selection: { names: [], ids: [], exclude: [] },
  waves: [{ endpoints: 1 }, { percent: 100 }],
  maxUnavailable: { percent: 33 },
  failureThreshold: { endpoints: 0 },
  bakeSeconds: 300,
  pollSeconds: 5,
  maxPollSeconds: 30,
  progressDeadlineSeconds: 600,
  onFailure: 'stop-old',
  minServing: 1,
  protect: [],
  allowDowngrade: false,
  verify: { probe: null, alarms: [], approval: null },
  statuses: { failed: ['ERROR'], stopped: ['STOPPED'] },
  windows: [],
  freezes: [],
  outsideWindow: 'wait',
  onConflict: 'refuse',
};

test('A11: a policy that version 0.1.0 has stored is read, whatever settings there are now', () => {
  const stored = encodeRecord({ ...request, policy: POLICY_OF_0_1_0 });

  expect(decodeRecord(requestRecord, stored).policy).toEqual({
    ...WHOLE_POLICY,
    ...POLICY_OF_0_1_0,
    verify: { ...WHOLE_POLICY.verify, ...POLICY_OF_0_1_0.verify },
    statuses: { ...WHOLE_POLICY.statuses, ...POLICY_OF_0_1_0.statuses },
  });
});

test('A11: a progress from when silent gates were only words is read without them', () => {
  const older = encodeRecord({ ...progressOf(0, []), unanswered: 'alarm errors: no data' });
  expect(decodeRecord(stored.waveProgress, older)).toEqual(progressOf(0, []));
});

describe('a record', () => {
  test.each<[string, z.ZodType<unknown>, unknown]>([
    ['the plan', stored.rolloutPlan, plan],
    ['the way back', stored.rollback, { cause, plan: back, seen: [seen('converged', 2)] }],
    [
      'the journal',
      z.array(journalEntry),
      WRITE_OPERATIONS.map((operation) => ({ ...line(operation, 'a', 'unknown'), retryAt: 7 })),
    ],
    ['the progress', stored.waveProgress, progress],
    ['the progress of a wave that began just now', stored.waveProgress, progressOf(0, [])],
    ['the outcome', stored.outcome, { ...cause, cleanup: 'rolledBack' }],
    ...SIGNAL_KINDS.flatMap((kind) =>
      FAILURE_POLICIES.map((onFailure): [string, z.ZodType<unknown>, unknown] => [
        `to ${kind}, and ${onFailure}`,
        signalRecord,
        signal(kind, { onFailure }),
      ]),
    ),
    ['a signal that leaves the rest to the policy', signalRecord, signal('abort')],
  ])('is read as it was written: %s', (_, schema, value) => {
    expect(roundTrip(schema, value)).toEqual(value);
    const newer = textFromTomorrow(encodeRecord(value));
    expect(decodeRecord(schema, newer)).toEqual(value);
  });

  test.each<[string, AskedRequest]>([
    ['with all that is known of it', request],
    ['of which little is known', { ...request, desiredVersion: null, policy: null }],
    ['with every field', FULL_REQUEST],
    ...PRESET_NAMES.map((preset): [string, AskedRequest] => [
      `with the preset ${preset}`,
      { ...request, policy: completePolicy({ preset }) },
    ]),
  ])('of a request is read as it was written: %s', (_, asked) => {
    expect(roundTrip(requestRecord, asked)).toEqual(asked);
  });

  test.each([notBegun(5), notBegun(5, { until: 9 })])(
    'of what a rollout waits for is read as it was written',
    ({ wait, opening }) => {
      expect(roundTrip(stored.wait, wait)).toEqual(wait);
      expect(roundTrip(stored.opening, opening)).toEqual(opening);
    },
  );

  test.each(PRESET_NAMES)(
    'A11: a request of the preset %s is read without what a newer steproll adds',
    (preset) => {
      const asked = { ...request, policy: completePolicy({ preset }) };
      const text = textFromTomorrow(encodeRecord(asked));
      expect(decodeRecord(requestRecord, text)).toEqual(asked);
    },
  );

  test('the plan reads back in the very same form, so that its name stays the same', () => {
    expect(JSON.stringify(roundTrip(stored.rolloutPlan, plan))).toBe(JSON.stringify(plan));
  });

  test.each<[string, z.ZodType<unknown>, object]>([
    ['a plan that does not say which way', stored.rolloutPlan, { ...plan, direction: undefined }],
    ['a plan of another way', stored.rolloutPlan, { ...plan, direction: 'sideways' }],
    ['a wave without a bake', stored.rolloutPlan, { ...plan, waves: [{ from: 0, to: 3 }] }],
    [
      'an endpoint that goes nowhere',
      stored.rolloutPlan,
      { ...plan, endpoints: plan.endpoints.map(({ desiredVersion, ...rest }) => rest) },
    ],
    ['a way back without a reason', stored.rollback, { plan: back, seen: [] }],
    ['a signal of nobody', signalRecord, { ...signal('abort'), by: undefined }],
    ['a progress that does not bake', stored.waveProgress, { ...progress, bakedMs: undefined }],
    [
      'a progress that does not say how often it looked',
      stored.waveProgress,
      { ...progress, looks: undefined },
    ],
    [
      'an endpoint that is not broken, said at length',
      stored.rollback,
      {
        cause,
        plan: { ...back, endpoints: [plannedBack('web-1', { isBroken: false } as object)] },
      },
    ],
  ])('A11: is refused: %s', (_, schema, value) => {
    expect(() => roundTrip(schema, value)).toThrow(
      expect.objectContaining({ name: 'IncompatibleState' }),
    );
  });

  test('A11: a signal of another kind says nothing', () => {
    expect(roundTrip(signalRecord, { ...signal('abort'), kind: 'pause' })).toBeNull();
  });

  test('A11: an answer of a gate that only a newer steproll knows is read', () => {
    const answers = gates.answers.map((one) => ({ ...one, kind: 'trace' }));
    const newer = { ...progress, gates: { ...gates, answers } };
    expect(roundTrip(stored.waveProgress, newer)).toEqual(newer);
  });

  test.each([
    [
      3,
      'Once no rollout of it is under way, deploy the stack with this steproll: it gets a new table',
    ],
    [7, 'Update this steproll'],
  ])('A11: of number %i is refused, and says what to do', (schemaVersion, remedy) => {
    const text = JSON.stringify({ schemaVersion, value: plan });
    expect(() => decodeRecord(stored.rolloutPlan, text)).toThrow(
      expect.objectContaining({
        name: 'IncompatibleState',
        message: expect.stringContaining(
          `a record has number ${schemaVersion}, this steproll reads 6. ${remedy}`,
        ),
      }),
    );
  });
});
