import * as z from 'zod';
import { checkAlways, exactlyOneOf, namedOnce, word } from '../contract/input/checks.ts';
import { type SecretSource, secretSourceSchema } from '../contract/input/secret-source.ts';
import { calledUrlSchema } from '../contract/service/endpoint-url.ts';
import { describeDuration } from '../domain/durations.ts';
import type { KeptAnswer } from '../domain/rollout/gates.ts';
import { faultOfWarmUp, type RolloutPolicy } from '../domain/rollout/policy.ts';
import type { CheckAnswer } from './check-answer.ts';
import {
  AHEAD,
  type Ahead,
  type AskedWave,
  answer,
  type EndpointAhead,
  enforce,
  type Gate,
  type Grant,
  IN_BAKE,
  type Misfit,
  type NamedAnswer,
  type NamedUrl,
  originsOf,
  type QuestionAhead,
  silent,
} from './gate.ts';

const KIND = 'check';

const check = z
  .strictObject({
    name: word.max(64).describe('What it is called in plans and stories: "smoke-test".'),
    url: calledUrlSchema
      .describe(
        'Is asked with a POST: https, or http to this machine or to a host in allowHttp; without a query.',
      )
      .exactOptional(),
    secret: secretSourceSchema
      .describe('Only with url: signs each request, as Standard Webhooks says.')
      .exactOptional(),
    lambda: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[\w-]{1,64}(:[\w$-]{1,128})?$/,
        'use the ARN of a function: arn:aws:lambda:REGION:ACCOUNT:function:NAME',
      )
      .describe('Instead of url: ARN of a Lambda function.')
      .exactOptional(),
    command: z
      .array(z.string().min(1).max(4_096))
      .min(1)
      .max(64)
      .describe('Instead of url, not on AWS: a program and its arguments, without a shell.')
      .exactOptional(),
    when: z
      .enum([...AHEAD, 'bake', 'bake-end'])
      .default('bake')
      .describe(
        'When it is asked: before the first write of a rollout, before each wave, from the convergence of a wave on, or at the end of its bake.',
      ),
    everySeconds: z
      .int()
      .min(15)
      .max(86_400)
      .describe(
        'How long a yes stands before it is asked again. Default: until gates are asked again; before a rollout or a wave, until that begins.',
      )
      .exactOptional(),
    timeoutSeconds: z.int().min(1).max(30).default(10).describe('Seconds for each request.'),
    deadlineSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(3_600)
      .describe('For how long it may say IN_PROGRESS. After that it is no answer.'),
    warmUpSeconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(0)
      .describe(
        'For how long after the convergence of a wave it is not asked; at most as long as the shortest bake.',
      ),
    enforce,
  })
  .check(
    exactlyOneOf('url', 'lambda', 'command'),
    checkAlways(({ secret, url: to }, report) => {
      if (secret === undefined || to !== undefined) return;
      report(['secret'], undefined, 'use it with "url" alone');
    }),
    checkAlways(({ when, warmUpSeconds = 0 }, report) => {
      if (!isAhead(when) || warmUpSeconds === 0) return;
      report(['warmUpSeconds'], warmUpSeconds, 'use it in a bake alone: nothing is warming up yet');
    }),
  );
export type Check = z.output<typeof check>;

function isAhead(when: unknown): when is Ahead {
  return AHEAD.some((one) => one === when);
}

const schema = z
  .array(check)
  .max(20)
  .check(namedOnce)
  .default([])
  .describe('Questions of your own: to a URL, a Lambda function or a command; see docs/checks.md.');

/** What a check is asked. Programs read it as JSON, so fields are only added. */
export interface CheckQuestion {
  /** The same when a question is asked once more, because nobody knows whether it was heard. */
  readonly attemptId: string;
  /** From 1, for each wave. */
  readonly attempt: number;
  readonly check: string;
  readonly when: Check['when'];
  readonly rolloutId: string;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  /** From 1. */
  readonly wave: number;
  /** Until when IN_PROGRESS is waited for, in UTC. */
  readonly deadline: string;
  /** How many it is about in all. */
  readonly endpointCount: number;
  /** The first 1,000 of them. */
  readonly endpoints: readonly {
    readonly id: string;
    readonly name: string | null;
    /** As lists show it, without what may be a secret. */
    readonly url: string | null;
    readonly previousVersion: number | null;
  }[];
}

