import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { ended } from '../cli/program-process.ts';
import { ProcessHere } from '../support/process-here.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
let guide: string;
let folder: string;
let template: Template;

beforeAll(async () => {
  guide = await readFile(join(ROOT, 'docs/cdk.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'steproll-cdk-'));
  const [, example = ''] = /^```ts\n(.+?)^```$/ms.exec(guide) ?? [];
  const entry = pathToFileURL(join(ROOT, 'lib/cdk.ts')).href;
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'app.ts'), example.replace("'steproll/cdk'", `'${entry}'`));
  const app = pathToFileURL(join(folder, 'app.ts')).href;
  const env = {
    CDK_OUTDIR: join(folder, 'cdk.out'),
    CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [] }),
  };
  expect(
    await ended(new ProcessHere(() => import(app).then(() => 0), { cwd: folder, env })),
  ).toMatchObject({ code: 0, stderr: '' });
  const text = await readFile(join(folder, 'cdk.out/Shop.template.json'), 'utf8');
  template = Template.fromJSON(JSON.parse(text));
});

afterAll(async () => rm(folder, { recursive: true }));

test('the example starts rollouts from image pushes and every night', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    Name: 'steproll-from-image-pushed',
    EventBusName: 'default',
    EventPattern: { source: ['aws.ecr'], detail: { 'repository-name': ['shop'] } },
  });
  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'cron(0 3 * * ? *)',
    ScheduleExpressionTimezone: 'Europe/Berlin',
  });
  const files = globSync(join(folder, 'cdk.out/asset.*/triggers.json'));
  expect(files.map((file) => JSON.parse(readFileSync(file, 'utf8')))).toEqual([
    expect.objectContaining({ releases: [expect.objectContaining({ name: 'image-pushed' })] }),
  ]);
});

test('the example lets the pipeline announce releases', () => {
  template.hasResourceProperties('AWS::IAM::Policy', {
    Roles: ['shop-pipeline'],
    PolicyDocument: { Statement: [Match.objectLike({ Action: 'events:PutEvents' })] },
  });
});

test('the example tells people of its alarms', () => {
  template.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'on-call@example.com' });
  template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: Match.anyValue() });
});
