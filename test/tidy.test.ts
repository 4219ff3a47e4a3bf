import { describe, expect, test } from '@jest/globals';
import { readSources } from './support/source-files.ts';

const FILES = readSources(['lib', 'functions', 'bin']);

/** Type names that files export, and the files of each. */
function exportersOf(files: readonly { readonly path: string; readonly code: string }[]) {
  const found = files.flatMap(({ path, code }) =>
    [...code.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name = '']) => ({
      name,
      path,
    })),
  );
  return Map.groupBy(found, ({ name }) => name);
}

const BOOLEAN = /^(?:boolean|true|false|\(|z\.boolean|[A-Z]\w*[,;)])/;

/** Fields and variables called `is…` that are written with a type or a text that is no boolean. */
function untrueNames(code: string): string[] {
  const typed = [...code.matchAll(/\breadonly (is[A-Z]\w*)\??: ([^\n]*)/g)];
  const texts = [
    ...code.matchAll(/\bconst (is[A-Z]\w*) = (?:['"`][^'"`\n]*['"`];|[^;\n]*[^?]\? ['"`])/g),
  ];
  return [
    ...typed.filter(([, , type = '']) => !BOOLEAN.test(type)).map(([, name = '']) => name),
    ...texts.map(([, name = '']) => name),
  ];
}

describe('a name', () => {
  test('of an exported type is of one thing', () => {
    const doubled = [...exportersOf(FILES)].filter(([, files]) => files.length > 1);
    expect(doubled).toEqual([]);
  });

  test('that begins with "is" is a yes or a no', () => {
    expect(FILES.flatMap(({ path, code }) => untrueNames(code).map((one) => [path, one]))).toEqual(
      [],
    );
  });

  test('is found where it breaks a rule', () => {
    const code =
      "export type A = 1;\nreadonly isOn: 'a' | 'b';\nconst isHeld = now ? 'x' : '';\nreadonly isOff: boolean;";
    expect(untrueNames(code)).toEqual(['isOn', 'isHeld']);
    expect(
      exportersOf([
        { path: 'a', code },
        { path: 'b', code },
      ]).get('A'),
    ).toHaveLength(2);
  });
});
