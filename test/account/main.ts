import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Account, BOXES, POLICY } from './boxes.ts';
import { aws, runWell } from './run.ts';
import { sideStack } from './side-stack.ts';

// `npm run try:account -- --account 123456789012` deploys steproll and a small endpoint service into an account of AWS, tries
// the boxes of contributing/account.md, says what held, and takes everything down. It takes about an hour and less than 2 dollars.

const { values } = parseArgs({
  options: { account: { type: 'string' }, email: { type: 'string' } },
});
const { Account: account } = await aws('sts', 'get-caller-identity');
if (values.account !== account) {
  process.stderr.write(
    `These credentials are of the account ${account}. To deploy into it and take everything down again: --account ${account}\nFor its mails: --email you@example.com\n`,
  );
  process.exit(2);
}

const name = `try-${randomBytes(3).toString('hex')}`;
const stack = `Steproll-${name}`;
const folder = mkdtempSync(join(tmpdir(), 'steproll-account-'));
const file = join(folder, 'steproll.config.json');
/** What takes down what was made, the newest first. */
const ends: { readonly what: string; readonly end: () => Promise<unknown> }[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);
let held = 0;

try {
  const token = randomBytes(24).toString('hex');
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const secret = ['--name', `steproll/${name}`, '--secret-string', `file://${tokenFile}`];
  const { ARN } = await aws('secretsmanager', 'create-secret', ...secret);
  const forget = ['--secret-id', ARN, '--force-delete-without-recovery'];
  ends.push({ what: 'the secret', end: () => aws('secretsmanager', 'delete-secret', ...forget) });

  const service = readFileSync(new URL('./service.cjs', import.meta.url), 'utf8');
  const templateFile = join(folder, 'service.json');
  writeFileSync(templateFile, JSON.stringify(sideStack(service)));
  const side = ['--stack-name', `${stack}-service`];
  ends.push({
    what: 'the endpoint service',
    async end() {
      await aws('cloudformation', 'delete-stack', ...side);
      await aws('cloudformation', 'wait', 'stack-delete-complete', ...side);
    },
  });
  const parameters = join(folder, 'parameters.json');
  writeFileSync(parameters, JSON.stringify([`Token=${token}`]), { mode: 0o600 });
  // It answers in sentences.
  await runWell('aws', [
    ...['cloudformation', 'deploy', ...side, '--template-file', templateFile],
    ...['--parameter-overrides', `file://${parameters}`, '--capabilities', 'CAPABILITY_IAM'],
  ]);
  const { Url = '' } = await outputsOf(`${stack}-service`);

  const config = {
    name,
    endpointUrl: Url.replace(/\/$/, ''),
    auth: { kind: 'bearer', secret: { awsSecret: ARN } },
    policies: { default: POLICY },
    runtimes: { shop: {} },
    kmsKey: 'create',
    notifications: values.email === undefined ? {} : { emails: [values.email] },
  };
  const cdk = (...args: readonly string[]) =>
    runWell(process.execPath, ['node_modules/aws-cdk/bin/cdk', ...args, '-c', `config=${file}`]);
  const deploy = (changes: object) => {
    writeFileSync(file, JSON.stringify({ ...config, ...changes }));
    // The CDK says on stderr what has changed.
    const shell = 'exec "$0" "$@" 2>&1';
    const args = ['node_modules/aws-cdk/bin/cdk', 'deploy', '--require-approval', 'never'];
    return runWell('sh', ['-c', shell, process.execPath, ...args, '-c', `config=${file}`]);
  };
  ends.push({ what: `the stack ${stack}`, end: () => takeDown(cdk) });
  say(`Deploying ${stack} …`);
  await deploy({});
  const outputs = await outputsOf(stack);
  const tried: Account = { stack, outputs, deploy };

  for (const box of BOXES) {
    const found = await box.tick(tried).then(
      (seen) => ({ isHeld: true, seen }),
      (error: Error) => ({ isHeld: false, seen: error.message }),
    );
    held += Number(found.isHeld);
    say(`[${found.isHeld ? 'x' : ' '}] ${box.says}: ${found.seen}`);
  }
  say(`${held} of ${BOXES.length} held, all with a key of the stack's own.`);
  if (values.email !== undefined) say(`Look at the mails to ${values.email}.`);
  say('Not tried: network, AgentCore, a chat.');
} catch (error) {
  say(`It went no further: ${error instanceof Error ? error.message : error}`);
} finally {
  for (const { what, end } of ends.toReversed()) {
    await end().then(
      () => say(`Taken down: ${what}`),
      (error: Error) => say(`STILL THERE: ${what}: ${error.message}`),
    );
  }
  rmSync(folder, { recursive: true });
}
process.exitCode = held === BOXES.length ? 0 : 1;

async function outputsOf(StackName: string): Promise<Readonly<Record<string, string>>> {
  const { Stacks } = await aws('cloudformation', 'describe-stacks', '--stack-name', StackName);
  const outputs: readonly { OutputKey: string; OutputValue: string }[] = Stacks[0].Outputs;
  return Object.fromEntries(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/** As docs/deploy.md says under "Undo it". */
async function takeDown(cdk: (...args: readonly string[]) => Promise<string>): Promise<void> {
  const { RolloutsTableName, RolloutsKeyArn } = await outputsOf(stack).catch(() => ({}) as never);
  const named = ['--stack-name', stack, '--no-enable-termination-protection'];
  await aws('cloudformation', 'update-termination-protection', ...named);
  await cdk('destroy', '--force');
  if (RolloutsTableName !== undefined) {
    const table = ['--table-name', RolloutsTableName];
    await aws('dynamodb', 'update-table', ...table, '--no-deletion-protection-enabled');
    await aws('dynamodb', 'wait', 'table-exists', ...table);
    await aws('dynamodb', 'delete-table', ...table);
    await aws('dynamodb', 'wait', 'table-not-exists', ...table);
  }
  if (RolloutsKeyArn !== undefined) {
    const key = ['--key-id', RolloutsKeyArn, '--pending-window-in-days', '7'];
    await aws('kms', 'schedule-key-deletion', ...key);
  }
}
