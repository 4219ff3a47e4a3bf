import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceFile {
  /** From the project's root, such as `lib/domain/errors.ts`. */
  readonly path: string;
  /** Without its comments. */
  readonly code: string;
  /** As written: a relative path, or a package. */
  readonly imports: readonly string[];
  /** Those of them that are loaded together with the file: neither types nor what is imported while it runs. */
  readonly loads: readonly string[];
}

/** Every source file below these folders of the project. */
export function readSources(folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }))
    .filter((path) => !path.endsWith('.d.ts'))
    .toSorted()
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

export function parseSource(path: string, text: string): SourceFile {
  const code = withoutComments(text);
  const imports = [...code.matchAll(IMPORT)].map(
    ([, from, bare, dynamic]) => from ?? bare ?? dynamic,
  );
  const loads = [...code.matchAll(IMPORT)]
    .filter(([text]) => !TYPES_ALONE.test(text))
    .map(([, from, bare]) => from ?? bare);
  const isName = (name: string | undefined) => name !== undefined;
  return { path, code, imports: imports.filter(isName), loads: loads.filter(isName) };
}

/** The path of an imported file of the project, or `null` for a package. */
export function resolveImport({ path }: SourceFile, name: string): string | null {
  return name.startsWith('.') ? join(dirname(path), name) : null;
}

/** `import … from 'x'` and `export … from 'x'`, `import 'x'`, `import('x')`. */
const IMPORT =
  /(?:^|;)\s*(?:import|export)\b[^;'"`]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|;)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

const TYPES_ALONE = /^;?\s*(?:import|export) type\b/;

/** Strings first, so that a `//` in a URL is no comment. */
const STRING_OR_COMMENT =
  /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

function withoutComments(text: string): string {
  return text.replaceAll(STRING_OR_COMMENT, (_all, string: string | undefined) => string ?? ' ');
}
