import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EndpointFunction } from '../../../lib/constructs/resources/endpoint-function.ts';
import { buildBundle } from './build-bundle.ts';

test('what is measured is what is deployed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steproll-bundle-'));
  try {
    const measured = join(folder, 'measured.js');
    const bytes = await buildBundle('functions/list.ts', measured);
    const outdir = join(folder, 'cdk.out');
    const deployed = await readFile(bundleOfList(outdir), 'utf8');
    expect(await readFile(measured, 'utf8')).toBe(deployed);
    expect(bytes).toBe(Buffer.byteLength(deployed));
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** The bundle that the deployment makes of the function. */
function bundleOfList(outdir: string): string {
  const stack = new Stack(
    new App({ outdir, context: { 'aws:cdk:enable-asset-metadata': true } }),
    'Stack',
  );
  new EndpointFunction(stack, 'List', {
    entry: 'list',
    serviceKind: 'rest',
    description: 'Lists',
    timeout: Duration.seconds(1),
    environment: {},
  });
  const [list] = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
  return join(outdir, list?.Metadata['aws:asset:path'], 'index.js');
}
