import { describe, expect, test } from '@jest/globals';
import { withoutCommands } from '../../lib/adapters/gates/check.ts';
import { policySchema } from '../../lib/contract/config/policy.ts';
import { askGates } from '../../lib/gates/ask-gates.ts';
import type { CheckAnswer } from '../../lib/gates/check-answer.ts';
import { type CheckQuestion, checks } from '../../lib/gates/checks.ts';
import { live } from '../domain/examples.ts';
import { checkQuestion } from '../support/check-question.ts';
import { gatePortsOf } from '../support/gate-ports.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

const URL_OF = { name: 'smoke', url: 'https://checks.example.com/hook/' };
const mistakesIn = (said: readonly object[]) =>
  checks.schema
    .safeParse(said)
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('what a policy says of checks', () => {
  test.each([
    ['a URL', [URL_OF]],
    ['a URL on this machine', [{ name: 'a', url: 'http://127.0.0.1:8080/x' }]],
    [
      'a function',
      [{ name: 'a', lambda: 'arn:aws:lambda:eu-central-1:111122223333:function:score:live' }],
    ],
    ['a command', [{ name: 'a', command: ['/bin/true', ''.padEnd(10, 'x')] }]],
    ['asked before a wave', [{ ...URL_OF, when: 'before-wave' }]],
  ])('may be %s', (_, said) => {
    expect(mistakesIn(said)).toEqual([]);
  });

  test.each([
    ['nothing to ask', [{ name: 'a' }], '0.url: use exactly one of'],
    ['two to ask', [{ ...URL_OF, command: ['x'] }], '0.command: use exactly one of'],
    [
      'credentials in the URL',
      [{ name: 'a', url: 'https://u:p@checks.example.com' }],
      '0.url: a user name',
    ],
    [
      'where a machine hands out its credentials',
      [{ name: 'a', url: 'https://169.254.169.254/x' }],
      '0.url: the address',
    ],
    ['the same name twice', [URL_OF, URL_OF], '1.name: use each name once'],
    [
      'a warm-up before anything is rolled',
      [{ ...URL_OF, when: 'before-rollout', warmUpSeconds: 60 }],
      '0.warmUpSeconds: use it in a bake alone',
    ],
    [
      'a secret for a command',
      [{ name: 'a', command: ['x'], secret: { file: 'k' } }],
      '0.secret: use it with "url" alone',
    ],
    [
      'a function by its name',
      [{ name: 'a', lambda: 'score' }],
      '0.lambda: use the ARN of a function',
    ],
  ])('may not be %s', (_, said, message) => {
    expect(mistakesIn(said)).toEqual([expect.stringContaining(message)]);
  });

  test('is refused when a check is not asked before the shortest bake is over', () => {
    const verify = { checks: [{ ...URL_OF, warmUpSeconds: 301 }] };
    const { error } = policySchema.safeParse({ ...WHOLE_POLICY, verify });
    expect(error?.issues).toMatchObject([{ path: ['verify', 'checks', 0, 'warmUpSeconds'] }]);
  });
});

test('ten checks are asked at once within one look', async () => {
  let open: (answer: CheckAnswer) => void = () => undefined;
  const all = new Promise<CheckAnswer>((resolve) => {
    open = resolve;
  });
  let asked = 0;
  const said = Array.from({ length: 10 }, (_, index) => ({ ...URL_OF, name: `c${index}` }));
  const readings = await askGates(
    { approval: null, checks: checks.schema.parse(said) },
    {
      ...{
        request: { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 2 },
        wave: 1,
        kept: [],
        noes: [],
      },
      ...{ endpoints: [live('web-1')], settled: [live('web-1')], previousVersions: new Map() },
      ...{ since: 0, now: 0, when: 'bake-end' as const, bakedMs: 0, watched: 0 },
    },
    gatePortsOf({
      async check() {
        asked += 1;
        // Nobody gets an answer before the last one is asked.
        if (asked === 10) open({ verdict: 'pass', detail: 'SUCCEEDED' });
        return all;
      },
    }),
  );
  expect(readings.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(
    said.map(({ name }) => `${name} pass`),
  );
});

test('a question about a large fleet names 1,000 endpoints, and says how many there are', async () => {
  const fleet = Array.from({ length: 2_500 }, (_, index) => live(`web-${index}`));
  const asked: CheckQuestion[] = [];
  await askGates(
    { approval: null, checks: checks.schema.parse([URL_OF]) },
    {
      ...{
        request: { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 2 },
        wave: 1,
        kept: [],
        noes: [],
      },
      ...{ endpoints: fleet, settled: fleet, previousVersions: new Map() },
      ...{ since: 0, now: 0, when: 'bake-end' as const, bakedMs: 0, watched: 0 },
    },
    gatePortsOf({
      async check(_, question) {
        asked.push(question);
        return { verdict: 'pass', detail: 'SUCCEEDED' };
      },
    }),
  );
  expect(asked).toMatchObject([{ endpointCount: 2_500 }]);
  expect(asked[0]?.endpoints.map(({ id }) => id)).toEqual(
    fleet.slice(0, 1_000).map(({ id }) => id),
  );
});

test('a command is never run where commands are not allowed', async () => {
  let asked = 0;
  const gates = withoutCommands(
    gatePortsOf({
      async check() {
        asked += 1;
        return { verdict: 'pass', detail: '' };
      },
    }),
  );
  const [command, url] = checks.schema.parse([{ name: 'a', command: ['/bin/true'] }, URL_OF]);
  expect(await gates.check(command as never, checkQuestion())).toMatchObject({
    verdict: 'unknown',
  });
  expect(await gates.check(url as never, checkQuestion())).toMatchObject({ verdict: 'pass' });
  expect(asked).toBe(1);
});
