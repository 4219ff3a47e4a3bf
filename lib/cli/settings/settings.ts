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
  readonly profile?: Source<Profile> | undefined;
  readonly config?: Source<OpenConfig> | undefined;
}

/** A file, or a part of one. */
export interface Source<T> {
  /** What it is called in a mistake. */
  readonly name: string;
  readonly values: T;
}

/** Option, environment, profile, configuration: the first that says something wins. */
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
  const { given, environment, profile, config } = sources;
  const { option, variable, profileKey, configKey } = row;
  const candidates: Setting[] = [
    { value: given[option], from: option },
    { value: environment[variable], from: variable },
    { value: valueIn(profile?.values, profileKey), from: `${profile?.name}, ${profileKey}` },
    { value: valueIn(config?.values, configKey), from: `${config?.name}, ${configKey}` },
  ];
  return candidates.find(({ value }) => value !== undefined);
}

function valueIn(values: object | undefined, key: string | undefined): unknown {
  return key === undefined ? undefined : (values as Given | undefined)?.[key];
}
