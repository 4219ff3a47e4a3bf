import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDoc } from '../docs/code-blocks.ts';
import { createSideStack } from './side-stack.ts';

const ACCOUNT = '000000000000';

/**
 * Creates a role that may do what docs/permissions.md says that the command line needs, and nothing else.
 * Answers what a program needs in its environment to have it.
 */
export async function createCliRole(
  outputs: Readonly<Record<string, string>>,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const trust = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: ACCOUNT } };
  const Role = {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: document([trust]),
      Policies: [
        { PolicyName: 'as-documented', PolicyDocument: document(documented(arnsOf(outputs))) },
      ],
    },
  };
  const stack = await createSideStack(
    'CliRole',
    { Role },
    { Arn: { 'Fn::GetAtt': ['Role', 'Arn'] } },
  );
  const file = join(folder, 'aws-config');
  writeFileSync(
    file,
    `[profile cli]
role_arn = ${stack.outputs.Arn}
source_profile = administrator

[profile administrator]
aws_access_key_id = test
aws_secret_access_key = test
`,
  );
  return {
    AWS_CONFIG_FILE: file,
    AWS_PROFILE: 'cli',
    AWS_ACCESS_KEY_ID: '',
    AWS_SECRET_ACCESS_KEY: '',
  };
}

function document(Statement: readonly object[]): object {
  return { Version: '2012-10-17', Statement };
}

/** What the table of the docs means by its words. */
function arnsOf(outputs: Readonly<Record<string, string>>): Readonly<Record<string, string[]>> {
  const {
    RolloutsTableName,
    RolloutsEventBusName,
    RolloutsStateMachineArn: machine = '',
  } = outputs;
  const arn = (service: string, resource: string) =>
    `arn:aws:${service}:us-east-1:${ACCOUNT}:${resource}`;
  const table = arn('dynamodb', `table/${RolloutsTableName}`);
  const executions = [`${machine.replace(':stateMachine:', ':execution:')}:*`];
  return {
    'the stack': [arn('cloudformation', 'stack/Steproll/*')],
    'the table': [table],
    'the table and its indexes': [table, `${table}/index/*`],
    'the state machine': [machine],
    'executions of the state machine': executions,
    'the executions': executions,
    'the event bus': [arn('events', `event-bus/${RolloutsEventBusName}`)],
  };
}

/**
 * From each row, the actions and the resources on which they are allowed. Both may have several parts, separated by
 * semicolons.
 */
function documented(arns: Readonly<Record<string, string[]>>): object[] {
  const [, table = ''] =
    /\| for \| actions \| on \|\n(.+?)\n\n/s.exec(readDoc('docs/permissions.md')) ?? [];
  const rows = table.split('\n').slice(1);
  return rows.flatMap((row) => {
    const [, , actions = '', on = ''] = row.split('|');
    const places = on.split(';').map((place) => place.trim());
    return actions.split(';').map((part, index) => {
      const place = places[index] ?? '';
      if (arns[place] === undefined) throw new Error(`What is "${place}" in docs/permissions.md?`);
      const Action = [...part.matchAll(/`(.+?)`/g)].map(([, action]) => action);
      return { Effect: 'Allow', Action, Resource: arns[place] };
    });
  });
}
