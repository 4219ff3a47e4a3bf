import { aws, run, until } from './run.ts';
import { testStates } from './test-states.ts';

export interface Account {
  readonly stack: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Deploys once more, with these changes of the configuration. Answers what the CDK said. */
  deploy(changes: object): Promise<string>;
}

/** A box of contributing/account.md that only an account can show. */
interface Box {
  readonly says: string;
  /** Answers what was seen. @throws when it does not hold */
  tick(account: Account): Promise<string>;
}

type Steproll = (...args: readonly string[]) => ReturnType<typeof run>;

function steprollOf({ stack }: Account, env: Readonly<Record<string, string>> = {}): Steproll {
  const engine = { STEPROLL_ENGINE: 'aws', STEPROLL_STACK: stack };
  return (...args) => run(process.execPath, ['bin/steproll.ts', ...args], { ...engine, ...env });
}

async function release(account: Account, version: number) {
  const args = ['release', 'publish', 'shop', '--version', `${version}`, '--wait', '-o', 'json'];
  const { stdout, stderr } = await steprollOf(account)(...args);
  if (stdout.trim() === '') throw new Error(stderr.trim().slice(-400));
  return JSON.parse(stdout);
}

async function start(account: Account, version: number): Promise<string> {
  const args = ['rollout', 'start', 'shop', '--version', `${version}`, '--yes', '--detach'];
  const { stdout, stderr } = await steprollOf(account)(...args, '-o', 'id');
  const id = stdout.trim();
  if (id === '') throw new Error(stderr.trim().slice(-400));
  return id;
}

/** `null`: the ledger does not know it yet. */
async function show(account: Account, id: string) {
  const { stdout } = await steprollOf(account)('rollout', 'show', id, '-o', 'json');
  return stdout.trim() === '' ? null : JSON.parse(stdout);
}

const hasBegun = (account: Account, id: string) =>
  until('a rollout has a plan', 120, async () => (await show(account, id))?.startedAt);

const ended = (account: Account, id: string, seconds: number) =>
  until(`rollout ${id} ends`, seconds, async () => {
    const report = await show(account, id);
    return report?.outcome ? report : null;
  });

async function alarmRings(account: Account, section: string): Promise<string> {
  const since = Date.now();
  await until(`the alarm "${section}" rings`, 900, async () => {
    const args = ['--alarm-name-prefix', account.stack, '--state-value', 'ALARM'];
    const { MetricAlarms } = await aws('cloudwatch', 'describe-alarms', ...args);
    return MetricAlarms.some(({ AlarmDescription }: { AlarmDescription: string }) =>
      AlarmDescription.includes(section),
    );
  });
  return `its alarm rang after ${secondsSince(since)} s`;
}

const secondsSince = (at: number) => Math.round((Date.now() - at) / 1000);

function expectThat(isSo: boolean, seen: unknown): void {
  if (!isSo) throw new Error(`saw ${JSON.stringify(seen)}`);
}

const EXECUTION = (account: Account, id: string) =>
  `${account.outputs.RolloutsStateMachineArn?.replace(':stateMachine:', ':execution:')}:${id}`;

