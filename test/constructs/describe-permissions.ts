import type { Stack } from 'aws-cdk-lib';
import { type Resource, resourcesOf, type Statement } from './read-template.ts';

/** Where the policy is in the properties, for each kind of resource that has one. */
const POLICY_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::IAM::Role': 'AssumeRolePolicyDocument',
  'AWS::IAM::Policy': 'PolicyDocument',
  'AWS::SQS::QueuePolicy': 'PolicyDocument',
  'AWS::SNS::TopicPolicy': 'PolicyDocument',
  'AWS::KMS::Key': 'KeyPolicy',
};

/**
 * Every permission that a stack gives, one a line. What a role may do: `ROLE: actions on RESOURCES [if …]`.
 * What a resource lets others do: `RESOURCE: actions for PRINCIPAL [if …]`. Both stand under the paths of
 * their constructs.
 */
export function describePermissions(stack: Stack): string[] {
  const resources = resourcesOf(stack);
  return Object.entries(resources).flatMap(([id, resource]) => {
    // The function that a permission is about.
    const { FunctionName = { Ref: id } } = resource.Properties ?? {};
    const where = textOf(FunctionName);
    return statementsOf(resource).map((statement) => `${where}: ${describe(statement)}`);
  });

  function describe({ Effect, Action, Resource, Principal, Condition }: Statement): string {
    return [
      Effect === 'Allow' ? '' : `${Effect} `,
      [Action].flat().join(', '),
      // A resource's policy is about that resource.
      Principal === undefined ? ` on ${[Resource].flat().map(textOf).join(', ')}` : '',
      Principal === undefined ? '' : ` for ${textOf(Principal)}`,
      Condition === undefined ? '' : ` if ${textOf(Condition)}`,
    ].join('');
  }

  /** CloudFormation's functions, as people would write them. */
  function textOf(value: unknown): string {
    if (Array.isArray(value)) return value.map(textOf).join(' or ');
    if (typeof value !== 'object' || value === null) return String(value);
    return Object.entries(value)
      .map(([key, inner]) => wordsOf(key, inner))
      .join(' and ');
  }

  function wordsOf(key: string, inner: unknown): string {
    switch (key) {
      case 'Ref':
        return nameOf(String(inner));
      case 'Fn::GetAtt':
        return nameOf((inner as readonly string[])[0] ?? '');
      case 'Fn::Join':
        return (inner as [string, unknown[]])[1].map(textOf).join('');
      case 'Fn::Select':
        return '…';
      case 'Service':
      case 'AWS':
        return textOf(inner);
      default:
        return `${key} ${textOf(inner)}`;
    }
  }

  function nameOf(id: string): string {
    const path = resources[id]?.Metadata?.['aws:cdk:path'];
    if (path === undefined) return id.replace('AWS::', '');
    return path
      .replace(/^[^/]+\/Rollouts\//, '')
      .replace(/(\/(DefaultPolicy|Policy|Role|cdk-\w+))*\/Resource$|\/cdk-\w+$/, '');
  }
}

function statementsOf({ Type, Properties }: Resource): readonly Statement[] {
  if (Type === 'AWS::Lambda::Permission') {
    const { Action, Principal, SourceArn } = Properties;
    return [{ Effect: 'Allow', Action: String(Action), Principal, Condition: { from: SourceArn } }];
  }
  if (Type === 'AWS::Events::EventBusPolicy') return [Properties.Statement as Statement];
  const property = POLICY_PROPERTIES[Type];
  if (property === undefined) {
    if (/(Policy|Permission|Role|User|Group)$/.test(Type) && !/LogGroup|ScheduleGroup/.test(Type)) {
      throw new Error(`${Type} may carry permissions, and nobody looks at them`);
    }
    return [];
  }
  if (Type === 'AWS::IAM::Role' && (Properties.Policies || Properties.ManagedPolicyArns)) {
    throw new Error('A role has inline or managed policies, and nobody looks at them');
  }
  return (Properties[property] as { readonly Statement: readonly Statement[] }).Statement;
}