/** As it goes out. */
export interface SentQuestion extends CheckQuestion {
  /**
   * A session that nobody has used: one that runs may still be answered by the version before, and every question in it
   * would keep it there.
   */
  readonly sessionId: string;
}

export interface CheckPort {
  check(check: Check, question: CheckQuestion, signal?: AbortSignal): Promise<CheckAnswer>;
  /** Whether this machine has a program that may be run; `undefined`: nobody can tell. @default - no command is run here */
  hasProgram?(program: string): Promise<boolean | undefined>;
}

export const checks: Gate<typeof schema, CheckPort, 'wave'> = {
  kind: KIND,
  of: 'wave',
  schema,
  answers: ({ when, command }) => [
    ...(command === undefined ? [] : (['trial'] as const)),
    ...(when === 'bake' ? IN_BAKE : [when]),
  ],
  async ask(said, question, port) {
    if (question.when === 'trial') return tryCommands(said, port);
    if (question.when === 'start') return [];
    const isWave = 'settled' in question;
    const asking = isWave ? { ...question, endpoints: endpointsOf(question) } : question;
    const asked = isWave ? said.filter((one) => isDue(one, question)) : said;
    return Promise.all(asked.map((one) => askCheck(one, asking, port)));
  },
  describe: (said) => said.map(describeCheck),
  needs: (said) => ({
    calls: originsOf(urlsOf(said)),
    urls: urlsOf(said),
    grants: said.flatMap(({ lambda }): Grant[] =>
      lambda === undefined ? [] : [{ actions: ['lambda:InvokeFunction'], resources: [lambda] }],
    ),
    secrets: Object.fromEntries(
      said.flatMap(({ secret }, index): [string, SecretSource][] =>
        secret === undefined ? [] : [[`[${index}].secret`, secret]],
      ),
    ),
    faultsOnAws: said
      .filter(({ command }) => command !== undefined)
      .map(({ name }) => `verify.checks, ${name}: ${NOT_ON_AWS}`),
  }),
  misfits: lateChecks,
  rehearse: ({ sick }) => ({
    async check() {
      const isSick = sick().length > 0;
      return answer(isSick ? 'FAILED' : 'SUCCEEDED', !isSick);
    },
    hasProgram: async () => true,
  }),
};

/** A URL or a function is not asked before there is a question. Where nobody can tell of a program, nothing is said. */
async function tryCommands(
  said: readonly Check[],
  port: Pick<CheckPort, 'hasProgram'>,
): Promise<NamedAnswer[]> {
  const tried = said.map(async ({ name, command: [program = ''] = [] }): Promise<NamedAnswer[]> => {
    const isThere = await port.hasProgram?.(program);
    if (isThere === undefined) return [];
    return isThere
      ? [{ name, ...answer(`it runs ${program}`, true) }]
      : [{ name, ...silent(`there is no program ${program} to run`, INSTALL) }];
  });
  return (await Promise.all(tried)).flat();
}

const INSTALL = 'Install it where rollouts run, or name another one.';

function urlsOf(said: readonly Check[]): NamedUrl[] {
  return said.flatMap(({ url }, index) =>
    url === undefined ? [] : [{ path: [index, 'url'], url }],
  );
}

export const NOT_ON_AWS = 'commands run on one machine only; use "url" or "lambda"';

function endpointsOf({ settled, previousVersions }: AskedWave): EndpointAhead[] {
  return settled.map(({ id, name, url }) => {
    return { id, name, url, previousVersion: previousVersions.get(id) ?? null };
  });
}

function isDue({ warmUpSeconds }: Check, { when, settled, bakedMs }: AskedWave): boolean {
  return settled.length > 0 && (when === 'bake-end' || bakedMs >= warmUpSeconds * 1000);
}

/** What a check is asked about, and when. */
type Asking = Omit<QuestionAhead, 'when'> & { readonly when: Check['when'] };

