/** Decides what happens wherever more than one thing may. */
export interface Chooser {
  /** Answers one of the options of a subject. The first one is what happens when nothing goes wrong. */
  choose<T extends string>(subject: string, options: readonly T[]): T;
  /** What was chosen so far, wherever there was a choice. */
  readonly choices: readonly Choice[];
}

export interface Choice {
  readonly subject: string;
  /** 0-based. */
  readonly index: number;
  readonly options: readonly string[];
}

/** Follows a path, and takes the first option from its end on. */
export function createChooser(path: readonly number[]): Chooser {
  const choices: Choice[] = [];
  return {
    choices,
    choose(subject, options) {
      const index = options.length === 1 ? 0 : (path[choices.length] ?? 0);
      const option = options[index];
      if (option === undefined) throw new Error(`${subject}: there is no choice ${index}.`);
      if (options.length > 1) choices.push({ subject, index, options });
      return option;
    },
  };
}

/** Runs once for every sequence of choices. The length of a sequence may depend on its choices. */
export async function* everyWay<T>(
  run: (chooser: Chooser) => Promise<T>,
): AsyncGenerator<{ readonly result: T; readonly choices: readonly Choice[] }> {
  const paths: number[][] = [[]];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const chooser = createChooser(path);
    const result = await run(chooser);
    const { choices } = chooser;
    yield { result, choices };
    const taken = choices.map(({ index }) => index);
    for (let at = choices.length - 1; at >= path.length; at -= 1) {
      const { options } = choices[at] as Choice;
      for (let other = options.length - 1; other > 0; other -= 1) {
        paths.push([...taken.slice(0, at), other]);
      }
    }
  }
}

/** A path as `--path` takes it: which choice was not the first one, and which option it was. */
export function writePath(choices: readonly Choice[]): string {
  const taken = choices.flatMap(({ index }, at) => (index === 0 ? [] : [`${at}:${index}`]));
  return taken.join(',') || 'plain';
}

/** @throws when it is none. */
export function readPath(text: string): number[] {
  const path: number[] = [];
  for (const part of text === 'plain' ? [] : text.split(',')) {
    const [, at, index] = /^(\d{1,6}):(\d{1,3})$/.exec(part) ?? [];
    if (at === undefined) throw new Error(`--path: ${part} is no choice; one looks like 12:1`);
    while (path.length < Number(at)) path.push(0);
    path[Number(at)] = Number(index);
  }
  return path;
}
