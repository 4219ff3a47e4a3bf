import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CloudFormationClient,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { ALLOWED_ORIGINS } from '../../lib/contract/config/allowed-origins.ts';
import { runOrThrow } from './run-command.ts';

export interface Deployment {
  /** Outputs of the stack, by their names. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Deploys once more, with another configuration. */
  update(config: object): Promise<void>;
  destroy(): Promise<void>;
}

const CDK = 'node_modules/aws-cdk/bin/cdk';

/** Deploys the real app with this configuration, as the docs tell a user to. */
export async function deploy(
  config: { readonly endpointUrl?: string; readonly [key: string]: unknown },
  env: Readonly<Record<string, string>>,
  folder: string,
): Promise<Deployment> {
  const file = join(folder, 'steproll.config.json');
  const outputsFile = join(folder, 'outputs.json');
  const assembly = join(folder, 'cdk.out');
  const cdk = (...args: string[]) => runOrThrow([CDK, ...args], env);
  const adapt = (template: string) => runOrThrow(['test/e2e/adapt-template.ts', template], env);
  const update = async (changed: object) => {
    writeFileSync(file, JSON.stringify(changed));
    const { endpointUrl } = config;
    const allowed = endpointUrl === undefined ? [] : ['-c', `${ALLOWED_ORIGINS}=${endpointUrl}`];
    await cdk('synth', '--quiet', '-c', `config=${file}`, ...allowed, '-o', assembly);
    await adapt(join(assembly, 'Steproll.template.json'));
    const approved = ['--require-approval', 'never', '--outputs-file', outputsFile];
    await cdk('deploy', '--app', assembly, ...approved);
  };
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, await cdk('bootstrap', '--show-template', '--json'));
  await adapt(bootstrap);
  await cdk('bootstrap', 'aws://000000000000/us-east-1', '--template', bootstrap);
  await update(config);
  return {
    outputs: JSON.parse(readFileSync(outputsFile, 'utf8')).Steproll,
    update,
    async destroy() {
      const unprotect = { StackName: 'Steproll', EnableTerminationProtection: false };
      const client = new CloudFormationClient({});
      // The emulator knows no protection, and needs none to be taken away.
      await client.send(new UpdateTerminationProtectionCommand(unprotect)).catch(() => undefined);
      await cdk('destroy', '--app', assembly, '--force');
    },
  };
}
