import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adaptTemplate } from './adapt-template.ts';
import { runOrThrow } from './run-command.ts';

export interface Deployment {
  /** Of the stack, by their names. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Deploys once more, with another configuration. */
  update(config: object): Promise<void>;
  destroy(): Promise<void>;
}

const CDK = 'node_modules/aws-cdk/bin/cdk';

/** Deploys the real app with this configuration, as the docs tell a user to. */
export async function deploy(
  config: object,
  env: Readonly<Record<string, string>>,
): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-deploy-'));
  const file = join(folder, 'steproll.config.json');
  const outputsFile = join(folder, 'outputs.json');
  const assembly = join(folder, 'cdk.out');
  const cdk = (...args: string[]) => runOrThrow([CDK, ...args], env);
  const update = async (changed: object) => {
    writeFileSync(file, JSON.stringify(changed));
    await cdk('synth', '--quiet', '-c', `config=${file}`, '-o', assembly);
    adaptTemplate(join(assembly, 'Steproll.template.json'));
    const approved = ['--require-approval', 'never', '--outputs-file', outputsFile];
    await cdk('deploy', '--app', assembly, ...approved);
  };
  await cdk('bootstrap', 'aws://000000000000/us-east-1');
  await update(config);
  return {
    outputs: JSON.parse(readFileSync(outputsFile, 'utf8')).Steproll,
    update,
    async destroy() {
      await cdk('destroy', '--app', assembly, '--force');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
