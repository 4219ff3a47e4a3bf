import * as z from 'zod';
import { secondsOf } from '../../domain/durations.ts';
import { describeWhere } from '../../domain/endpoint/attributes.ts';
import { UNKNOWN_STATUS } from '../../domain/endpoint/endpoint.ts';
import { LONGEST_QUARANTINE_MS } from '../../domain/holds/hold.ts';
import { describeSize, sizeIn } from '../../domain/planning/waves.ts';
import { DEFAULT_POLICY, PRESET_NAMES, PRESETS } from '../../domain/rollout/default-policy.ts';
import {
  CONFLICT_POLICIES,
  FAILURE_POLICIES,
  type FailurePolicy,
  faultOfWarmUp,
  OUTSIDE_WINDOW,
  type RolloutPolicy,
  type Tolerance,
  type Verification,
  type Wave,
  type WaveSize,
  WINDOWS_BIND,
} from '../../domain/rollout/policy.ts';
import { isEverOpen } from '../../domain/turn/fits-window.ts';
import { rulesOfWave } from '../../domain/turn/roll-window.ts';
import { rulesOfStart } from '../../domain/turn/window.ts';
import { askedGates } from '../../gates/gates.ts';
import { seconds, word, words } from '../input/checks.ts';
import { LOCKABLE } from './locked.ts';
import { NO_GATES, verification } from './verification.ts';
import { whereSchema } from './where.ts';
import { deploymentWindowSchema, freezeSchema, type WrittenWindow } from './windows.ts';

const percent = z.number().positive().max(100).describe('Share of the endpoints, rounded down.');
const endpoints = z.int().min(1).describe('Number of endpoints.');

export const waveSize: z.ZodType<WaveSize, WaveSize> = z.union([
  z.strictObject({ endpoints }),
  z.strictObject({ percent }),
]);

const anyNumber = z.strictObject({ endpoints: z.int().min(0).describe('Number of endpoints.') });
const anyShare = z.number().min(0).max(100);
const tolerance: z.ZodType<Tolerance, Tolerance> = z.union([
  anyNumber,
  z.strictObject({ percent: anyShare.describe('Share of the wave, rounded down.') }),
]);

export const minServing: z.ZodType<number | Tolerance, number | Tolerance> = z.union([
  z.int().min(0),
  anyNumber,
  z.strictObject({
    percent: anyShare.describe('Share of all listed endpoints, stopped ones included, rounded up.'),
  }),
]);

const windows = z.array(deploymentWindowSchema).max(50);

const ofOne = {
  bakeSeconds: seconds
    .min(0)
    .optional()
    .describe('Bake of this wave alone. Default: as in the policy.'),
  windows: windows
    .optional()
    .describe(
      'When this wave may be rolled: it narrows the windows of the policy. Default: at any time.',
    ),
};

export type WrittenWave = Wave extends infer W
  ? W extends Wave
    ? Omit<W, 'windows'> & { readonly windows?: readonly WrittenWindow[] | undefined }
    : never
  : never;

const share = percent.describe(
  'Share of the endpoints, or beside where of those with these attributes, rounded down.',
);

const wave: z.ZodType<Wave, WrittenWave> = z.union([
  z.strictObject({ where: whereSchema, percent: share, ...ofOne }),
  z.strictObject({ where: whereSchema, endpoints, ...ofOne }),
  z.strictObject({ endpoints, ...ofOne }),
  z.strictObject({ percent: share, ...ofOne }),
  z.strictObject({
    names: words.min(1).describe('Names or ids; * stands for any run of characters of a name.'),
    where: z.never({ error: 'leave it out beside names' }).optional(),
    ...ofOne,
  }),
  z.strictObject({ where: whereSchema, names: z.never().optional(), ...ofOne }),
]);

export function onFailureOf<Policy extends FailurePolicy>(policies: readonly Policy[]) {
  const words = policies.map((policy) => JSON.stringify(policy)).join(', ');
  // Whatever is given, zod reports what this branch says.
  const error = `use one of ${words}, or one for each kind of failure: {"stuck": …, "bad": …}`;
  const each = z.enum(policies);
  return z.union([z.enum(policies, { error }), z.strictObject({ stuck: each, bad: each })]);
}

