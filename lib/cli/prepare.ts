import type * as z from 'zod';
import { type Environment, readEnvironment } from '../adapters/environment.ts';
import type { OpenConfig } from '../contract/config.ts';
import { invalidInput, type Mistake } from '../contract/parse-input.ts';
import { hasPerson, type Terminal } from './ask.ts';
import { askMissing } from './ask-missing.ts';
import { checkSettings } from './check-settings.ts';
import type { Credentials } from './choose-credentials.ts';
import { onOff } from './global-options.ts';
import type { Invocation } from './invocation.ts';
import { loadSettings } from './load-settings.ts';
import type { Settings } from './settings.ts';

/** A command that is ready to go: everything is checked, and nothing has been sent yet. */
export interface Prepared<T> {
  readonly options: T;
  /** Where each of the options came from. */
  readonly settings: Settings;
  readonly config: OpenConfig;
  readonly credentials: Credentials;
}

export interface Surroundings {
  readonly terminal: Terminal;
  readonly environment: Environment;
}

/**
 * Merges what was typed with the environment, the profile and the configuration, asks for what is
 * missing where `-i` says so, and checks it all.
 *
 * @throws `InvalidInput` that lists every mistake, `AbortError` when a question is not answered.
 */
export async function prepare<S extends z.ZodObject>(
  schema: S,
  invocation: Invocation,
  { terminal, environment }: Surroundings = {
    terminal: { input: process.stdin, output: process.stderr },
    environment: readEnvironment(),
  },
): Promise<Prepared<z.output<S>>> {
  const loaded = loadSettings(invocation.given, environment);
  const asks = loaded.settings.get('--interactive');
  const mayAsk = onOff.safeParse(asks?.value).data === true;
  const known = [...invocation.mistakes, ...loaded.mistakes];
  if (mayAsk && !hasPerson(terminal)) known.push(`${asks?.from}: it needs a terminal`);

  let { settings } = loaded;
  let checked = checkSettings(schema, settings);
  if (mayAsk && known.length === 0 && isOnlyMissing(checked)) {
    settings = await askMissing(checked.mistakes, schema, settings, terminal);
    checked = checkSettings(schema, settings);
  }
  if ('data' in checked && known.length === 0) {
    const { config, credentials } = loaded;
    return { options: checked.data, settings, config, credentials };
  }
  const found = 'data' in checked ? [] : checked.mistakes;
  const news = found.filter((mistake) => !isExplained(mistake, invocation, loaded.mistakes));
  throw invalidInput('arguments', [...known, ...news.map(({ text }) => text)]);
}

function isOnlyMissing(
  checked: object | { readonly mistakes: readonly Mistake[] },
): checked is { readonly mistakes: readonly Mistake[] } {
  return 'mistakes' in checked && checked.mistakes.every(({ isMissing }) => isMissing);
}

/** What is missing because of a mistake that is told already: an option without a value, a bad file. */
function isExplained(
  { key, isMissing }: Mistake,
  { mistakes }: Invocation,
  inFiles: readonly string[],
): boolean {
  if (!isMissing) return false;
  return (
    mistakes.some((text) => text.startsWith(`${key}: `)) ||
    (key === '--endpoint-url' && inFiles.length > 0)
  );
}
