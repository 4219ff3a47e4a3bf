import type { OpenConfig } from '../../contract/config.ts';
import type { Profile } from '../../contract/profile.ts';
import { fillRegion } from '../../contract/region.ts';
import type { Given } from '../invocation.ts';
import { GLOBAL_OPTIONS, type GlobalOption } from '../options/global-options.ts';

export interface Setting {
  readonly value: unknown;
  /** What the place it came from is called in a mistake and by `--debug`: `STEPROLL_OUTPUT`. */
  readonly from: string;
}

/** Arguments and options by their names. What nobody set is not in here. */
export type Settings = ReadonlyMap<string, Setting>;

/** Everywhere that settings come from. */
export interface Sources {
  readonly given: Given;
  /** By the names of the variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** The first that says something wins. @default - none */
  readonly files?: readonly SettingsFile[];
}

/** A profile or a configuration. */
export type SettingsFile = ProfileFile | ConfigFile;

interface File {
  /** What it is called in a mistake. */
  readonly name: string;
  /** Whether somebody named it. The profile `default` is taken without that. */
  readonly isNamed: boolean;
}

export interface ProfileFile extends File {
  readonly kind: 'profile';
  readonly values: Profile;
}

export interface ConfigFile extends File {
  readonly kind: 'config';
  readonly values: OpenConfig;
}

/** Option, environment, files: the first that says something wins. */
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

/** The values, as a command's schema checks them: the region stands in the endpoint URL. */
export function valuesOf(settings: Settings): Given {
  const values = Object.fromEntries([...settings].map(([name, { value }]) => [name, value]));
  const url = values['--endpoint-url'];
  return typeof url === 'string'
    ? { ...values, '--endpoint-url': fillRegion(url, values['--region']) }
    : values;
}

/** Where a setting came from, as people name the place. */
export function placeOf(option: string, settings: Settings): string {
  const { from = 'default' } = settings.get(option) ?? {};
  return from === option ? 'the command line' : from;
}

function firstOf(row: GlobalOption, sources: Sources): Setting | undefined {
  const { given, environment, files = [] } = sources;
  const { option, variable } = row;
  const candidates: Setting[] = [
    { value: given[option], from: option },
    { value: environment[variable], from: variable },
    ...files.map(({ kind, name, values }) => {
      const key = row[`${kind}Key`];
      return { value: valueIn(values, key), from: `${name}, ${key}` };
    }),
  ];
  return candidates.find(({ value }) => value !== undefined);
}

function valueIn(values: object, key: string | undefined): unknown {
  return key === undefined ? undefined : (values as Given)[key];
}
