import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { asAwsError } from './aws-error.ts';

/** Where the parts of steproll are that a stack has deployed. */
export interface StackParts {
  readonly account: string;
  readonly region: string;
  readonly stateMachineArn: string;
  readonly tableName: string;
  readonly eventBusName: string;
  /** Base URL of the service that it drives. @default - a stack from before does not say */
  readonly endpointUrl?: string | undefined;
}

/**
 * Finds what a CloudFormation stack has deployed by the outputs of the stack.
 *
 * @throws `StackNotFound` when there is no such stack, or it is none of steproll's; `AwsUnavailable`.
 */
export async function findStack(client: CloudFormationClient, name: string): Promise<StackParts> {
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: name }))
    .catch(async (error: unknown) => {
      if (isNotThere(error)) throw notFound(name, await client.config.region());
      throw asAwsError(error, `read the stack ${name}`);
    });
  // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
  const [, , , region = 'unknown', account = 'unknown'] = stack?.StackId?.split(':') ?? [];
  const outputs = new Map(
    stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  const read = (key: string): string => {
    const value = outputs.get(key);
    if (value !== undefined) return value;
    throw new SteprollError(
      ErrorName.StackNotFound,
      `The stack ${name} (${stack?.StackStatus}) has no output ${key}: it is no stack of steproll, or an older one. Deploy it again (npx cdk deploy), or name the right one with --stack.`,
    );
  };
  return {
    account,
    region,
    stateMachineArn: read('StateMachineArn'),
    tableName: read('TableName'),
    eventBusName: read('EventBusName'),
    endpointUrl: outputs.get('EndpointUrl'),
  };
}

/** CloudFormation has no name of its own for it. */
function isNotThere(error: unknown): boolean {
  return errorNameOf(error) === 'ValidationError' && / does not exist$/.test(errorMessageOf(error));
}

function notFound(name: string, region: string): SteprollError {
  return new SteprollError(
    ErrorName.StackNotFound,
    `There is no stack ${name} in ${region}, in the account of these credentials. Name it with --stack or STEPROLL_STACK; AWS_PROFILE and AWS_REGION say where it is looked for.`,
  );
}
