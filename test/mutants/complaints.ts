import { existsSync, globSync, readFileSync } from 'node:fs';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { LEFT_OUT } from './left-out.ts';
import { notMended } from './past-defects.ts';
import { functionsIn } from './place.ts';

/** A sentence for everything that our lists say of code that is not there any more. */
export function complaints(): readonly string[] {
  return [...goneLeftOut(), ...notMended()];
}

/** What is left out is a file, a function, or a place of the definition. */
function goneLeftOut(): readonly string[] {
  const functions = new Set(
    globSync('lib/{domain,gates,steps}/**/*.ts').flatMap((file) => [
      ...functionsIn(readFileSync(file, 'utf8')).names,
    ]),
  );
  const isThere = (name: string) =>
    existsSync(name) ||
    functions.has(name) ||
    placeIn(ROLLOUT_DEFINITION, name.split(' / ')) !== undefined;
  return LEFT_OUT.flatMap(({ names }) => names)
    .filter((name) => !isThere(name))
    .map((name) => `${name} is left out, and is not there any more.`);
}

function placeIn(definition: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((place, key) => Object(place)[key], definition);
}
