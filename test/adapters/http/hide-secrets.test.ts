import { describe, expect, test } from '@jest/globals';
import { excerptOf } from '../../../lib/adapters/http/excerpt.ts';
import { hideSecrets } from '../../../lib/adapters/http/hide-secrets.ts';
import { rememberSecret } from '../../../lib/adapters/http/known-secrets.ts';

const SECRET = 'Zm9v+YmFy/cXV4"x& y=é';

const hex = (character: string, width: number) =>
  (character.codePointAt(0) ?? 0).toString(16).padStart(width, '0');
const each = (text: string, spell: (character: string) => string) => [...text].map(spell).join('');
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const SPELLINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['for a URL', encodeURIComponent],
  [
    'for a URL, in lower case',
    (text) => encodeURIComponent(text).replace(/%../g, (x) => x.toLowerCase()),
  ],
  ['for a URL, every byte of it', percent],
  ['for a URL, twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['for a URL, twice, in lower case', (text) => encodeURIComponent(percent(text))],
  ['as a form', (text) => new URLSearchParams({ '': text }).toString().slice(1)],
  ['for HTML by number', (text) => each(text, (x) => `&#${x.codePointAt(0)};`)],
  ['for HTML by number with zeros', (text) => each(text, (x) => `&#0${x.codePointAt(0)};`)],
  ['for HTML in hex', (text) => each(text, (x) => `&#x${hex(x, 2).toUpperCase()};`)],
  ['for HTML in hex, in lower case', (text) => each(text, (x) => `&#x${hex(x, 2)};`)],
  ['for HTML by name', (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  [
    'for HTML by every name',
    (text) =>
      each(text, (x) => ({ '+': '&plus;', '/': '&sol;', '=': '&equals;', '&': '&AMP;' })[x] ?? x),
  ],
  ['for HTML, twice', (text) => each(text, (x) => `&amp;#x${hex(x, 2)};`)],
  ['as JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['as JSON with slashes', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
  ['as JSON by number', (text) => each(text, (x) => `\\u${hex(x, 4).toUpperCase()}`)],
  ['as JSON by number, in lower case', (text) => each(text, (x) => `\\u${hex(x, 4)}`)],
  ['as JSON within JSON', (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1)],
  ['as HTML within JSON', (text) => each(text, (x) => `\\u0026#${x.codePointAt(0)};`)],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64 within a URL', (text) => encodeURIComponent(Buffer.from(text).toString('base64'))],
  ['in base64url', (text) => Buffer.from(text).toString('base64url')],
];

// The padding of base64 is no part of the secret: a URL may keep it.
describe.each(SPELLINGS)('a secret %s', (_, spell) => {
  test('is hidden, and nothing around it is', () => {
    expect(hideSecrets(`<b>${spell(SECRET)}</b> é`, [SECRET])).toMatch(
      /^<b>\[hidden\](%3D)*<\/b> é$/,
    );
  });

  test('of 4 KB is hidden', () => {
    const secret = SECRET.repeat(200);
    rememberSecret(secret);
    expect(excerptOf(`denied for ${spell(secret)} here`)).toMatch(
      /^denied for \[hidden\](%3D)* here$/,
    );
  });
});

test.each(['a%2Bb&amp;c', 'C:\\new\\u0041', '50%', '%25', 'a&#43;b'])(
  'the secret %j, which looks escaped itself, is hidden as it is and escaped',
  (secret) => {
    expect(hideSecrets(`x ${secret} x ${JSON.stringify(secret)}`, [secret])).toBe(
      'x [hidden] x "[hidden]"',
    );
    // The start of an escape may be all of the secret: then the rest of the escape stays.
    expect(hideSecrets(`?q=${encodeURIComponent(secret)}`, [secret])).toMatch(
      /^\?q=\[hidden\](25)?$/,
    );
  },
);

test('a secret is hidden where what stands before it makes an escape of its start', () => {
  expect(hideSecrets('C:\\name-of-mine, 50%20-of-mine', ['name-of-mine', '20-of-mine'])).toBe(
    'C:\\[hidden], 50%[hidden]',
  );
});

test('a text keeps its escapes while no secret stands in them', () => {
  expect(hideSecrets('<b>sesame</b> %2B &amp; \\n', ['sesame'])).toBe(
    '<b>[hidden]</b> %2B &amp; \\n',
  );
  expect(hideSecrets('<b>%73esame</b> %2D &amp; \\"', ['sesame'])).toBe('<b>[hidden]</b> - & "');
});

test('secrets that stand within each other are hidden once', () => {
  expect(hideSecrets('id:sesame, sesame', ['sesame', 'id:sesame'])).toBe('[hidden], [hidden]');
});

test('an empty secret hides nothing', () => {
  expect(hideSecrets('abc', [''])).toBe('abc');
});

test('a text that is broken in every escape is left as it is', () => {
  const text = '%zz %e9 %c3%28 \\ &# &nothing; &#x110000; \\u12 %';
  expect(hideSecrets(text, ['secret'])).toBe(text);
});

test('a secret that only begins where a long text is cut is not shown by halves', () => {
  const secret = 'Zm9v+YmFy/'.repeat(400);
  const spelled = encodeURIComponent(encodeURIComponent(secret));
  rememberSecret(secret);
  for (const blanks of [60_000, 65_000, 70_000, 110_000]) {
    expect(excerptOf(' '.repeat(blanks) + spelled + 'x'.repeat(200_000))).not.toContain('Zm9v');
  }
});

test.each([
  ['percent signs', '%25'],
  ['broken percent signs', '%e9'],
  ['backslashes', '\\'],
  ['ampersands', '&amp;'],
  ['all of the secret but its end', 'a'.repeat(4_095)],
])('a hostile body of %s takes no longer than one pass over it', (_, part) => {
  const body = part.repeat(Math.ceil(5_000_000 / part.length));
  rememberSecret(`${'a'.repeat(4_095)}b`);
  // Of this thread alone: others take their time from the clock on the wall, and not from it.
  const before = process.threadCpuUsage();
  expect(excerptOf(body).length).toBeLessThanOrEqual(256);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(5);
});
