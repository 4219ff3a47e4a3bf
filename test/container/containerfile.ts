import { readDoc } from '../docs/code-blocks.ts';

export interface Instruction {
  readonly name: string;
  readonly text: string;
  /** The stage that it is in, from 0. */
  readonly stage: number;
}

/** The instructions of the Containerfile, without comments and with continued lines in one. */
export function readContainerfile(): readonly Instruction[] {
  const lines = readDoc('Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  let stage = -1;
  return lines.map((line) => {
    const [, name = '', text = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') stage += 1;
    return { name, text, stage };
  });
}

/** The texts of the instructions of this name, in the stage that becomes the image. */
export function inImage(name: string): string[] {
  return readContainerfile()
    .filter((one) => one.name === name && one.stage === 1)
    .map(({ text }) => text);
}

/** An instruction in exec form: a command and its arguments, without a shell. */
export function execForm(text = ''): string[] {
  return JSON.parse(text.slice(text.indexOf('[')));
}

/** What the image says of the environment. */
export function imageEnvironment(): Record<string, string> {
  return Object.fromEntries(inImage('ENV').map((text) => text.split(/=(.*)/, 2)));
}
