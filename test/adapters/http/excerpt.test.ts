import { expect, test } from '@jest/globals';
import { excerptOf, LONGEST_EXCERPT } from '../../../lib/adapters/http/excerpt.ts';
import { rememberSecret } from '../../../lib/adapters/http/known-secrets.ts';

function excerptWithout(secret: string, body: string, length?: number): string {
  rememberSecret(secret);
  return excerptOf(body, length);
}

test('H22: an excerpt has at most 256 characters, on one line', () => {
  expect(excerptOf('x'.repeat(300))).toBe(`${'x'.repeat(255)}…`);
  expect(excerptOf('x'.repeat(256))).toBe('x'.repeat(256));
  expect(excerptOf(`x${'😀'.repeat(200)}`).isWellFormed()).toBe(true);
  expect(excerptOf(`${'😀'.repeat(200)}`).isWellFormed()).toBe(true);
  expect(excerptOf('<html>\r\n\t<b>no\u001b[31m\u202e</b>')).toBe('<html> <b>no [31m </b>');
});

test('as many characters as were asked for, still without secrets', () => {
  const body = `${'x'.repeat(300)} s3cr3t ${'y'.repeat(70_000)}`;
  const excerpt = excerptWithout('s3cr3t', body, LONGEST_EXCERPT);
  expect(excerpt).toMatch(/^x{300} \[hidden\] y+…?$/);
  expect(excerpt.length).toBeGreaterThan(65_000);
  expect(excerpt.length).toBeLessThanOrEqual(LONGEST_EXCERPT);
  expect(excerptWithout('s3cr3t', body)).toHaveLength(256);
});

test('a secret is hidden by its value, also where the cut would fall', () => {
  const secret = 's3cr3t'.repeat(20);
  const excerpt = excerptWithout(secret, `${'x'.repeat(200)} ${secret} ${secret}`);
  expect(excerpt).not.toContain('s3cr3t');
  expect(excerpt).toContain('[hidden]');
});

test.each([
  ['as JSON', 'a/b"c+d=', String.raw`you sent a/b\"c+d=`],
  ['as JSON with escaped slashes', 'a/b+c=', String.raw`you sent a\/b+c=`],
  ['in a URL', 'a/b+c=', 'see ?q=a%2Fb%2Bc%3D'],
  ['in base64', 'abcd', `basic ${btoa('abcd')}`],
  ['in base64 without its padding', 'abcd', 'see YWJjZA'],
  ['in base64url', '\u00ff\u00fe?>', Buffer.from('\u00ff\u00fe?>').toString('base64url')],
])('a secret is hidden however it is spelled: %s', (_how, secret, body) => {
  expect(excerptWithout(secret, body)).toContain('[hidden]');
  expect(excerptWithout(secret, body)).not.toMatch(/a.{0,3}b.{0,4}c|YWJj|w7/);
});

test.each([
  ['{"access_token":"abc.def","x":1}', '{"access_token":[hidden],"x":1}'],
  [String.raw`{"client_secret": "abc \" def"}`, '{"client_secret": [hidden]}'],
  ['{"secret": "abc', '{"secret": [hidden]'],
  ['Authorization: Bearer abc.def-1', 'Authorization: [hidden]'],
  ['the header Bearer abc.def== is bad', 'the header Bearer [hidden] is bad'],
  ['password=abc&user=me', 'password=[hidden]&user=me'],
  ['x-api-key: abc', 'x-api-key: [hidden]'],
  ['the token is missing', 'the token is missing'],
])('what is named like a secret is hidden: %s', (body, excerpt) => {
  expect(excerptOf(body)).toBe(excerpt);
});

test.each(['token', '"token":"', 'bearer ', ' '])(
  'a hostile body of %j takes no longer than one pass over it',
  (part) => {
    const body = part.repeat(1_000_000);
    const startedAt = performance.now();
    expect(excerptWithout('sesame-7', body).length).toBeLessThanOrEqual(256);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  },
);
