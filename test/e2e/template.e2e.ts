import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../lib/simulation/server.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { runOrThrow } from './run-command.ts';

const SCENARIO = parseScenario({ runtimes: [{ id: 'shop', version: 1, endpoints: 4 }] });

let server: EndpointServer;
let emulator: Emulator;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-template-'));
  server = await startEndpointServer({ scenario: SCENARIO, port: 0, clock: systemClock });
  emulator = await startEmulator();
});

afterAll(async () => {
  await emulator.end();
  await server.close();
  rmSync(folder, { recursive: true });
});

test('the AWS CLI alone deploys the template and its assets, and the functions work', async () => {
  const config = join(folder, 'steproll.config.json');
  const written = join(folder, 'template');
  writeFileSync(config, JSON.stringify({ endpointUrl: server.url, runtimes: { shop: {} } }));
  await runOrThrow(['bin/template.ts', config, written, server.url], emulator.env);
  const template = join(written, 'template.json');
  await runOrThrow(['test/e2e/adapt-template.ts', template], emulator.env);

  await aws('s3', 'mb', 's3://assets');
  await aws('s3', 'cp', '--quiet', '--recursive', join(written, 'assets'), 's3://assets/steproll/');
  await aws(
    ...['cloudformation', 'deploy', '--stack-name', 'Steproll', '--template-file', template],
    ...['--s3-bucket', 'assets', '--parameter-overrides', 'AssetsBucket=assets'],
    ...['--capabilities', 'CAPABILITY_IAM'],
  );
  const name = await aws(
    ...['cloudformation', 'describe-stacks', '--stack-name', 'Steproll', '--output', 'text'],
    ...['--query', "Stacks[0].Outputs[?OutputKey=='RolloutsListFunctionName'].OutputValue"],
  );
  const answer = join(folder, 'answer.json');
  const event = join(folder, 'event.json');
  writeFileSync(event, JSON.stringify({ runtimeId: 'shop' }));
  await aws('lambda', 'invoke', '--function-name', name, '--payload', `fileb://${event}`, answer);

  expect(JSON.parse(readFileSync(answer, 'utf8'))).toMatchObject({ totalEndpoints: 4 });
});

/** What a command of the AWS CLI prints, without the line's end. @throws with what it said. */
async function aws(...args: string[]): Promise<string> {
  const { AWS_REGION } = emulator.env;
  const env = { ...process.env, ...emulator.env, AWS_DEFAULT_REGION: AWS_REGION };
  const { stdout } = await promisify(execFile)('aws', args, { env });
  return stdout.trim();
}
