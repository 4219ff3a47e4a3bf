import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AspectPriority, Aspects, Stack, Stage } from 'aws-cdk-lib';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { IConstruct } from 'constructs';

/** A file for what does not fit into an environment. */
export interface CodeFile {
  readonly name: string;
  /** Is called at synthesis, because what is in the file may grow until then. */
  readonly write: () => string;
}

/**
 * The code with the file beside it is an asset of its own, so its hash covers the file: other contents make another
 * version of the function. The bundle itself is the same for all contents, and is made once.
 */
export function putBesideCode(lambda: LambdaFunction, { name, write }: CodeFile): void {
  const addFile = (): void => {
    const folder = mkdtempSync(join(tmpdir(), 'steproll-code-'));
    // Without bundling there is no code.
    if (Stack.of(lambda).bundlingRequired) {
      const { assetPath } = lambda.node.findChild('Code') as Asset;
      cpSync(resolve(Stage.of(lambda)?.outdir ?? '', assetPath), folder, { recursive: true });
    }
    writeFileSync(join(folder, name), write());
    // An app may be synthesized twice, with other contents.
    lambda.node.tryRemoveChild('CodeWithFile');
    const code = new Asset(lambda, 'CodeWithFile', { path: folder });
    const resource = lambda.node.defaultChild as CfnFunction;
    resource.code = { s3Bucket: code.s3BucketName, s3Key: code.s3ObjectKey };
    code.addResourceMetadata(resource, 'Code');
    // An app that stages no assets refers to the folder itself.
    if (code.assetPath !== folder) rmSync(folder, { recursive: true });
  };
  const visit = (node: IConstruct): void => {
    if (node === lambda) addFile();
  };
  Aspects.of(lambda).add({ visit }, { priority: AspectPriority.MUTATING });
}
