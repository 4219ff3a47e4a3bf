import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { readSources, resolveImport } from '../support/source-files.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Where the tests enter the product: behind these files it is the changed one. */
const DOORS: ReadonlySet<string> = new Set([
  'lib/adapters/ledger/memory/ledger.ts',
  'lib/adapters/services/rest/client.ts',
  'lib/gates/metric-rule.ts',
  'lib/embedded/run-workflow.ts',
  'lib/embedded/interpreter/engine.ts',
  'lib/steps/opening/asked-request.ts',
  'lib/steps/opening/draw-plan.ts',
]);

/**
 * Compiles what simulates and judges one rollout, with changed files in place of the product's own. The judges and
 * the simulated world keep the product as it is: a mutant must not change the law by which it is judged.
 *
 * @param changed The text of every changed file, by its path from the project's root.
 */
export async function compileCopy(changed: ReadonlyMap<string, string>): Promise<string> {
  const { outputFiles } = await build({
    // A command that ran in this process before may have been in another folder, which esbuild would remember.
    absWorkingDir: ROOT,
    entryPoints: ['test/scenarios/simulation/try-ordeal.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    packages: 'external',
    legalComments: 'none',
    plugins: [withChanges(changed)],
  });
  return outputFiles[0]?.text ?? '';
}

function withChanges(changed: ReadonlyMap<string, string>): Plugin {
  const affected = findAffected(changed);
  return {
    name: 'changes',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir, namespace }) => {
        const whole = resolve(resolveDir, path);
        const file = relative(ROOT, whole);
        const isInside = namespace === CHANGED || DOORS.has(file);
        return { path: whole, namespace: isInside && affected.has(file) ? CHANGED : 'file' };
      });
      onLoad({ filter: /\.ts$/, namespace: CHANGED }, ({ path }) => ({
        contents: changed.get(relative(ROOT, path)) ?? readFileSync(path, 'utf8'),
        loader: 'ts',
        resolveDir: dirname(path),
      }));
    },
  };
}

const CHANGED = 'changed';

/** The changed files, and all that load them. What is not affected exists only once, so its classes do, too. */
function findAffected(changed: ReadonlyMap<string, string>): ReadonlySet<string> {
  const loads = new Map(
    readSources(['lib']).map((source) => [
      source.path,
      source.loads.map((name) => resolveImport(source, name)),
    ]),
  );
  const affected = new Set(changed.keys());
  for (let before = -1; before < affected.size; ) {
    before = affected.size;
    for (const [file, loaded] of loads) {
      if (loaded.some((one) => one !== null && affected.has(one))) affected.add(file);
    }
  }
  return affected;
}
