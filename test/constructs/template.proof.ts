import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const BUNDLING_MS = 120_000;

let folder: string;
let template: { readonly Parameters: object; readonly Resources: Record<string, Resource> };

interface Resource {
  readonly Type: string;
  readonly Properties: { readonly Code?: { readonly S3Bucket: unknown; readonly S3Key: string } };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steproll-template-'));
  write(folder);
  template = JSON.parse(await readFile(join(folder, 'template.json'), 'utf8'));
}, BUNDLING_MS);

afterAll(() => rm(folder, { recursive: true }));

test('the bucket is the only parameter, and nothing asks for a bootstrapped account', () => {
  expect(Object.keys(template.Parameters)).toEqual(['AssetsBucket']);
  expect(JSON.stringify(template)).not.toMatch(/cdk-bootstrap|cdk-hnb659fds/);
});

test('every function has its code among the assets, with what it reads', async () => {
  const codes = Object.values(template.Resources).flatMap(({ Type, Properties }) =>
    Type === 'AWS::Lambda::Function' && Properties.Code !== undefined ? [Properties.Code] : [],
  );
  expect(codes).toHaveLength(11);
  const files: string[] = [];
  for (const { S3Bucket, S3Key } of codes) {
    expect(S3Bucket).toEqual({ 'Fn::Sub': expect.stringContaining('AssetsBucket') });
    const archive = await readFile(join(folder, 'assets', S3Key.replace('steproll/', '')));
    const unpacked = unzip(archive);
    expect(unpacked.get('index.js')?.length).toBeGreaterThan(100_000);
    files.push(...unpacked.keys());
  }
  expect(files.filter((name) => name !== 'index.js').toSorted()).toEqual([
    'policies.json',
    'triggers.json',
  ]);
});

test(
  'the same configuration gives the same files',
  async () => {
    const again = await mkdtemp(join(tmpdir(), 'steproll-template-'));
    write(again);
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/\.\w+$/.test(name)) continue;
      const [one, other] = await Promise.all([folder, again].map((at) => readFile(join(at, name))));
      expect([name, one?.equals(other ?? Buffer.alloc(0))]).toEqual([name, true]);
    }
    await rm(again, { recursive: true });
  },
  BUNDLING_MS,
);

function write(to: string): void {
  execFileSync(process.execPath, ['bin/template.ts', 'steproll.config.json', to], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}

/** The files of an archive, read by its directory as every reader does. */
function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - 22;
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const length = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + length);
    const start = archive.readUInt32LE(at + 42) + 30 + length;
    const data = archive.subarray(start, start + archive.readUInt32LE(at + 20));
    files.set(name, inflateRawSync(data));
    at += 46 + length;
  }
  return files;
}
