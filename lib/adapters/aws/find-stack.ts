import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { type FoundOutputs, instancesIn, outputsId } from '../../contract/stack/outputs.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { asAwsError } from './aws-errors.ts';

/** Where the deployed parts of an instance are, by its outputs. */
interface StackParts extends FoundOutputs {
  readonly account: string;
  readonly region: string;
}

/**
 * Finds the deployed parts of an instance in the outputs of its CloudFormation stack.
 *
 * @param name `STACK`, or `STACK/ID` where the stack has several.
 * @throws `StackNotFound` that lists what is there; `AwsUnavailable`.
 */
export async function findStack(client: CloudFormationClient, name: string): Promise<StackParts> {
  const [stackName = '', ...path] = name.split('/');
  const { Stacks: [stack] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch(async (error: unknown) => {
      if (!isNotThere(error)) throw asAwsError(error, `read the stack ${stackName}`);
      const where = `in ${await client.config.region()}, in the account of these credentials`;
      throw await notFound(client, `There is no stack ${stackName} ${where}`);
    });
  const instances = instancesIn(outputsOf(stack));
  const id = path.length === 0 ? undefined : outputsId(path.join(''));
  const found = instances.filter((one) => id === undefined || one.id === id);
  const [instance] = found;
  if (instance !== undefined && found.length === 1) {
    // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
    const [, , , region = 'unknown', account = 'unknown'] = stack?.StackId?.split(':') ?? [];
    return { account, region, ...instance.outputs };
  }
  const names = instances.map((one) => `${stackName}/${one.id}`).join(', ');
  if (found.length > 1) {
    throw stackNotFound(
      `The stack ${stackName} has ${found.length} instances of steproll: --stack takes one of ${names}.`,
    );
  }
  if (instances.length > 0) {
    throw stackNotFound(`The stack ${stackName} has no ${name}: --stack takes one of ${names}.`);
  }
  throw await notFound(
    client,
    `The stack ${stackName} (${stack?.StackStatus}) has no outputs of steproll, which EndpointRollouts makes unless \`outputs\` is false`,
  );
}

/** CloudFormation has no error name for a stack that does not exist. */
function isNotThere(error: unknown): boolean {
  return errorNameOf(error) === 'ValidationError' && / does not exist$/.test(errorMessageOf(error));
}

async function notFound(client: CloudFormationClient, what: string): Promise<SteprollError> {
  const there = await instancesThere(client);
  const list = there.length === 0 ? '' : ` What is there: ${there.join(', ')}.`;
  return stackNotFound(
    `${what}.${list} Name it with --stack or STEPROLL_STACK; AWS_PROFILE and AWS_REGION say where it is looked for.`,
  );
}

/** Whoever may read one stack may not always read all of them. */
async function instancesThere(client: CloudFormationClient): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) {
      names.push(...Stacks.flatMap(namesIn));
    }
  } catch {
    // What was read until then may help, too.
  }
  return names.toSorted();
}

function namesIn(stack: Stack): readonly string[] {
  const instances = instancesIn(outputsOf(stack));
  const name = stack.StackName ?? '';
  return instances.length === 1 ? [name] : instances.map(({ id }) => `${name}/${id}`);
}

function outputsOf(stack: Stack | undefined): Readonly<Record<string, string>> {
  const outputs = stack?.Outputs ?? [];
  return Object.fromEntries(
    outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
}

function stackNotFound(message: string): SteprollError {
  return new SteprollError(ErrorName.StackNotFound, message);
}
