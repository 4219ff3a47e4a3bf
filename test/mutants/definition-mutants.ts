import { isDeepStrictEqual } from 'node:util';
import { LEFT_OUT } from './left-out.ts';
import type { Mutant } from './mutant.ts';

// The definition is data. An instrumenter empties its texts, and then nothing runs at all. These mutants are those of
// somebody who forgets an error, takes a wrong turn, or drops a line.

export const DEFINITION_FILE = 'lib/workflow/definition.ts';

/** The text of the definition's file, with all of its mutants in it. */
export function withDefinitionMutants(text: string): string {
  const changed = text.replace('export const ROLLOUT_DEFINITION =', 'const DEFINED =');
  if (changed === text) throw new Error(`${DEFINITION_FILE} has no ROLLOUT_DEFINITION.`);
  return `import { changeDefinition } from '../../test/mutants/definition-mutants.ts';
${changed}
export const ROLLOUT_DEFINITION = changeDefinition(DEFINED, stryMutAct_9fa48);`;
}

/** The definition with the change that is on. It runs in the copy. */
export function changeDefinition(definition: unknown, isOn: (id: string) => boolean): unknown {
  const change = changesOf(definition).find((_, index) => isOn(idOf(index)));
  return change === undefined ? definition : change.definition;
}

export function definitionMutants(definition: unknown): readonly Mutant[] {
  return changesOf(definition)
    .map(({ at, original, mutated, kind }, index) => ({
      id: idOf(index),
      file: DEFINITION_FILE,
      line: 1,
      within: at,
      operation: `${kind}: ${mutated}`,
      range: null,
      original: `${at}: ${original}`,
      mutated,
      kind,
    }))
    .filter(({ within }) => !isLeftOut(within));
}

function isLeftOut(place: string): boolean {
  return LEFT_OUT.some(({ names }) => names.some((name) => place.startsWith(name)));
}

function idOf(index: number): string {
  return `definition-${index}`;
}

/** One change of the definition. */
interface Change {
  readonly at: string;
  readonly original: string;
  readonly mutated: string;
  readonly kind: string;
  readonly definition: unknown;
}

type Path = readonly (string | number)[];
type Put = (value: unknown) => unknown;

function changesOf(definition: unknown): Change[] {
  return walk(definition, [], (value) => value);
}

/** @param put The whole definition, with another value in this place; `undefined` takes the place away. */
function walk(value: unknown, path: Path, put: Put): Change[] {
  const here = changesAt(value, path, put);
  if (typeof value !== 'object' || value === null) return here;
  const below = Object.entries(value).flatMap(([key, child]) => {
    const place = Array.isArray(value) ? Number(key) : key;
    return walk(child, [...path, place], (other) => put(replaced(value, key, other)));
  });
  return [...here, ...below];
}

function replaced(value: object, key: string, other: unknown): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => {
      if (String(index) !== key) return [one];
      return other === undefined ? [] : [other];
    });
  }
  const { [key]: _, ...rest } = value as Record<string, unknown>;
  return other === undefined ? rest : { ...rest, [key]: other };
}

const LISTS: ReadonlySet<unknown> = new Set(['Choices', 'Retry', 'Catch']);
const TARGETS: ReadonlySet<unknown> = new Set(['Next', 'Default']);

/** Where else it may go: to the end, or back into the loop. */
const OTHER_TARGETS = ['Close rollout', 'Wait for the roll'];

function changesAt(value: unknown, path: Path, put: Put): Change[] {
  const [key, parent] = [path.at(-1), path.at(-2)];
  const change = (mutated: string, other: unknown, kind: string): Change => ({
    at: path.join(' / '),
    original: JSON.stringify(value),
    mutated,
    kind,
    definition: put(other),
  });
  if (typeof key === 'number' && LISTS.has(parent)) {
    return [change('left out', undefined, `${parent} left out`)];
  }
  // A choice that leads elsewhere is much like one that is left out, and so is a map's own way.
  if (TARGETS.has(key) && !path.includes('ItemProcessor') && !path.includes('Choices')) {
    const other = OTHER_TARGETS.find((target) => !isDeepStrictEqual(target, value));
    return [change(`${other}`, other, 'other target')];
  }
  if (key === 'SecondsPath') return [change('no wait', '$.oldEndpoints', 'no wait')];
  if (key === 'MaxConcurrency') return [change('40', 40, 'concurrency')];
  return key === 'ResultPath' && value === null
    ? [change('left out', undefined, 'result kept')]
    : [];
}
