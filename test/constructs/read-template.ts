import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly Metadata?: { readonly 'aws:cdk:path': string };
}

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/** The resources of a stack, as CloudFormation gets them, by their logical ids. */
export function resourcesOf(stack: Stack): Readonly<Record<string, Resource>> {
  return Template.fromStack(stack).toJSON().Resources;
}
