import { dirname } from 'node:path';
import { resolveImport, type SourceFile } from './source-files.ts';

/** What the files of a folder may import: layers or folders of one, packages by their name. */
interface Layer {
  readonly layers: readonly string[];
  /** `'any'`: whatever is not kept for others by `KEPT`. */
  readonly packages: readonly string[] | 'any';
}

const CORE = ['lib/domain', 'lib/contract', 'lib/ports'];
const CDK = ['aws-cdk-lib', 'constructs'];
const PATHS = ['node:path', 'node:url'];
const FILES = ['node:fs', 'node:os'];

/** The parts of the domain, from the ground up: each may import those before it, and the files of the ground. */
const DOMAIN_PARTS = [
  'endpoint',
  'rollout',
  'holds',
  'wave',
  'turn',
  'trigger',
  'containment',
  'signals',
  'writes',
  'planning',
  'ending',
  'decision',
  'events',
];
const DOMAIN = /^lib\/domain\/(?:([^/]+)\/)?[^/]+$/;

/** The folder decides the layer; a layer may always import itself. */
const LAYERS: Readonly<Record<string, Layer>> = {
  'lib/domain': { layers: [], packages: [] },
  'lib/contract': {
    layers: ['lib/domain', 'lib/gates'],
    packages: ['ipaddr.js', 'node:crypto', 'zod'],
  },
  // A policy has a field for each gate, so the configuration is above the gates, and what it is parsed with below.
  'lib/gates': {
    layers: ['lib/domain', 'lib/contract/input', 'lib/contract/service'],
    packages: ['zod'],
  },
  'lib/ports': { layers: ['lib/domain'], packages: [] },
  'lib/ledger': { layers: CORE, packages: ['node:util'] },
  'lib/workflow': { layers: ['lib/domain'], packages: [] },
  'lib/steps': { layers: [...CORE, 'lib/gates'], packages: ['node:crypto'] },
  'lib/handlers': { layers: [...CORE, 'lib/steps'], packages: ['node:crypto'] },
  // Every sentence about a rollout, wherever it is read. `string-width` says how wide a text is.
  'lib/telling': {
    layers: ['lib/domain', 'lib/contract', 'lib/gates'],
    packages: ['zod', 'node:module', 'node:tty', 'node:util', 'string-width'],
  },
  'lib/adapters': { layers: [...CORE, 'lib/gates', 'lib/ledger', 'lib/telling'], packages: 'any' },
  'lib/loopback': { layers: CORE, packages: ['fastify', 'node:crypto', 'node:http'] },
  'lib/simulation': {
    layers: [...CORE, 'lib/loopback'],
    packages: ['fastify', 'node:crypto', 'zod'],
  },
  'lib/rehearsal': {
    layers: [
      ...CORE,
      'lib/gates',
      'lib/steps',
      'lib/workflow',
      'lib/adapters',
      'lib/embedded',
      'lib/loopback',
      'lib/simulation',
    ],
    packages: [],
  },
  'lib/listener': {
    layers: [...CORE, 'lib/loopback'],
    packages: ['fastify', 'node:crypto', 'croner'],
  },
  'lib/embedded': {
    layers: [...CORE, 'lib/steps', 'lib/handlers', 'lib/workflow', 'lib/adapters'],
    packages: [],
  },
  'lib/cli': {
    layers: [
      ...CORE,
      'lib/gates',
      'lib/ledger',
      'lib/steps',
      'lib/handlers',
      'lib/workflow',
      'lib/adapters',
      'lib/embedded',
      'lib/simulation',
      'lib/rehearsal',
      'lib/telling',
      'lib/listener',
    ],
    packages: 'any',
  },
  // What the browser shows is bundled on its own, and knows nothing of the command line.
  'lib/console/pages': {
    layers: [
      'lib/domain',
      'lib/contract',
      'lib/telling',
      'lib/console/asked.ts',
      'lib/console/desk.ts',
      'lib/console/server/looks.ts',
      'docs/runbook.md',
    ],
    packages: ['preact'],
  },
  'lib/console': {
    layers: [
      ...CORE,
      'lib/telling',
      'lib/ledger',
      'lib/steps',
      'lib/adapters',
      'lib/loopback',
      'lib/cli',
    ],
    packages: ['fastify', 'node:crypto', 'node:path', 'node:util', 'node:zlib', 'zod'],
  },
  // The tree of commands with their help: the work is loaded when a command runs.
  'lib/commands': {
    layers: [...CORE, 'lib/telling', 'lib/adapters', 'lib/cli', 'lib/console'],
    packages: ['commander'],
  },
  functions: {
    layers: [...CORE, 'lib/steps', 'lib/handlers', 'lib/adapters'],
    packages: ['aws-lambda'],
  },
  'lib/constructs': {
    layers: ['lib/domain', 'lib/contract', 'lib/gates', 'lib/workflow'],
    packages: [...CDK, ...PATHS, ...FILES, 'node:crypto', 'node:module', 'esbuild'],
  },
  bin: {
    // The program's name and version.
    layers: [
      ...CORE,
      'lib/telling',
      'lib/adapters',
      'lib/embedded',
      'lib/simulation',
      'lib/cli',
      'lib/commands',
      'lib/constructs',
      'package.json',
    ],
    packages: 'any',
  },
};