export const BOXES: readonly Box[] = [
  {
    says: 'a second deployment changes nothing',
    async tick({ deploy }) {
      const said = await deploy({});
      expectThat(said.includes('no changes'), said.slice(-200));
      return 'no changes';
    },
  },
  {
    says: 'each state leads where it should, and an error keeps its name (TestState)',
    tick: ({ outputs }) => testStates(outputs.RolloutsStateMachineArn ?? ''),
  },
  {
    says: 'a release ends with Succeeded',
    async tick(account) {
      const { outcome, rolloutId } = await release(account, 2);
      expectThat(outcome === 'Succeeded', outcome);
      const report = await show(account, rolloutId);
      expectThat(report?.startedBy?.kind === 'release', report?.startedBy);
      return rolloutId;
    },
  },
  {
    says: 'an older version ends with DowngradeRefused',
    async tick(account) {
      const { outcome, reason } = await release(account, 1);
      expectThat(reason === 'DowngradeRefused', { outcome, reason });
      return outcome;
    },
  },
  {
    says: 'who starts an execution neither leaves out a locked gate nor signs as a release',
    async tick(account) {
      const input = {
        ...{ schemaVersion: 1, runtimeId: 'shop', version: 2 },
        startedBy: { kind: 'release', name: 'somebody', at: 0 },
        policy: { maxVersionStep: 100_000 },
      };
      const name = `locked-${Date.now()}`;
      const args = ['--state-machine-arn', account.outputs.RolloutsStateMachineArn ?? ''];
      const asked = ['--name', name, '--input', JSON.stringify(input)];
      await aws('stepfunctions', 'start-execution', ...args, ...asked);
      const { reason, startedBy } = await ended(account, name, 120);
      expectThat(reason === 'PolicyLocked' && startedBy.kind === 'person', { reason, startedBy });
      return reason;
    },
  },
  {
    says: 'an abort is followed within 60 s',
    async tick(account) {
      const id = await start(account, 3);
      await hasBegun(account, id);
      const since = Date.now();
      const abort = ['rollout', 'abort', id, '--on-abort', 'hold', '--yes'];
      await steprollOf(account)(...abort);
      const { outcome, message } = await ended(account, id, 60);
      expectThat(outcome === 'Aborted' && message.includes('arn:'), { outcome, message });
      return `after ${secondsSince(since)} s, under the name of an ARN`;
    },
  },
  {
    says: 'an execution that somebody stops is closed by the janitor, and its alarm rings',
    async tick(account) {
      const id = await start(account, 4);
      await hasBegun(account, id);
      await aws('stepfunctions', 'stop-execution', '--execution-arn', EXECUTION(account, id));
      const { outcome } = await ended(account, id, 120);
      expectThat(outcome === 'Errored', outcome);
      return alarmRings(account, 'The janitor had work');
    },
  },
  {
    says: 'an event whose time is 20 minutes ago waits as a dead letter',
    async tick({ outputs }) {
      const entry = {
        ...{ EventBusName: outputs.RolloutsEventBusName, Source: 'steproll.release' },
        ...{
          DetailType: 'Release Published',
          Time: new Date(Date.now() - 1_200_000).toISOString(),
        },
        Detail: JSON.stringify({ runtimeId: 'shop', version: 9, releaseId: 'late' }),
      };
      await aws('events', 'put-events', '--entries', JSON.stringify([entry]));
      const queue = ['--queue-url', outputs.RolloutsTriggersQueueUrl ?? ''];
      const since = Date.now();
      await until('a dead letter', 600, async () => {
        const names = ['--attribute-names', 'ApproximateNumberOfMessages'];
        const { Attributes } = await aws('sqs', 'get-queue-attributes', ...queue, ...names);
        return Number(Attributes?.ApproximateNumberOfMessages ?? 0) > 0;
      });
      return `after ${secondsSince(since)} s`;
    },
  },
  {
    says: 'a bad version goes back, and its alarm rings',
    async tick(account) {
      const { outcome, cleanup } = await release(account, 13);
      expectThat(outcome === 'Failed' && cleanup === 'rolledBack', { outcome, cleanup });
      return alarmRings(account, 'A rollout failed');
    },
  },
  {
    says: 'who may hold may hold, and do nothing else there (dynamodb:LeadingKeys, dynamodb:Attributes)',
    async tick(account) {
      const holder = await assumeHolder(account);
      const asHolder = steprollOf(account, holder.env);
      try {
        const why = ['--until', '1h', '--reason', 'a try', '--yes', '-o', 'json'];
        const hold = await asHolder('hold', 'add', 'freeze', 'nobody', ...why);
        expectThat(hold.exitCode === 0, hold.stderr.slice(-300));
        const { id, by } = JSON.parse(hold.stdout);
        const unlock = await asHolder('hold', 'add', 'unlock', 'nobody', ...why);
        const isRefused =
          unlock.exitCode !== 0 && /AccessDenied|not authorized/.test(unlock.stderr);
        expectThat(isRefused, unlock.stderr.slice(-300));
        await asHolder('hold', 'lift', id, '--reason', 'over', '--yes');
        return `the owner is ${by}`;
      } finally {
        await holder.remove();
      }
    },
  },
  {
    says: 'a rollout under way before a deployment with another policy ends with the old one',
    async tick(account) {
      await account.deploy({ policies: { default: { ...POLICY, bakeSeconds: 120 } } });
      const id = await start(account, 5);
      await hasBegun(account, id);
      await account.deploy({});
      const { startedAt, endedAt, outcome } = await ended(account, id, 1_200);
      const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
      expectThat(outcome === 'Succeeded' && seconds >= 240, { outcome, seconds });
      return `it took ${Math.round(seconds)} s`;
    },
  },
  {
    says: 'a schedule with a time zone starts a rollout within a minute of its time',
    async tick(account) {
      // A deployment takes some minutes, and a time that has passed is no schedule.
      const at = Math.ceil((Date.now() + 480_000) / 60_000) * 60_000;
      // A zone without summer time, two hours ahead of UTC.
      const local = new Date(at + 2 * 3_600_000)
        .toISOString()
        .slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
      const schedule = { name: 'once', runtimeId: 'shop', version: 6, at: local };
      const schedules = [{ ...schedule, timeZone: 'Africa/Johannesburg' }];
      await account.deploy({ triggers: { schedules } });
      const found = await until('the scheduled rollout', 900, async () => {
        const { stdout } = await steprollOf(account)('rollout', 'list', 'shop', '-o', 'json');
        const all: readonly { startedBy: { kind: string }; startedAt: string }[] = JSON.parse(
          stdout || '[]',
        );
        return all.find(({ startedBy }) => startedBy.kind === 'schedule');
      });
      const late = (Date.parse(found.startedAt) - at) / 1000;
      expectThat(late >= 0 && late <= 60, { late });
      return `${Math.round(late)} s after its time`;
    },
  },
];

