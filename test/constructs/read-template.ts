import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Stack, Stage } from 'aws-cdk-lib';
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

/**
 * The files beside the code of the functions, by the names of the files. Each function that has one has it in an asset
 * of its own.
 */
export function codeFilesOf(stack: Stack, name: string): readonly unknown[] {
  const { outdir = '' } = Stage.of(stack) ?? {};
  return Object.values(resourcesOf(stack)).flatMap(({ Type, Properties }) => {
    if (Type !== 'AWS::Lambda::Function') return [];
    const { S3Key = '' } = Properties.Code as { readonly S3Key?: string };
    const file = join(outdir, `asset.${S3Key.replace('.zip', '')}`, name);
    return existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8'))] : [];
  });
}
