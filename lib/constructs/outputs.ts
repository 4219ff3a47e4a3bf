import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { outputsId } from '../contract/stack/outputs.ts';

/** Outputs of the stack that begin with the id of the construct, so that several can be in one stack. */
export function addOutputs(
  of: Construct,
  values: Readonly<Record<string, string | undefined>>,
): void {
  const id = outputsIdOf(of);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    new CfnOutput(of, `${name}Output`, { value }).overrideLogicalId(`${id}${name}`);
  }
}

/** What the names of the outputs of a construct begin with. */
export function outputsIdOf(construct: Construct): string {
  const below = construct.node.scopes.slice(Stack.of(construct).node.scopes.length);
  return outputsId(below.map(({ node }) => node.id).join(''));
}
