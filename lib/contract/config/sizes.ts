import * as z from 'zod';
import { describeSize } from '../../domain/planning/waves.ts';
import type { FailurePolicy, Tolerance, Wave, WaveSize } from '../../domain/rollout/policy.ts';
import { seconds, words } from '../parsing/checks.ts';

// These are the numbers of endpoints, the shares of them and the waves of a policy.

const percent = z.number().positive().max(100).describe('Share of the endpoints, rounded down.');
const endpoints = z.int().min(1).describe('Number of endpoints.');

export const waveSize: z.ZodType<WaveSize, WaveSize> = z.union([
  z.strictObject({ endpoints }),
  z.strictObject({ percent }),
]);

export const tolerance: z.ZodType<Tolerance, Tolerance> = z.union([
  z.strictObject({ endpoints: z.int().min(0).describe('Number of endpoints.') }),
  z.strictObject({
    percent: z.number().min(0).max(100).describe('Share of the wave, rounded down.'),
  }),
]);

export const minServing: z.ZodType<number | Tolerance, number | Tolerance> = z.union([
  z.int().min(0),
  z.strictObject({ endpoints: z.int().min(0).describe('Number of endpoints.') }),
  z.strictObject({
    percent: z
      .number()
      .min(0)
      .max(100)
      .describe('Share of all listed endpoints, stopped ones included, rounded up.'),
  }),
]);

const ownBake = {
  bakeSeconds: seconds
    .min(0)
    .optional()
    .describe('Bake of this wave alone. Default: as in the policy.'),
};

const wave: z.ZodType<Wave, Wave> = z.union([
  z.strictObject({ endpoints, ...ownBake }),
  z.strictObject({ percent, ...ownBake }),
  z.strictObject({
    names: words.min(1).describe('Names or ids; * stands for any run of characters of a name.'),
    ...ownBake,
  }),
]);

/** Counts rise and percentages rise, each kind by itself, and the last wave is everything. */
/** What follows a failure of each kind: a word for both, or one for each. */
export function onFailureOf<Policy extends FailurePolicy>(policies: readonly Policy[]) {
  const words = policies.map((policy) => JSON.stringify(policy)).join(', ');
  // Whatever is given, zod reports what this branch says.
  const error = `use one of ${words}, or one for each kind of failure: {"stuck": …, "bad": …}`;
  const each = z.enum(policies);
  return z.union([z.enum(policies, { error }), z.strictObject({ stuck: each, bad: each })]);
}

export const waves = z
  .array(wave)
  .min(1)
  .max(100)
  .check(({ value, issues }) => {
    const last = value.at(-1);
    if (last !== undefined && !('percent' in last && last.percent === 100)) {
      const message = 'end with 100%, or part of the fleet would stay behind';
      issues.push({ code: 'custom', message, input: describeSize(last), path: [value.length - 1] });
    }
    value.forEach((size, index) => {
      const before = value.slice(0, index).findLast((each) => !('names' in each));
      if (before !== undefined && !rises(before, size)) {
        const message = 'use more than in the wave before, sizes are cumulative';
        issues.push({ code: 'custom', message, input: describeSize(size), path: [index] });
      }
    });
  });

function rises(before: Wave, size: Wave): boolean {
  if ('endpoints' in before && 'endpoints' in size) return size.endpoints > before.endpoints;
  if ('percent' in before && 'percent' in size) return size.percent > before.percent;
  return !('percent' in before && 'endpoints' in size);
}