/** Counts rise and percentages rise, each kind and each ring by itself, and the last wave is everything. */
export const waves = z
  .array(wave)
  .min(1)
  .max(100)
  .check(({ value, issues }) => {
    const last = value.at(-1);
    if (last !== undefined && !isEverything(last)) {
      const message = 'end with 100%, or part of the fleet would stay behind';
      issues.push({ code: 'custom', message, input: describeSize(last), path: [value.length - 1] });
    }
    value.forEach((size, index) => {
      const before = value.slice(0, index).findLast((each) => isOfSameRing(each, size));
      if (before !== undefined && !rises(before, size)) {
        const of = 'where' in size ? ' of this ring' : '';
        const message = `use more than in the wave before${of}, sizes are cumulative`;
        issues.push({ code: 'custom', message, input: describeSize(size), path: [index] });
      }
    });
  });

function isEverything(wave: Wave): boolean {
  return 'percent' in wave && wave.percent === 100 && !('where' in wave);
}

/** Waves of names have no size, and the other ones are of the ring that is all endpoints. */
function isOfSameRing(before: Wave, wave: Wave): boolean {
  if ('names' in before || 'names' in wave) return false;
  const ringOf = (one: Wave) => ('where' in one ? describeWhere(one.where) : null);
  return ringOf(before) === ringOf(wave);
}

function rises(earlier: Wave, later: Wave): boolean {
  const [before, size] = [sizeIn(earlier), sizeIn(later)];
  if ('endpoints' in before && 'endpoints' in size) return size.endpoints > before.endpoints;
  if ('percent' in before && 'percent' in size) return size.percent > before.percent;
  return !('percent' in before && 'endpoints' in size);
}

const statusWords = {
  failed: words.describe(
    'Status words of broken endpoints. Default: ERROR, FAILED, *_FAILED and *_ERROR; with AgentCore *_FAILED.',
  ),
  stopped: words.describe(
    'Status words of endpoints that are stopped, or about to be. Default: STOPPED and STOPPING; with AgentCore DELETING.',
  ),
  serving: words.describe(
    'Status words of endpoints that certainly serve. If no endpoint shows one of them when the plan is made, but two or more have their target version live, with replicas, and all that are neither failed nor stopped show the same status, that status counts too where stops are decided. Default: ACTIVE, AVAILABLE, HEALTHY, IN_SERVICE, LIVE, ONLINE, READY and RUNNING; with AgentCore READY.',
  ),
  busy: words.describe(
    'Status words of endpoints that the service is at work on. While an endpoint shows one of them, others are rolled first, and no refusal of its roll is final. Default: CREATING, UPDATING, MODIFYING, PROVISIONING, DEPLOYING, STARTING, RESTARTING, SCALING, BUSY, LOCKED, PENDING, *_PENDING, WAITING_* and *_PROGRESS; with AgentCore CREATING and UPDATING.',
  ),
  unknown: z
    .enum(UNKNOWN_STATUS)
    .describe(
      'What follows when the version is live on an endpoint whose status is none of these words, and none that an endpoint at rest showed when the plan was made, whatever numbers are in it. wait: the wave waits, and at the progress deadline the endpoint is stuck. accept: it counts as well. Default: wait.',
    ),
};

export const locked = z
  .array(z.enum(LOCKABLE))
  .describe(
    'Fields that may be overridden only so that they ask at least as much: docs/security.md. With any list, gates call only what the configuration names. Default: on AWS verify, maxVersionStep and protect; else none.',
  );

const QUARANTINE_WORDS = 'use 0, or a whole number with s, m, h or d, at most "30d"';

