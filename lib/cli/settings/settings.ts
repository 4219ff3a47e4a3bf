import * as z from 'zod';
import type { OpenConfig } from '../../contract/config/config.ts';
import { checkInput, type Mistake } from '../../contract/input/parse-input.ts';
import { fillRegion } from '../../contract/service/endpoint-url.ts';
import { type ServiceKind, serviceOfWord } from '../../contract/service/services.ts';
import type { Given } from '../invocation/invocation.ts';
import { GLOBAL_OPTIONS, type GlobalOption, variableOf } from '../options/global-options.ts';

export interface Setting {
  readonly value: unknown;
  /** Name of the place that the setting came from, for mistakes and for `--debug`: `STEPROLL_OUTPUT`. */
  readonly from: string;
}

/** Arguments and options by their names, without those that nobody set. */
export type Settings = ReadonlyMap<string, Setting>;

export interface Sources {
  readonly given: Given;
  /** The values of environment variables by their names. */
  readonly environment: Readonly<Record<string, string>>;
  /** The files in their order: the first one that has a value wins. @default - none */
  readonly files?: readonly SettingsFile[];
}

export type SettingsFile = ProfileFile | ConfigFile;

interface File {
  readonly name: string;
  /** Whether somebody named the file. The profile `default` is used without that. */
  readonly isNamed: boolean;
  /** Whether the command line itself names it. Variables were set before that, maybe for something else. */
  readonly isTyped: boolean;
}

export interface ProfileFile extends File {
  readonly kind: 'profile';
  readonly values: Profile;
}

export interface ConfigFile extends File {
  readonly kind: 'config';
  readonly values: OpenConfig;
}

/** The first place that has a value wins: options, files that were typed, environment, other files. */
export function mergeSettings(sources: Sources): Settings {
  const settings = new Map<string, Setting>();
  for (const [name, value] of Object.entries(sources.given)) {
    if (value !== undefined) settings.set(name, { value, from: name });
  }
  for (const row of GLOBAL_OPTIONS) {
    const setting = firstOf(row, sources);
    if (setting !== undefined) settings.set(row.option, setting);
  }
  return settings;
}

/** The values in the form that a command's schema checks: the region is filled into the endpoint URL. */
export function valuesOf(settings: Settings): Given {
  const values = Object.fromEntries([...settings].map(([name, { value }]) => [name, value]));
  const url = values['--endpoint-url'];
  return typeof url === 'string'
    ? { ...values, '--endpoint-url': fillRegion(url, values['--region']) }
    : values;
}

/** Name of the place that a setting came from, for people. */
export function placeOf(option: string, settings: Settings): string {
  const { from = 'default' } = settings.get(option) ?? {};
  return from === option ? 'the command line' : from;
}

function firstOf(row: GlobalOption, sources: Sources): Setting | undefined {
  const { given, environment, files = [] } = sources;
  const { option } = row;
  const inFiles = (isTyped: boolean) =>
    files.filter((file) => file.isTyped === isTyped).flatMap((file) => settingsIn(file, row));
  const candidates: Setting[] = [
    { value: given[option], from: option },
    ...inFiles(true),
    { value: environment[variableOf(option)], from: variableOf(option) },
    ...inFiles(false),
  ];
  return candidates.find(({ value }) => value !== undefined);
}

function settingsIn({ kind, name, values }: SettingsFile, row: GlobalOption): Setting[] {
  const keys = kind === 'config' ? row.configKeys : [row.profileKey];
  const said = (keys ?? []).flatMap((key) =>
    key === undefined ? [] : [{ value: valueAt(values, key), from: `${name}, ${key}` }],
  );
  if (row.option !== '--service') return said;
  if (kind === 'config' && values.service?.of === 'harness') {
    return [{ value: 'agentcore-harness', from: `${name}, service.of` }];
  }
  // A file with a base URL says with it what kind of service it means.
  const key = kind === 'config' ? 'endpointUrl' : 'endpoint_url';
  const implied = valueAt(values, key) === undefined ? undefined : 'rest';
  return [...said, { value: implied, from: `${name}, ${key}` }];
}

/** @param path Keys with dots between them. */
function valueAt(values: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Given | undefined)?.[key], values);
}

/** The kind of the service that the settings name. It is not checked. */
export function serviceKindOf(settings: Settings): ServiceKind {
  return serviceOf(settings).kind;
}

/** The service that the settings name, and with AgentCore of which resource. It is not checked. */
export function serviceOf(settings: Settings): ReturnType<typeof serviceOfWord> {
  return serviceOfWord(settings.get('--service')?.value);
}

/** Checks the settings of a command. A mistake shows the text that was typed, under the name of its place. */
export function checkSettings<S extends z.ZodObject>(schema: S, settings: Settings) {
  return checkInput<z.output<S>>(
    schema as unknown as z.ZodType<z.output<S>>,
    valuesOf(settings),
    (name) => settings.get(name)?.from ?? name,
    (name) => {
      const value = settings.get(name)?.value;
      return typeof value === 'string' ? value : undefined;
    },
  );
}

export interface FileMistake {
  readonly text: string;
  /** The key with the mistake. `null`: the file cannot be read at all. */
  readonly key: string | null;
}

/**
 * Checks the content of a file. The correct parts are still used, so that their values are checked too and all
 * mistakes are reported at once.
 *
 * @param name Name of the file.
 */
export function checkSource<T>(
  schema: z.ZodType<T>,
  value: unknown,
  name: string,
): { readonly values?: T; readonly mistakes: readonly FileMistake[] } {
  const checked = checkInput(schema, value);
  if ('data' in checked) return { values: checked.data, mistakes: [] };
  const mistakes = checked.mistakes.map(({ text, key }) => ({
    text: key === '' ? `${name}: ${text}` : `${name}, ${text}`,
    key: key === '' ? null : key,
  }));
  const values = withoutWrong(schema, value, checked.mistakes);
  return values === undefined ? { mistakes } : { values, mistakes };
}

/** The rest of a file. What refers to a wrong key is left out with it, and is no mistake of its own. */
function withoutWrong<T>(
  schema: z.ZodType<T>,
  value: unknown,
  mistakes: readonly Mistake[],
): T | undefined {
  const wrong = new Set(mistakes.map(({ key }) => key));
  // The mistake is not about one key but about the whole file.
  if (wrong.has('')) return undefined;
  const entries = Object.entries(value as object);
  const right = entries.filter(([key]) => !wrong.has(key));
  const rest = Object.fromEntries(right);
  const checked = checkInput(schema, rest);
  if ('data' in checked) return checked.data;
  return right.length < entries.length ? withoutWrong(schema, rest, checked.mistakes) : undefined;
}

const text = z.string().min(1).optional();

/** Checks the keys. Their values are checked where they are used, because options may override them. */
export const profileSchema = z.strictObject({
  endpoint_url: text,
  service: text,
  region: text,
  output: text,
  engine: text,
  stack: text,
  /** Path of a configuration file. */
  config: text,
  /** Path of a file that contains a bearer token. */
  token_file: text,
});
export type Profile = z.output<typeof profileSchema>;