/** What each rollout here is done with, unless a box says otherwise. */
export const POLICY = {
  waves: [{ endpoints: 1 }, { percent: 100 }],
  ...{ bakeSeconds: 20, onFailure: 'roll-back', progressDeadlineSeconds: 120 },
};

/** A role with the policy of docs/permissions.md, "Who may hold", and what it needs besides. */
async function assumeHolder({ outputs }: Account) {
  const { Account: account } = await aws('sts', 'get-caller-identity');
  const RoleName = `steproll-try-holder-${Date.now()}`;
  const { Table } = await aws(
    'dynamodb',
    'describe-table',
    '--table-name',
    outputs.RolloutsTableName ?? '',
  );
  const table: string = Table.TableArn;
  const document = (Statement: readonly object[]) =>
    JSON.stringify({ Version: '2012-10-17', Statement });
  const trusted = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: account } };
  const rights = [
    {
      ...{ Effect: 'Allow', Action: 'dynamodb:UpdateItem', Resource: table },
      Condition: {
        'ForAllValues:StringEquals': {
          'dynamodb:LeadingKeys': ['holds'],
          'dynamodb:Attributes': ['pk', 'sk', 'holds', 'revision'],
        },
      },
    },
    {
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:Query'],
      Resource: [table, `${table}/index/*`],
    },
    { Effect: 'Allow', Action: 'cloudformation:DescribeStacks', Resource: '*' },
    // The table is encrypted with the key of the stack.
    {
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      Resource: outputs.RolloutsKeyArn,
    },
  ];
  const named = ['--role-name', RoleName];
  const trust = ['--assume-role-policy-document', document([trusted])];
  const { Role } = await aws('iam', 'create-role', ...named, ...trust);
  const policy = [...named, '--policy-name', 'hold'];
  await aws('iam', 'put-role-policy', ...policy, '--policy-document', document(rights));
  const session = ['--role-arn', Role.Arn, '--role-session-name', 'a-holder'];
  // A new role is known everywhere only after some seconds.
  const { Credentials } = await until('a role that was made', 60, () =>
    aws('sts', 'assume-role', ...session).catch(() => null),
  );
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  return {
    env: {
      AWS_ACCESS_KEY_ID: String(Credentials.AccessKeyId),
      AWS_SECRET_ACCESS_KEY: String(Credentials.SecretAccessKey),
      AWS_SESSION_TOKEN: String(Credentials.SessionToken),
      AWS_PROFILE: '',
    },
    async remove() {
      await aws('iam', 'delete-role-policy', ...policy);
      await aws('iam', 'delete-role', ...named);
    },
  };
}