/** One schema for each field, for code that takes a policy in pieces. The descriptions are for editors. */
export const policyFields = {
  selection: z
    .strictObject({
      names: words
        .default([])
        .describe('Names or ids; * stands for any run of characters of a name.'),
      ids: words.default([]).describe('Ids, in addition to the names.'),
      exclude: words
        .default([])
        .describe('Names or ids to leave out, although names and ids select them.'),
      where: whereSchema
        .optional()
        .describe('Of those, only endpoints with these attributes. Default: all of them.'),
    })
    .describe('Which endpoints are rolled. Default: all.'),
  waves: waves.describe(
    'Cumulative sizes, rising, names, or rings. Default: 1 endpoint, 25 %, 100 %.',
  ),
  maxUnavailable: waveSize.describe(
    'How many endpoints may be in mid-roll at once. Default: 33 %.',
  ),
  failureThreshold: tolerance.describe(
    'How many endpoints of a wave may fail or vanish while it goes on. One that is stuck is neither. Default: none.',
  ),
  bakeSeconds: seconds.min(0).describe('Wait before a converged wave is trusted. Default: 300.'),
  pollSeconds: seconds.min(1).describe('Shortest time between two reads of the list. Default: 5.'),
  maxPollSeconds: z
    .int()
    .min(1)
    .max(3600)
    .describe('Longest time between two reads of the list. Default: 30.'),
  progressDeadlineSeconds: seconds
    .min(1)
    .describe('A wave that makes no progress for so many seconds has failed. Default: 600.'),
  onFailure: onFailureOf(FAILURE_POLICIES).describe(
    'What happens to the endpoints that were rolled when a rollout fails: one word, or one for each kind of failure. stuck: an endpoint did not get to the version; bad: it did, and is no good. Default: stop-old for stuck, roll-back for bad; with AgentCore roll-back for both.',
  ),
  minServing: minServing.describe(
    'A stop that would leave fewer endpoints serving is kept back. Default: 50 % of all listed ones.',
  ),
  protect: z
    .array(z.union([word, z.strictObject({ where: whereSchema })]))
    .max(1_000)
    .describe(
      'What is never stopped: names or ids, in which * stands for any run of characters, or {"where": …}. Default: none.',
    ),
  allowDowngrade: z
    .boolean()
    .describe('Whether endpoints may go to a version below their own. Default: false.'),
  maxVersionStep: z
    .int()
    .min(1)
    .describe(
      'How far a version may be above the highest one that is live in the runtime. Default: 1000.',
    ),
  verify: verification.describe(
    'What is checked in the bake and after it, before the next wave. Default: nothing.',
  ),
  statuses: z
    .strictObject(statusWords)
    .partial()
    .describe(
      'Status words of the service, compared without case; * stands for any characters. What is left out is as in the policy default, or else as by default.',
    ),
  windows: windows.describe('When rollouts may start. Default: at any time.'),
  freezes: z.array(freezeSchema).max(50).describe('When no rollout may start. Default: never.'),
  outsideWindow: z
    .enum(OUTSIDE_WINDOW)
    .describe('What happens to a rollout that may not start yet. Default: wait.'),
  windowsBind: z
    .enum(WINDOWS_BIND)
    .describe(
      'What windows and freezes bind: the start of a rollout alone, or each roll forward as well. Default: start.',
    ),
  onConflict: z
    .enum(CONFLICT_POLICIES)
    .describe('What happens to a rollout while another one is under way. Default: refuse.'),
  quarantine: z
    .strictObject({
      afterBad: z
        .union([z.literal(0), z.string().refine(isQuarantine)], { error: QUARANTINE_WORDS })
        .describe(
          'For how long: a whole number with s, m, h or d, at most "30d"; 0 for not at all.',
        ),
    })
    .describe(
      'A version that failed as bad is in quarantine for so long: no trigger rolls it. Default: 30d.',
    ),
};

function isQuarantine(text: string): boolean {
  return (secondsOf(text) ?? Number.POSITIVE_INFINITY) * 1000 <= LONGEST_QUARANTINE_MS;
}

