import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { openConfigSchema, parseConfig } from '../../../lib/contract/config/config.ts';
import { DEFAULT_TRIGGERS } from '../../../lib/contract/config/triggers.ts';
import { checkInput } from '../../../lib/contract/input/parse-input.ts';
import { configMistakes } from '../config-mistakes.ts';

const ECR = {
  name: 'ecr',
  bus: 'default',
  pattern: { source: ['aws.ecr'], 'detail-type': ['ECR Image Action'] },
  runtimeId: { path: 'detail.repository-name' },
  version: { path: 'detail.image-tag' },
};
const NIGHTLY = {
  name: 'nightly',
  runtimeId: 'shop',
  cron: '0 3 * * ? *',
  versionFrom: { endpoint: 'staging' },
};

describe('triggers in the configuration', () => {
  test('there are none but our own release events where nothing is said', () => {
    expect(parseConfig(configWith(undefined))).not.toHaveProperty('triggers');
    expect(DEFAULT_TRIGGERS).toEqual({
      maxAgeSeconds: 900,
      accounts: [],
      releases: [],
      schedules: [],
    });
  });

  test('are kept as they were written, defaults filled in', () => {
    const triggers = { releases: [ECR], schedules: [NIGHTLY] };
    expect(parseConfig(configWith(triggers)).triggers).toEqual({
      ...DEFAULT_TRIGGERS,
      ...triggers,
    });
  });

  test('are as the examples in the docs show them', () => {
    const text = readFileSync(new URL('../../../docs/triggers.md', import.meta.url), 'utf8');
    const examples = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => json ?? '');
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) {
      // Approvers are for one machine, and say nothing of triggers.
      const { triggers = {}, approvers, ...others } = JSON.parse(example);
      const { endpointUrl, ...rest } = { ...configWith(triggers), ...others };
      const service = rest.service === undefined ? { endpointUrl } : {};
      expect(parseConfig({ ...rest, ...service }).triggers).toMatchObject(triggers);
    }
  });

  test('are known to the command line, which reads the same file', () => {
    const config = configWith({ schedules: [{ ...NIGHTLY, runtimeId: 'nowhere' }] });
    expect(checkInput(openConfigSchema, configWith({ schedules: [NIGHTLY] }))).toHaveProperty(
      'data',
    );
    expect(checkInput(openConfigSchema, config)).toHaveProperty('mistakes');
  });

  test('every mistake is told at once, each with its path, whatever else is wrong', () => {
    const triggers = {
      maxAgeSeconds: 10,
      accounts: ['1'],
      releases: [
        { ...ECR, pattern: { detail: { result: 'SUCCESS' } }, runtimeId: 'nowhere' },
        { ...ECR, version: undefined, endpointUrl: 'https://evil.example' },
        7,
      ],
      schedules: [
        { name: 'n', runtimeId: '*', rate: '1 days', timeZone: 'Mars/Base' },
        { ...NIGHTLY, at: '2026-12-01T03:00:00', version: 3 },
        { ...NIGHTLY },
      ],
    };
    expect(configMistakes({ ...configWith(triggers), zone: 'eu' })).toEqual([
      expect.stringMatching(/^triggers\.maxAgeSeconds: 10 .* at least 60$/),
      expect.stringMatching(/^triggers\.accounts\[0\]: "1" .*12 digits$/),
      expect.stringMatching(/^triggers\.releases\[0\]\.pattern\.detail\.result: .* use a list or/),
      expect.stringMatching(/^triggers\.releases\[0\]\.pattern\.source: missing; use source, /),
      expect.stringMatching(/^triggers\.releases\[1\]\.endpointUrl: unknown key$/),
      expect.stringMatching(/^triggers\.releases\[1\]\.version: missing; use exactly one of/),
      expect.stringMatching(/^triggers\.releases\[2\]: 7 is not allowed; use an object$/),
      expect.stringMatching(/^triggers\.releases\[1\]\.name: "ecr" .* use each name once$/),
      expect.stringMatching(/^triggers\.schedules\[0\]\.rate: "1 days" /),
      expect.stringMatching(/^triggers\.schedules\[0\]\.timeZone: "Mars\/Base" .* IANA/),
      expect.stringMatching(/^triggers\.schedules\[0\]\.version: missing; use exactly one of/),
      expect.stringMatching(/^triggers\.schedules\[0\]\.timeZone: .* a rate has no time of day$/),
      expect.stringMatching(/^triggers\.schedules\[1\]\.at: .* use exactly one of rate, cron, at$/),
      expect.stringMatching(/^triggers\.schedules\[1\]\.versionFrom: .* use exactly one of/),
      expect.stringMatching(/^triggers\.schedules\[2\]\.name: "nightly" .* use each name once$/),
      'zone: unknown key',
      expect.stringMatching(/^triggers\.releases\[0\]\.runtimeId: "nowhere" .* entry in runtimes$/),
      expect.stringMatching(/^triggers\.schedules\[0\]\.runtimeId: "\*" .* entry in runtimes$/),
    ]);
  });

  const OF_LATEST = {
    releases: [{ ...ECR, version: 'latest' }],
    schedules: [{ ...NIGHTLY, versionFrom: undefined, version: 'latest' }],
  };

  test('C01: may not ask for the latest version of a service that cannot list versions', () => {
    const sentence =
      'version: "latest" is not allowed; use a number, or versionFrom: a service with a base URL cannot list versions';
    expect(configMistakes(configWith(OF_LATEST))).toEqual([
      `triggers.releases[0].${sentence}`,
      `triggers.schedules[0].${sentence}`,
    ]);
  });

  test('may ask for it where the service can, or may be named elsewhere', () => {
    const { endpointUrl, ...others } = configWith(OF_LATEST);
    expect(checkInput(openConfigSchema, others)).toHaveProperty('data');
    const id = 'shop_agent-a1B2c3D4e5';
    const triggers = { schedules: [{ ...OF_LATEST.schedules[0], runtimeId: id }] };
    const service = { kind: 'agentcore', region: 'eu-central-1' };
    const config = parseConfig({ service, runtimes: { [id]: {} }, triggers });
    expect(config.triggers?.schedules).toMatchObject([{ version: 'latest' }]);
  });

  test.each([
    ['maxAgeSeconds', 3601],
    ['maxAgeSeconds', '900'],
    ['accounts', '*'],
    ['accounts', ['*']],
    ['accounts', ['1234567890123']],
    ['releases', Array.from({ length: 21 }, (_, index) => ({ ...ECR, name: `r${index}` }))],
    ['schedules', Array.from({ length: 21 }, (_, index) => ({ ...NIGHTLY, name: `s${index}` }))],
    ['policy', {}],
  ])('E07: %s of %j is refused', (key, value) => {
    expect(configMistakes(configWith({ [key]: value }))).toEqual([
      expect.stringMatching(new RegExp(`^triggers\\.${key}`)),
    ]);
  });
});

function configWith(triggers: unknown) {
  const endpointUrl = 'https://endpoints.example.com';
  return { endpointUrl, runtimes: { shop: {} }, ...(triggers ? { triggers } : {}) };
}

describe('releases that are rolled once', () => {
  const withId = { ...ECR, releaseId: { path: 'detail.image-digest' } };

  test('each source says where the id of a release is, and AgentCore needs none', () => {
    const triggers = { once: 'releaseId', releases: [withId, { kind: 'agentcore' }] };
    expect(parseConfig(configWith(triggers)).triggers).toMatchObject({ once: 'releaseId' });
    expect(
      configMistakes(
        configWith({ once: 'releaseId', releases: [withId, { ...ECR, name: 'more' }] }),
      ),
    ).toEqual([expect.stringMatching(/^triggers\.releases\[1\]\.releaseId: missing/)]);
    expect(parseConfig(configWith({ releases: [ECR] })).triggers).toMatchObject({
      releases: [ECR],
    });
  });

  test('the id has one name', () => {
    expect(configMistakes(configWith({ once: 'version' }))).toEqual([
      expect.stringMatching(/^triggers\.once: /),
    ]);
  });
});
