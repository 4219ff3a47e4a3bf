import * as z from 'zod';
import { FINGERPRINT, type RolloutInput } from '../../contract/flow/rollout-input.ts';
import {
  checkAlways,
  idSchema,
  runtimeIdSchema,
  versionsSchema,
} from '../../contract/input/checks.ts';
import { FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { askedVersion, wholeNumber, words, yes } from './fields.ts';
import { globalShape, ledgerShape } from './global-shape.ts';
import { policyShape } from './policy-shape.ts';

/** What every plan is made of. */
export const wantedShape = {
  ...policyShape,
  'runtime-id': runtimeIdSchema,
  '--version': askedVersion.optional(),
  '--version-from': z.string().min(1).max(256).optional(),
};

const reason = z.string().trim().max(1_000).default('');

/** The options of every way to start a rollout. */
export const startShape = {
  '--yes': yes,
  '--watch': z.boolean().default(false),
  '--detach': z.boolean().default(false),
  '--again': z.boolean().default(false),
  '--take-over': z.boolean().default(false),
  '--unpin': words.optional(),
  '--reason': reason,
};

/** Only of a group. People name a file, and the command reads it. */
const versionsShape = { '--versions': versionsSchema.optional() };

const planShape = {
  '--plan': z
    .string()
    .regex(FINGERPRINT, 'use the fingerprint that "steproll rollout plan" shows: 16 of 0-9 and a-f')
    .optional(),
};

/** A value that is wrong was still given: its key is there. */
export const checkVersion = checkAlways<Readonly<Record<string, unknown>>>((value, report) => {
  const said = ['--version', '--version-from', '--versions'].filter((option) => option in value);
  const [option = '--version', ...more] = said;
  if (said.length === 1) return;
  const message =
    more.length > 0
      ? `leave out either ${said.join(' or ')}`
      : 'use a whole number of at least 1, latest, or --version-from';
  report([option], value[option], message);
});

type Start = Readonly<Record<'--detach' | '--watch', boolean>>;

/** A rollout that runs in this process cannot be left. */
export const refuseDetach = checkAlways<Start>(({ '--detach': isLeft }, report) => {
  if (isLeft !== true) return;
  const message =
    'leave it out, a rollout of the engine embedded ends with its process; "steproll listen" goes on, and "steproll release publish" starts rollouts there';
  report(['--detach'], isLeft, message);
});

export const checkWatch = checkAlways<Start>((value, report) => {
  if (value['--detach'] !== true || value['--watch'] !== true) return;
  report(['--detach'], true, 'use either --watch or --detach');
});

/** The options of `rollout plan`, by the names that people type. */
export const planOptionsSchema = z
  .strictObject({
    ...{ ...globalShape, ...wantedShape, ...versionsShape },
    '--again': startShape['--again'],
    '--unpin': startShape['--unpin'],
  })
  .check(checkVersion);

/** The options of `rollout start` when the rollout runs in this process. */
export const startHereSchema = z
  .strictObject({ ...globalShape, ...wantedShape, ...versionsShape, ...planShape, ...startShape })
  .check(checkVersion, refuseDetach);

/** The options of `rollout start` when the rollout runs on AWS: the service is not called from here. */
export const startOnAwsSchema = z
  .strictObject({ ...ledgerShape, ...wantedShape, ...versionsShape, ...planShape, ...startShape })
  .check(checkVersion, checkWatch);

type WantedOptions = Pick<
  z.output<typeof startOnAwsSchema>,
  'runtime-id' | '--version' | '--version-from' | '--versions' | '--plan'
>;

/** The input of the workflow. */
export function inputOf(options: WantedOptions): RolloutInput {
  const { 'runtime-id': runtimeId, '--version': version, '--version-from': endpoint } = options;
  return {
    schemaVersion: 1,
    runtimeId,
    ...(version !== undefined && { version }),
    ...(endpoint !== undefined && { versionFrom: { endpoint } }),
    ...(options['--versions'] !== undefined && { versions: options['--versions'] }),
    ...(options['--plan'] !== undefined && { plan: options['--plan'] }),
  };
}

/** The options of every command about one rollout. */
export const rolloutShape = {
  ...ledgerShape,
  'rollout-id': idSchema('use the id of a rollout'),
};

/** The options of the commands that show one rollout, or with a group that of one of its runtimes. */
export const shownShape = {
  ...rolloutShape,
  '--runtime': runtimeIdSchema.optional(),
};

/** The options of the commands that send a signal. Each of them takes some of the last four. */
export const signalSchema = z.strictObject({
  ...rolloutShape,
  '--yes': yes,
  '--reason': reason,
  '--wave': wholeNumber.optional(),
  '--full': z.boolean().default(false),
  '--on-abort': z.enum(FAILURE_POLICIES).optional(),
  '--on-failure': z.enum(FAILURE_POLICIES).optional(),
});