async function askCheck(said: Check, asking: Asking, port: CheckPort): Promise<NamedAnswer> {
  const { name, deadlineSeconds } = said;
  const { wave, watched, when } = asking;
  const before = asking.kept.find((one) => one.name === name && one.wave === wave);
  if (before !== undefined && stands(said, before, asking)) {
    const { verdict, detail } = before;
    return { name, verdict, detail, kept: before };
  }
  const attempts = (before?.attempts ?? 0) + 1;
  const workedMs = watched - (before?.atWorkSince ?? watched);
  const leftMs = Math.max(0, deadlineSeconds * 1000 - workedMs);
  const told = await port.check(said, questionOf(said, asking, attempts, leftMs));
  const { verdict, mend, askAgainIn } = told;
  const isOverdue = askAgainIn !== undefined && leftMs === 0;
  const detail = `${told.detail}${isOverdue ? `, for more than ${describeDuration(deadlineSeconds * 1000)}` : ''}`;
  const kept: KeptAnswer = {
    ...{ kind: KIND, name, verdict, detail, wave, attempts },
    ...(when === 'bake-end' && { isAtEnd: true as const }),
    ...timesAfter(said, told, asking, before),
  };
  return { name, verdict, detail, ...(mend !== undefined && { mend }), kept };
}

function timesAfter(
  { everySeconds = 0, deadlineSeconds }: Check,
  { verdict, askAgainIn }: CheckAnswer,
  { watched, when }: Asking,
  before: KeptAnswer | undefined,
): Pick<KeptAnswer, 'standsUntil' | 'isAtWork' | 'atWorkSince'> {
  if (askAgainIn !== undefined) {
    const atWorkSince = before?.atWorkSince ?? watched;
    const until = atWorkSince + deadlineSeconds * 1000;
    if (watched >= until) return { standsUntil: watched, atWorkSince };
    const standsUntil = Math.min(watched + askAgainIn * 1000, until);
    return { standsUntil, atWorkSince, isAtWork: true };
  }
  const standsUntil = watched + (verdict === 'pass' ? everySeconds * 1000 : 0);
  // But in the bake no answer gives more time, or checks that take turns would hold a wave up for ever.
  const isNew = verdict !== 'unknown' && when === 'bake';
  const atWorkSince = isNew ? undefined : before?.atWorkSince;
  return { standsUntil, ...(atWorkSince !== undefined && { atWorkSince }) };
}

/** What was said before the end of the bake is no yes at its end. Who is at work is not asked before its time. */
function stands(
  { everySeconds }: Check,
  { verdict, standsUntil, isAtEnd, isAtWork }: KeptAnswer,
  { watched, when }: Asking,
): boolean {
  if (isAhead(when) && verdict === 'pass' && everySeconds === undefined) return true;
  return watched < standsUntil && (when !== 'bake-end' || (isAtEnd ?? isAtWork) === true);
}

/** A function takes 6 MB, and few servers as much. */
const MOST_NAMED = 1_000;

function questionOf(
  { name }: Check,
  { request, wave, when, endpoints, now }: Asking,
  attempt: number,
  leftMs: number,
): CheckQuestion {
  const { rolloutId, runtimeId, desiredVersion } = request;
  return {
    ...{ attemptId: `${rolloutId}/${wave}/${name}/${attempt}`, attempt, check: name },
    when,
    ...{ rolloutId, runtimeId, desiredVersion, wave },
    deadline: new Date(now + Math.max(0, leftMs)).toISOString(),
    endpointCount: endpoints.length,
    endpoints: endpoints.slice(0, MOST_NAMED),
  };
}

const TIMES: Readonly<Record<Check['when'], string>> = {
  'before-rollout': ', before anything is rolled',
  'before-wave': ', before each wave',
  bake: '',
  'bake-end': ', at the end of the bake',
};

function describeCheck({ name, when, command, lambda, url: at, deadlineSeconds }: Check): string {
  const other = lambda ?? `the command ${command?.[0]}`;
  const whom = at === undefined ? other : `POST to ${new URL(at).origin}`;
  return `Check ${name} must say SUCCEEDED (${whom}${TIMES[when]}; it may work for ${describeDuration(deadlineSeconds * 1000)})`;
}

function lateChecks(said: readonly Check[], policy: RolloutPolicy): Misfit[] {
  return said.flatMap(({ warmUpSeconds }, index) => {
    const message = faultOfWarmUp(warmUpSeconds, policy);
    return message === undefined
      ? []
      : [{ path: [index, 'warmUpSeconds'], input: warmUpSeconds, message }];
  });
}
