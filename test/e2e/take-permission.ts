import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { createSideStack, type SideStack } from './side-stack.ts';

/** Denies an action to the role of a function of the stack until what it answers is destroyed. */
export async function takePermission(functionId: string, action: string): Promise<SideStack> {
  const Policy = {
    Type: 'AWS::IAM::Policy',
    Properties: {
      PolicyName: 'taken',
      Roles: [await roleOf(functionId)],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Deny', Action: action, Resource: '*' }],
      },
    },
  };
  return createSideStack(`TakenPermission${functionId}`, { Policy });
}

/** By the beginning of its id in the template. */
async function roleOf(functionId: string): Promise<string> {
  const { StackResources = [] } = await new CloudFormationClient({}).send(
    new DescribeStackResourcesCommand({ StackName: 'Steproll' }),
  );
  const role = StackResources.find(
    ({ ResourceType, LogicalResourceId }) =>
      ResourceType === 'AWS::IAM::Role' && LogicalResourceId?.startsWith(functionId),
  );
  if (role?.PhysicalResourceId === undefined) throw new Error(`${functionId} has no role.`);
  return role.PhysicalResourceId;
}
