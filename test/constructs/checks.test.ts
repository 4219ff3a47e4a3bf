import { expect, test } from '@jest/globals';
import { partialPolicySchema } from '../../lib/contract/config/policy.ts';
import { SECRET_ARN } from '../support/secrets-manager.ts';
import { createStack } from './create-stack.ts';
import { describePermissions } from './describe-permissions.ts';

const ARN = 'arn:aws:lambda:eu-central-1:111122223333:function:score';
const OTHER = 'arn:aws:lambda:eu-central-1:111122223333:function:other:live';

/** What a deployment with these checks may do that one without them may not. */
function addedBy(verify: object): string[] {
  const permissionsOf = (said: object) =>
    describePermissions(
      createStack({
        base: {
          endpointUrl: 'https://endpoints.example.com',
          policies: { shop: partialPolicySchema.parse({ verify: said }) },
          runtimes: { shop: { policy: 'shop' } },
        },
      }),
    );
  const without = permissionsOf({});
  return permissionsOf(verify).filter((line) => !without.includes(line));
}

test('only the two functions that ask may invoke the functions that checks name, and no others', () => {
  const checks = [
    { name: 'score', lambda: ARN },
    { name: 'other', lambda: OTHER },
  ];
  const added = addedBy({ checks });
  expect(added.toSorted()).toEqual(
    ['look'].flatMap((name) => [
      expect.stringMatching(new RegExp(`^Steps/${name}: lambda:InvokeFunction on [^*]*$`)),
    ]),
  );
  for (const line of added) {
    expect(line).toContain(ARN);
    expect(line).toContain(OTHER);
  }
});

test('the secret of a check may be read by the two functions that ask', () => {
  const check = {
    name: 'smoke',
    url: 'https://checks.example.com',
    secret: { awsSecret: SECRET_ARN },
  };
  expect(addedBy({ checks: [check] }).toSorted()).toEqual([
    `Steps/look: secretsmanager:GetSecretValue on ${SECRET_ARN}`,
  ]);
});

test.each([
  ['before-rollout', ['openRollout']],
  ['before-wave', ['look', 'openRollout']],
  ['bake-end', ['look']],
])('a check %s is known to those functions alone that ask it', (when, names) => {
  const secret = { awsSecret: SECRET_ARN };
  const checks = [
    { name: 'score', lambda: ARN, when },
    { name: 'smoke', url: 'https://checks.example.com', secret, when },
  ];
  const rights = ['lambda:InvokeFunction', 'secretsmanager:GetSecretValue'];
  expect(addedBy({ checks }).toSorted()).toEqual(
    names.flatMap((name) =>
      rights.map((right) =>
        expect.stringMatching(new RegExp(`^Steps/${name}: ${right} on [^*]*$`)),
      ),
    ),
  );
});

test('a command before a rollout is refused before anything is deployed', () => {
  const checks = [{ name: 'c', command: ['/opt/talk'], when: 'before-rollout' }];
  expect(() => addedBy({ checks })).toThrow('commands run on one machine only');
});

test('so may the secret of a query', () => {
  const query = { name: 'errors', url: 'https://prometheus.example.com', query: 'up', above: 1 };
  const auth = { kind: 'bearer', secret: { awsSecret: SECRET_ARN } };
  const ofEach = { ...query, query: 'up{name="{endpoint}"}' };
  expect(addedBy({ prometheus: [{ ...ofEach, auth }] })).toHaveLength(1);
  // The function that opens rollouts asks whether it is red.
  expect(addedBy({ prometheus: [{ ...query, auth }] })).toHaveLength(2);
  expect(addedBy({ prometheus: [query] })).toEqual([]);
});

test.each([
  ['a command', { command: ['/opt/talk'] }, 'verify.checks, c: commands run on one machine only'],
  [
    'a secret of a file',
    { url: 'https://checks.example.com', secret: { file: 'key' } },
    'verify.checks[0].secret: deployed functions read secrets from AWS Secrets Manager alone',
  ],
])('A15: %s is refused before anything is deployed', (_, said, message) => {
  expect(() => addedBy({ checks: [{ name: 'c', ...said }] })).toThrow(message);
});
