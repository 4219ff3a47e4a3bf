import * as z from 'zod';
import { LOCKABLE } from '../../contract/config/locked.ts';
import { type Policies, policyOfRuntime } from '../../contract/config/policies.ts';
import { policyFields, type WrittenWave } from '../../contract/config/policy.ts';
import { type PolicyOverrides, parsePolicy } from '../../contract/flow/rollout-input.ts';
import { secondsOf } from '../../domain/durations.ts';
import { ID_PREFIX } from '../../domain/endpoint/endpoint.ts';
import { PRESET_NAMES } from '../../domain/rollout/default-policy.ts';
import {
  CONFLICT_POLICIES,
  FAILURE_POLICIES,
  type RolloutPolicy,
  type WaveSize,
} from '../../domain/rollout/policy.ts';
import { refuse, wholeNumber, words } from './fields.ts';

/** A duration as people write it, in seconds: `0`, `30`, `30s`, `5m`, `12h`, `1d`. */
export const durationSchema = durationField(
  'use whole seconds, or a whole number with s, m, h or d: 30, 5m, 12h',
);

/** A duration whose mistake is told in other words. */
function durationField(message: string) {
  return z.string().transform((text, context) => {
    const seconds = secondsOf(text);
    if (seconds !== undefined) return seconds;
    return refuse(context, text, message);
  });
}

const SIZE = /^(\d{1,9})$|^(\d{1,3}(?:\.\d{1,3})?)%$/;

/** A number of endpoints or a share of them, as people write it: `1`, `25%`. */
export const waveSizeSchema = z.string().transform((text, context): WaveSize => {
  const [, endpoints, percent] = SIZE.exec(text.trim()) ?? [];
  if (endpoints !== undefined) return { endpoints: Number(endpoints) };
  if (percent !== undefined && Number(percent) <= 100) return { percent: Number(percent) };
  return refuse(context, text, 'use a number of endpoints or a percentage of at most 100%: 1, 25%');
});

const NAME = 'name:';

/** One wave, as people write it: a size or `name:canary-*`, and after an `@` its own bake time: `1@1h`. */
const waveSchema = z.string().transform((text, context): WrittenWave => {
  const [what = '', bake, ...rest] = text.trim().split('@');
  const parts = what.split('+');
  const size = parts.every((word) => word.startsWith(NAME) && word.length > NAME.length)
    ? { data: { names: parts.map((word) => word.slice(NAME.length)) } }
    : waveSizeSchema.safeParse(what);
  const baked = bake === undefined ? { data: undefined } : durationSchema.safeParse(bake);
  const isGood = size.data !== undefined && !('error' in baked && baked.error) && rest.length === 0;
  if (isGood) return { ...size.data, ...(bake !== undefined && { bakeSeconds: baked.data }) };
  return refuse(
    context,
    text,
    'use a number, a percentage or a name, with a bake of its own if you like: 1, 25%, name:canary-*, 1@1h',
  );
});

/** Waves, as people write them: `1,25%,100%`, `name:canary-*@1h,25%,100%`. */
export const wavesSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(waveSchema));

/** The options that say how a rollout is done, by the names that people type. */
export const policyShape = {
  '--preset': z.enum(PRESET_NAMES).optional(),
  '--select': words.optional(),
  '--exclude': words.optional(),
  '--waves': wavesSchema.pipe(policyFields.waves).optional(),
  '--max-unavailable': waveSizeSchema.pipe(policyFields.maxUnavailable).optional(),
  '--failure-threshold': waveSizeSchema.pipe(policyFields.failureThreshold).optional(),
  '--bake': durationSchema.pipe(policyFields.bakeSeconds).optional(),
  '--progress-deadline': durationSchema.pipe(policyFields.progressDeadlineSeconds).optional(),
  '--poll': durationField('use whole seconds of at least 1, or 5m, 12h or 1d')
    .pipe(policyFields.maxPollSeconds)
    .optional(),
  '--on-failure': z.enum(FAILURE_POLICIES).optional(),
  '--allow-downgrade': z.boolean().optional(),
  '--max-version-step': wholeNumber.pipe(policyFields.maxVersionStep).optional(),
  '--any-time': z.boolean().optional(),
  '--on-conflict': z.enum(CONFLICT_POLICIES).optional(),
};

export type PolicyOptions = z.output<z.ZodObject<typeof policyShape>>;

/**
 * The policy of a rehearsal: options override single fields of the configured policy, which overrides the defaults. Nothing
 * is locked, because nothing is rolled.
 *
 * @throws `InvalidInput` when the parts do not fit together.
 */
export function policyOf(
  options: PolicyOptions,
  configured: Policies,
  runtimeId: string,
): RolloutPolicy {
  return parsePolicy(overridesOf(options), policyOfRuntime(configured, runtimeId), LOCKABLE);
}

/** The fields that the options override, whatever policy is configured; without any, `{}`. */
export function overridesOf(options: PolicyOptions): PolicyOverrides {
  const selection = selectionOf(options);
  const said = {
    preset: options['--preset'],
    waves: options['--waves'],
    maxUnavailable: options['--max-unavailable'],
    failureThreshold: options['--failure-threshold'],
    bakeSeconds: options['--bake'],
    progressDeadlineSeconds: options['--progress-deadline'],
    pollSeconds: options['--poll'],
    // With this option the time between two reads does not grow.
    maxPollSeconds: options['--poll'],
    onFailure: options['--on-failure'],
    allowDowngrade: options['--allow-downgrade'],
    maxVersionStep: options['--max-version-step'],
    ...(options['--any-time'] && { windows: [], freezes: [] }),
    onConflict: options['--on-conflict'],
    selection: Object.keys(selection).length > 0 ? selection : undefined,
  };
  const entries = Object.entries(said).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/** `--select` and `--exclude` are independent: each leaves the other as it is configured. */
function selectionOf({ '--select': select, '--exclude': exclude }: PolicyOptions) {
  return {
    ...(select && {
      names: select.filter((word) => !word.startsWith(ID_PREFIX)),
      ids: select.filter((word) => word.startsWith(ID_PREFIX)).map(withoutPrefix),
    }),
    ...(exclude && { exclude: exclude.map(withoutPrefix) }),
  };
}

function withoutPrefix(word: string): string {
  return word.startsWith(ID_PREFIX) ? word.slice(ID_PREFIX.length) : word;
}
