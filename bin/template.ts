import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { App, CfnParameter, DefaultStackSynthesizer, type IStackSynthesizer } from 'aws-cdk-lib';
import { readConfigFile } from '../lib/adapters/machine/config-file.ts';
import { readJsonFile } from '../lib/adapters/machine/files.ts';
import type { EndpointRolloutsProps } from '../lib/constructs/endpoint-rollouts-props.ts';
import { RolloutStack, stackName } from '../lib/constructs/rollout-stack.ts';
import { ALLOWED_ORIGINS } from '../lib/contract/config/allowed-origins.ts';
import { parseConfig } from '../lib/contract/config/config.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../lib/domain/errors.ts';

// npm run template -- CONFIG FOLDER [ALLOWED_ORIGINS]
// Writes a template of CloudFormation and its assets, for those who deploy without the CDK: docs/cdk.md#without-the-cdk.
const [, , file = 'steproll.config.json', folder = 'template', origins] = process.argv;

/** The parameter of the template that names the bucket, and the place of the assets in it. */
const BUCKET = 'AssetsBucket';
const PREFIX = 'steproll/';

try {
  const { value, mistakes } = readConfigFile(file);
  write(parseConfig(value, mistakes).name, value as EndpointRolloutsProps);
} catch (error) {
  if (errorNameOf(error) !== ErrorName.InvalidInput) throw error;
  process.stderr.write(`${errorMessageOf(error)}\n`);
  process.exitCode = 2;
}

function write(name: string | undefined, config: EndpointRolloutsProps): void {
  const { context } = readJsonFile('cdk.json').value as { readonly context: object };
  const app = new App({
    outdir: join(folder, 'cdk.out'),
    context: { ...context, ...(origins !== undefined && { [ALLOWED_ORIGINS]: origins }) },
    analyticsReporting: false,
  });
  const stack = new RolloutStack(app, stackName({ name }), {
    config,
    synthesizer: new DefaultStackSynthesizer({
      fileAssetsBucketName: `\${${BUCKET}}`,
      bucketPrefix: PREFIX,
      generateBootstrapVersionRule: false,
    }) as IStackSynthesizer,
  });
  new CfnParameter(stack, BUCKET, {
    description: `The bucket that has the assets, each as ${PREFIX}HASH.zip`,
  });
  const { directory } = app.synth();
  const template = readFileSync(join(directory, stack.templateFile), 'utf8');
  writeFileSync(join(folder, 'template.json'), template);
  const assets = join(folder, 'assets');
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  for (const [, hash = ''] of template.matchAll(/"steproll\/([0-9a-f]{64})\.zip"/g)) {
    writeFileSync(join(assets, `${hash}.zip`), zip(join(directory, `asset.${hash}`)));
  }
  cpSync(file, join(folder, 'steproll.config.json'));
  rmSync(directory, { recursive: true });
}

/** A ZIP archive of a folder: the same bytes for the same files. */
function zip(of: string): Buffer {
  const names = readdirSync(of, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(of, name)).isFile())
    .toSorted();
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const name of names) {
    const content = readFileSync(join(of, name));
    const data = deflateRawSync(content);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    // Version 2.0, deflated, of the first day that an archive can have.
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    // Made on Unix, where the functions may read the file.
    entry.writeUInt16LE(0x0314, 4);
    common.copy(entry, 6);
    entry.writeUInt32LE((0o100644 << 16) >>> 0, 38);
    entry.writeUInt32LE(offset, 42);
    const local = Buffer.alloc(4);
    local.writeUInt32LE(0x04034b50, 0);
    parts.push(local, common, path, data);
    directory.push(entry, path);
    offset += 4 + common.length + path.length + data.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