/** Packages and globals that belong to some places alone. */
const KEPT = [
  {
    what: 'the network and the file system',
    packages:
      /^(undici|@aws-sdk\/|node:(fs|net|sqlite|https?|http2|tls|dns|dgram|child_process|worker_threads)(\/|$))/,
    // Assets of the CDK are files, and it writes only those that esbuild makes.
    places:
      /^(lib\/adapters\/|lib\/constructs\/resources\/(code-file|function-code)\.ts$|bin\/template\.ts$)/,
  },
  {
    what: 'the CDK',
    packages: /^(aws-cdk-lib|constructs)(\/|$)/,
    places: /^(lib\/constructs\/|bin\/(app|template)\.ts$)/,
  },
] as const;
const ENVIRONMENT = /\bprocess\s*(\.\s*env\b|\[\s*['"`]env['"`]\s*\])|from 'node:process'/;

/** What serves this machine's own programs takes the words of HTTP from node:http. */
const LISTENERS: Readonly<Record<string, readonly string[]>> = {
  'lib/loopback': ['node:http'],
};

/**
 * What is stored is defined in the domain by schemas, in files of this name, and the types are inferred from them. So a
 * decision never loads zod: only these files do, and whoever reads or writes what is stored.
 */
const SCHEMAS = /^lib\/domain\/(?:[^/]+\/)?stored\.ts$/;

/** What the package offers to other programs: they only pass on. */
const PUBLIC_ENTRIES = ['lib/index.ts', 'lib/cdk.ts'];

/** Why a file breaks the layers; empty when it does not. */
export function layerViolations(file: SourceFile): string[] {
  if (PUBLIC_ENTRIES.includes(file.path)) return [];
  const folder = folderOf(file.path);
  if (folder === undefined) return [`${file.path} is in no layer`];
  return [
    ...file.imports.flatMap((name) => importViolations(file, folder, name)),
    ...(ENVIRONMENT.test(file.code) && !file.path.startsWith('lib/adapters/')
      ? [`${file.path} reads the environment`]
      : []),
  ];
}

function importViolations(file: SourceFile, folder: string, name: string): string[] {
  const { layers = [], packages = [] } = LAYERS[folder] ?? {};
  const target = resolveImport(file, name);
  if (target !== null) {
    const isAllowed = [folder, ...layers].some(
      (one) => target === one || target.startsWith(`${one}/`),
    );
    const isLoaded = SCHEMAS.test(target) && !SCHEMAS.test(file.path) && folder === 'lib/domain';
    const isKept = isLoaded && file.loads.includes(name);
    return isAllowed && !isKept && !isUpwards(file.path, target)
      ? []
      : [`${file.path} imports ${target}`];
  }
  const kept = KEPT.find((one) => one.packages.test(name) && !one.places.test(file.path));
  if (kept !== undefined && !LISTENERS[folder]?.includes(name)) {
    return [`${file.path} imports ${name}: ${kept.what}`];
  }
  const isAllowed = packages === 'any' || packages.some((one) => isOf(name, one));
  return isAllowed || (isOf(name, 'zod') && SCHEMAS.test(file.path))
    ? []
    : [`${file.path} imports ${name}`];
}

/** Whether an import leads from one part of the domain to a later one. */
function isUpwards(path: string, target: string): boolean {
  const [from, to] = [DOMAIN.exec(path), DOMAIN.exec(target)];
  return from !== null && to !== null && rankOf(from) < rankOf(to);
}

function rankOf([, part]: RegExpExecArray): number {
  return part === undefined ? -1 : DOMAIN_PARTS.indexOf(part);
}

/** Rings of folders that import one another. The files right in a layer's folder are its doors, and stand for themselves. */
export function folderCycles(files: readonly SourceFile[]): string[][] {
  const room = (path: string) => (/^lib\/[^/]+\/[^/]+\//.test(path) ? dirname(path) : path);
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const from = room(file.path);
    const targets = imports.get(from) ?? new Set();
    imports.set(from, targets);
    for (const name of file.imports) {
      const target = resolveImport(file, name);
      if (target !== null && room(target) !== from) targets.add(room(target));
    }
  }
  return cyclesOf(imports);
}

/** Rings of files that import one another, each as the files on the way round. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  return cyclesOf(
    new Map(
      files.map((file) => [
        file.path,
        file.imports
          .filter((name) => !isInferred(file, name))
          .map((name) => resolveImport(file, name))
          .filter((path) => path !== null),
      ]),
    ),
  );
}

/** A type that is inferred from a schema is gone when the file runs. The schema takes its words from the same file. */
function isInferred({ path, loads }: SourceFile, name: string): boolean {
  return path.startsWith('lib/domain/') && name === './stored.ts' && !loads.includes(name);
}

function cyclesOf(targets: ReadonlyMap<string, Iterable<string>>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) cycles.push([...way.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

function folderOf(path: string): string | undefined {
  return Object.keys(LAYERS).find((folder) => path.startsWith(`${folder}/`));
}

function isOf(name: string, packageName: string): boolean {
  return name === packageName || name.startsWith(`${packageName}/`);
}
