import { expect, test } from '@jest/globals';
import { parseConfig } from '../../../lib/contract/config/config.ts';

const endpointUrl = 'https://endpoints.example.com';

test.each([
  'create',
  'arn:aws:kms:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b',
  'arn:aws-cn:kms:cn-north-1:123456789012:key/mrk-0aa11bb23c4d5e6f7a8b9c0d1e2f3a4b',
])('%s is kept as it was written', (kmsKey) => {
  expect(parseConfig({ endpointUrl, kmsKey }).kmsKey).toBe(kmsKey);
});

test('keys of AWS are used where nothing is said', () => {
  expect(parseConfig({ endpointUrl })).not.toHaveProperty('kmsKey');
});

test.each([
  'alias/steproll',
  'Create',
  'arn:aws:kms:eu-central-1:123456789012:alias/steproll',
  'arn:aws:sns:eu-central-1:123456789012:key/0aa11bb2-3c4d-5e6f-7a8b-9c0d1e2f3a4b',
  '',
])('"%s" is refused, with what is allowed', (kmsKey) => {
  const sentence =
    /kmsKey: ".* is not allowed; use "create", or the ARN of a key: arn:aws:kms:REGION:ACCOUNT:key\/ID$/;
  expect(() => parseConfig({ endpointUrl, kmsKey })).toThrow(sentence);
});
