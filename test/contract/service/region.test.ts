import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fillRegion, regionSchema } from '../../../lib/contract/service/endpoint-url.ts';

describe('a region', () => {
  test.each(['eu-central-1', 'a', '1', 'x'.repeat(63)])('%s is one', (region) => {
    expect(regionSchema.safeParse(region).success).toBe(true);
  });

  test.each([
    '',
    'EU-1',
    '-a',
    'a-',
    'a.b',
    'a/b',
    'a@b',
    'a:1',
    'a b',
    'a\n',
    'é',
    '{region}',
    'x'.repeat(64),
  ])('%j is none', (region) => {
    expect(regionSchema.safeParse(region).success).toBe(false);
  });

  test('is filled in wherever the URL asks for it', () => {
    expect(fillRegion('https://{region}.example/{region}', 'eu-1')).toBe(
      'https://eu-1.example/eu-1',
    );
    expect(fillRegion('https://plain.example', 'eu-1')).toBe('https://plain.example');
  });

  test('that is not set leaves the URL as it is', () => {
    expect(fillRegion('https://{region}.example', undefined)).toBe('https://{region}.example');
  });

  test('C06: whatever the region is, it never changes the host beyond its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (region) => {
        const url = new URL(fillRegion('https://a.{region}.example/x', region));
        expect(url.host).toMatch(/^a\.[a-z0-9-]+\.example$/);
        expect(url.pathname + url.username).toBe('/x');
      }),
    );
  });
});
