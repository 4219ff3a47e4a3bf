import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { releaseSourceSchema } from '../../../lib/contract/config/releases.ts';
import { mistakesIn } from '../mistakes-in.ts';

const ECR = {
  name: 'ecr',
  pattern: { source: ['aws.ecr'] },
  runtimeId: { path: 'detail.repository-name' },
  version: { path: 'detail.image-tag' },
};

describe('a release source', () => {
  test.each<[string, object]>([
    ['paths for both', {}],
    ['a runtime and a version that are fixed', { runtimeId: 'shop', version: 7 }],
    ['the latest version', { version: 'latest' }],
    ['the version of an endpoint', { version: undefined, versionFrom: { endpoint: 'staging' } }],
    ['a detail type alone', { pattern: { 'detail-type': ['Built'] } }],
    ['the bus of an ARN', { bus: 'arn:aws:events:eu-central-1:123456789012:event-bus/releases' }],
    [
      'a pattern with all its keys',
      {
        pattern: {
          source: ['aws.codepipeline'],
          'detail-type': ['CodePipeline Pipeline Execution State Change'],
          account: ['123456789012'],
          region: ['eu-central-1'],
          resources: ['arn:aws:codepipeline:eu-central-1:123456789012:shop'],
          detail: { state: ['SUCCEEDED'], deep: { er: [{ prefix: 'v' }, null, 3] } },
        },
      },
    ],
  ])('may have %s', (_, more) => {
    expect(mistakesIn(releaseSourceSchema, { ...ECR, ...more })).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['a name with a space', { name: 'a b' }, 'name: '],
    ['a name of 41 letters', { name: 'n'.repeat(41) }, 'name: '],
    ['no name', { name: undefined }, 'name: missing'],
    ['a bus that is none', { bus: 'arn:aws:sqs:eu-central-1:123456789012:x' }, 'bus: '],
    ['no pattern', { pattern: undefined }, 'pattern: missing'],
    [
      'a pattern that says nobody',
      { pattern: { detail: { x: ['y'] } } },
      'pattern.source: missing',
    ],
    ['a pattern for every source', { pattern: { source: [] } }, 'pattern.source: '],
    ['a source with a wildcard', { pattern: { source: [{ prefix: '' }] } }, 'pattern.source[0]: '],
    [
      'a way round the source',
      { pattern: { source: ['aws.ecr'], $or: [{ source: ['x'] }] } },
      'pattern.$or: unknown key',
    ],
    [
      'an empty list in a pattern',
      { pattern: { source: ['a'], detail: { x: [] } } },
      'pattern.detail',
    ],
    ['a runtime of any name', { runtimeId: ['*'] }, 'runtimeId: '],
    ['a path outside of the detail', { runtimeId: { path: 'account' } }, 'runtimeId.path: '],
    ['a path with a filter', { runtimeId: { path: 'detail[?(@.x)]' } }, 'runtimeId.path: '],
    ['a path to nowhere', { version: { path: 'detail.' } }, 'version.path: '],
    ['a version as text', { version: '7' }, 'version: '],
    ['version 0', { version: 0 }, 'version: '],
    ['no version', { version: undefined }, 'version: missing; use exactly one of'],
    ['two versions', { versionFrom: { endpoint: 'staging' } }, 'versionFrom: '],
    ['a policy', { policy: { onFailure: 'hold' } }, 'policy: unknown key'],
    ['a URL', { endpointUrl: 'https://evil.example' }, 'endpointUrl: unknown key'],
  ])('may not have %s', (_, more, mistake) => {
    expect(mistakesIn(releaseSourceSchema, { ...ECR, ...more })).toEqual([
      expect.stringContaining(mistake),
    ]);
  });

  test('of AgentCore needs nothing but its kind, and has a name', () => {
    expect(releaseSourceSchema.parse({ kind: 'agentcore' })).toEqual({
      ...{ kind: 'agentcore', name: 'agentcore' },
    });
  });

  test.each<[string, object, string]>([
    ['a pattern', { pattern: { source: ['aws.ecr'] } }, 'pattern: unknown key'],
    ['a runtime', { runtimeId: 'shop' }, 'runtimeId: unknown key'],
    ['a version', { version: 7 }, 'version: unknown key'],
    ['another kind', { kind: 'x' }, 'kind: "x" is not allowed; use one of "events", "agentcore"'],
  ])('of AgentCore may not have %s', (_, more, mistake) => {
    expect(mistakesIn(releaseSourceSchema, { kind: 'agentcore', ...more })).toEqual([mistake]);
  });

  test.each(['steproll', 'steproll.release', 'steproll.x'])(
    'E11: may not have the source %s, which is our own',
    (source) => {
      expect(
        mistakesIn(releaseSourceSchema, { ...ECR, pattern: { source: ['aws.ecr', source] } }),
      ).toEqual([expect.stringMatching(/^pattern\.source\[1\]: "steproll.* of another system/)]);
    },
  );

  test('is parsed or refused with sentences, whatever it is', () => {
    const keys = fc.constantFrom('name', 'pattern', 'runtimeId', 'version', 'versionFrom', 'x');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.anything()), fc.anything(), (more, anything) => {
        for (const mistake of [
          ...mistakesIn(releaseSourceSchema, { ...ECR, ...more }),
          ...mistakesIn(releaseSourceSchema, anything),
        ]) {
          expect(mistake).toMatch(/use|unknown key|it (is|has|would)/);
        }
      }),
    );
  });
});
