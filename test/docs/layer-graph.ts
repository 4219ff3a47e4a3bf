import { dirname } from 'node:path';
import { resolveImport, type SourceFile } from '../support/source-files.ts';

/** Folders of source files whose folders are layers of their own. */
const PARENT = 'lib';

/** Parts of a layer that lie below a layer which the rest of it is above. */
const GROUND = ['lib/contract/input', 'lib/contract/service'];

/**
 * What imports what, as a Mermaid graph of layers, from the imports themselves. An arrow that follows
 * from others is left out.
 */
export function layerGraph(files: readonly SourceFile[]): string {
  const edges = withoutShortcuts(importsOfLayers(files));
  const arrows = [...edges].flatMap(([from, targets]) =>
    [...targets].toSorted().map((to) => `  ${idOf(from)} --> ${idOf(to)}`),
  );
  const names = [...edges.keys()].map((layer) => `  ${idOf(layer)}["${layer}"]`);
  const lines = [...names, ...arrows];
  return `\`\`\`mermaid\ngraph TD\n${lines.join('\n')}\n\`\`\``;
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

function importsOfLayers(files: readonly SourceFile[]): Edges {
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const from = layerOf(file.path);
    if (from === undefined) continue;
    const targets = edges.get(from) ?? new Set();
    edges.set(from, targets);
    for (const name of file.imports) {
      const to = layerOf(resolveImport(file, name) ?? '');
      if (to !== undefined && to !== from) targets.add(to);
    }
  }
  return new Map([...edges].toSorted(([a], [b]) => a.localeCompare(b)));
}

function withoutShortcuts(edges: Edges): Edges {
  return new Map(
    [...edges].map(([from, targets]) => {
      const further = new Set([...targets].flatMap((to) => [...reachable(edges, to)]));
      return [from, new Set([...targets].filter((to) => !further.has(to)))] as const;
    }),
  );
}

/** Every layer behind this one. */
function reachable(edges: Edges, from: string): ReadonlySet<string> {
  const targets = [...(edges.get(from) ?? [])];
  return new Set(targets.flatMap((to) => [to, ...reachable(edges, to)]));
}

/** What lies right in `lib` only passes on, and what is outside of all folders, or is a text for people, is no layer. */
function layerOf(path: string): string | undefined {
  if (path.endsWith('.md')) return undefined;
  const ground = GROUND.find((part) => path.startsWith(`${part}/`));
  if (ground !== undefined) return ground;
  const [first, second, ...rest] = path.split('/');
  if (first !== PARENT) return dirname(path) === '.' ? undefined : first;
  return rest.length === 0 ? undefined : `${first}/${second}`;
}

function idOf(layer: string): string {
  return layer.replaceAll('/', '_');
}
