import * as z from 'zod';
import { DEFAULT_POLICY } from '../domain/defaults.ts';
import { describeSize } from '../domain/plan/wave-size.ts';
import { FAILURE_POLICIES, type RolloutPolicy, type WaveSize } from '../domain/policy.ts';

/** Step Functions waits at most this long; nobody waits a year for a wave either. */
const LONGEST_SECONDS = 7 * 24 * 3600;
const seconds = z.int().max(LONGEST_SECONDS);
const words = z.array(z.string().min(1));

const waveSize: z.ZodType<WaveSize, WaveSize> = z.union([
  z.strictObject({ endpoints: z.int().min(1) }),
  z.strictObject({ percent: z.number().positive().max(100) }),
]);

/** Counts and percentages rise, each kind by itself, and the last wave is everything. */
const waves = z
  .array(waveSize)
  .min(1)
  .check(({ value, issues }) => {
    const last = value.at(-1);
    if (last !== undefined && !('percent' in last && last.percent === 100)) {
      const message = 'end with 100%, or part of the fleet would stay behind';
      issues.push({ code: 'custom', message, input: describeSize(last), path: [value.length - 1] });
    }
    value.forEach((size, index) => {
      const before = value[index - 1];
      if (before !== undefined && !rises(before, size)) {
        const message = 'use more than in the wave before, sizes are cumulative';
        issues.push({ code: 'custom', message, input: describeSize(size), path: [index] });
      }
    });
  });

function rises(before: WaveSize, size: WaveSize): boolean {
  if ('endpoints' in before && 'endpoints' in size) return size.endpoints > before.endpoints;
  if ('percent' in before && 'percent' in size) return size.percent > before.percent;
  return 'percent' in size;
}

/** One schema for each field, for whoever takes a policy in pieces. */
export const policyFields = {
  waves,
  maxUnavailable: waveSize,
  bakeSeconds: seconds.min(0),
  pollSeconds: seconds.min(1),
  progressDeadlineSeconds: seconds.min(1),
  onFailure: z.enum(FAILURE_POLICIES),
  minServing: z.int().min(0),
  protect: words,
  statuses: z.strictObject({ failed: words, stopped: words }),
};

/** A policy that says everything. */
export const policySchema: z.ZodType<RolloutPolicy> = z.strictObject(policyFields).check(pollFits);

/** A policy where anything may be left out: `completePolicy` fills it in. */
export const partialPolicySchema = z.strictObject(policyFields).partial();
export type PartialPolicy = z.infer<typeof partialPolicySchema>;

/** What is left out is as in `defaults`. */
export function completePolicy(
  given: PartialPolicy,
  defaults: RolloutPolicy = DEFAULT_POLICY,
): RolloutPolicy {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(said) };
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