/** A complete policy. Only fields may be missing that did not exist yet when the ledger stored it. */
export const policySchema: z.ZodType<RolloutPolicy> = z
  .strictObject({
    ...policyFields,
    maxVersionStep: policyFields.maxVersionStep.default(DEFAULT_POLICY.maxVersionStep),
    statuses: z.strictObject({
      ...statusWords,
      serving: statusWords.serving.default([...DEFAULT_POLICY.statuses.serving]),
      busy: statusWords.busy.default([...DEFAULT_POLICY.statuses.busy]),
      unknown: statusWords.unknown.default(DEFAULT_POLICY.statuses.unknown),
    }),
    windowsBind: policyFields.windowsBind.default(DEFAULT_POLICY.windowsBind),
    maxAtRisk: z.int().min(1).optional(),
    quarantine: policyFields.quarantine.optional(),
    locked: locked.optional(),
  })
  .check(pollFits, gatesFit, windowsFit);

/** A policy as it is written: `completePolicy` fills it in. A field wins over the preset beside it. */
export const partialPolicySchema = z
  .strictObject({
    preset: z.enum(PRESET_NAMES).describe('Waves, limits and bakes that belong together.'),
    ...policyFields,
    locked,
  })
  .partial();
export type PartialPolicy = z.infer<typeof partialPolicySchema>;
/** As it is written: what has a default may be left out. */
export type WrittenPolicy = z.input<typeof partialPolicySchema>;

/**
 * Fills in what is left out, from the preset or else from `defaults`. A bake time holds for all waves, except for
 * waves that have their own bake time in the same place. It wins over the bake times of waves in a preset or in
 * `defaults`, and so do windows. Each list of status words stands for itself.
 */
export function completePolicy(
  {
    preset,
    statuses,
    ...given
  }: Omit<PartialPolicy, 'verify'> &
    Pick<RolloutPolicy, 'maxAtRisk'> & { readonly verify?: Verification | undefined },
  defaults: RolloutPolicy = DEFAULT_POLICY,
): RolloutPolicy {
  const before = { ...defaults, ...(preset && PRESETS[preset]) };
  const waves = before.waves.map(({ bakeSeconds, windows, ...size }) => ({
    ...size,
    ...(bakeSeconds !== undefined && given.bakeSeconds === undefined && { bakeSeconds }),
    ...(windows !== undefined && given.windows === undefined && { windows }),
  }));
  const complete: RolloutPolicy = { ...before, waves, ...whatIsSaid(given) };
  return {
    ...complete,
    statuses: { ...before.statuses, ...whatIsSaid(statuses ?? {}) },
    verify: { ...NO_GATES, ...complete.verify },
  };
}

function whatIsSaid(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function pollFits({ value, issues }: z.core.ParsePayload<RolloutPolicy>): void {
  if (value.pollSeconds <= value.progressDeadlineSeconds) return;
  issues.push({
    code: 'custom',
    message: `use at most progressDeadlineSeconds, ${value.progressDeadlineSeconds}`,
    input: value.pollSeconds,
    path: ['pollSeconds'],
  });
}

/** In winter, when the clocks of most zones show what they show for most of the year; the weeks are always the same. */
const ANY_WEEK = Date.UTC(2026, 0, 5);

/** Windows that are never open together would hold a wave back for ever. The first wave waits for those of a start. */
function windowsFit({ value, issues }: z.core.ParsePayload<RolloutPolicy>): void {
  value.waves.forEach((wave, index) => {
    if (!wave.windows?.length || value.windows.length === 0) return;
    const rules = index === 0 ? rulesOfStart(value) : rulesOfWave(value, wave);
    if (isEverOpen(rules, ANY_WEEK)) return;
    const message = 'use windows that are open together with those of the policy';
    issues.push({
      code: 'custom',
      message,
      input: wave.windows,
      path: ['waves', index, 'windows'],
    });
  });
}

function gatesFit({ value, issues }: z.core.ParsePayload<RolloutPolicy>): void {
  const { warmUpSeconds = 0 } = value.verify;
  const message = faultOfWarmUp(warmUpSeconds, value);
  if (message !== undefined) {
    const path = ['verify', 'warmUpSeconds'];
    issues.push({ code: 'custom', message, input: warmUpSeconds, path });
  }
  for (const { name, gate, said } of askedGates(value.verify)) {
    for (const { path, ...misfit } of gate.misfits?.(said, value) ?? []) {
      issues.push({ code: 'custom', ...misfit, path: ['verify', name, ...path] });
    }
  }
}
