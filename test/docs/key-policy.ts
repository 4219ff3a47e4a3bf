import { App, Stack } from 'aws-cdk-lib';
import { keyStatements } from '../../lib/constructs/resources/encryption.ts';

/** The statements that the policy of a key of one's own needs, to be copied. */
export function keyPolicy(): string {
  const stack = new Stack(new App());
  const here = {
    partition: 'aws',
    region: 'REGION',
    account: 'ACCOUNT',
    urlSuffix: 'amazonaws.com',
  };
  const lines = keyStatements(here)
    .map((statement) => stack.resolve(statement.toStatementJson()))
    .map(({ Sid, Effect, Principal, Action, Resource, Condition }) =>
      JSON.stringify({ Sid, Effect, Principal, Action, Resource, Condition }),
    )
    .map((statement) => `  ${statement.replaceAll(/([,:])(?=["[{])/g, '$1 ')}`);
  return ['```json', '[', lines.join(',\n'), ']', '```'].join('\n');
}
