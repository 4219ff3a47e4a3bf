import type { Stack } from 'aws-cdk-lib';
import type { Statement } from '../support/iam.ts';
import { type Resource, resourcesOf } from './read-template.ts';

interface PolicyProperties {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
  readonly Roles: readonly { readonly Ref: string }[];
}

export interface FunctionRights {
  /** As the policies name the ledger's table. */
  readonly tableArn: string;
  /** All that the role of a function allows and denies. @param name The last part of its path: `look`. */
  of(name: string): readonly Statement[];
}

/** What a role's path says of whose role it is. */
const ROLE = /([^/]+)\/Role\/Resource$/;

/** The rights of each function of a stack, as IAM gets them. */
export function rightsIn(stack: Stack): FunctionRights {
  const resources = Object.entries(resourcesOf(stack));
  const [table = ''] = resources.find(([, { Type }]) => Type === 'AWS::DynamoDB::Table') ?? [];
  const rolesOf = (name: string) =>
    resources.flatMap(([id, { Type, Metadata }]) => {
      const path = Metadata?.['aws:cdk:path'] ?? '';
      return Type === 'AWS::IAM::Role' && ROLE.exec(path)?.[1] === name ? [id] : [];
    });
  return {
    tableArn: arnOf({ 'Fn::GetAtt': [table, 'Arn'] }),
    of(name) {
      const roles = rolesOf(name);
      if (roles.length !== 1) throw new Error(`${roles.length} functions are called ${name}`);
      return resources.flatMap(([, resource]) => statementsFor(roles[0] ?? '', resource));
    },
  };
}

function statementsFor(role: string, { Type, Properties }: Resource): readonly Statement[] {
  if (Type !== 'AWS::IAM::Policy') return [];
  const { PolicyDocument, Roles } = Properties as unknown as PolicyProperties;
  if (!Roles.some(({ Ref }) => Ref === role)) return [];
  return PolicyDocument.Statement.map((statement) => ({
    ...statement,
    Resource: [statement.Resource as unknown].flat().map(arnOf),
  }));
}

/** A resource that is known only where the stack is deployed, by its logical id. */
function arnOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [key = '', inner] = Object.entries(value as object)[0] ?? [];
  if (key === 'Fn::Join') return (inner as [string, unknown[]])[1].map(arnOf).join('');
  return [key, inner].flat().join(':');
}
