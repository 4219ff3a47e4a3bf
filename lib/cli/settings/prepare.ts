import type * as z from 'zod';
import { type Environment, readEnvironment } from '../../adapters/machine/environment.ts';
import { fileExists } from '../../adapters/machine/files.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { invalidInput, type Mistake } from '../../contract/parsing/parse-input.ts';
import { parseEndpointUrl } from '../../contract/service/endpoint-url.ts';
import { SteprollError } from '../../domain/errors.ts';
import type { Given, Invocation } from '../invocation/invocation.ts';
import { GLOBAL_OPTIONS, type GlobalOption } from '../options/global-options.ts';
import { agentCoreShape, onOff, serviceShape } from '../options/global-shape.ts';
import { hasPerson, type Terminal, terminalOfProcess } from '../terminal/ask.ts';
import type { Credentials } from './credentials.ts';
import { type Loaded, loadSettings } from './load-settings.ts';
import {
  checkSettings,
  type FileMistake,
  placeOf,
  type Setting,
  type Settings,
  serviceKindOf,
} from './settings.ts';

/** A command that is ready: everything is checked, and nothing has been sent yet. */
export interface Prepared<T> {
  readonly options: T;
  /** Where each of the options came from. */
  readonly settings: Settings;
  readonly config: OpenConfig;
  readonly credentials: Credentials;
}

interface Surroundings {
  readonly terminal: Terminal;
  readonly environment: Environment;
}

/**
 * Merges what was typed with the environment, the profile and the configuration, asks for missing values with `-i`,
 * and checks everything. With `--debug` it shows the result on stderr.
 *
 * @throws `InvalidInput` that lists every mistake, `Interrupted` when a question is not answered.
 */
export async function prepare<S extends z.ZodObject>(
  asked: S,
  invocation: Invocation,
  { terminal, environment }: Surroundings = {
    terminal: terminalOfProcess(),
    environment: readEnvironment(),
  },
): Promise<Prepared<z.output<S>>> {
  const loaded = await loadFor(asked, invocation, environment);
  const isUrlKnown = callsService(asked) && serviceKindOf(loaded.settings) === 'agentcore';
  const schema = callsService(asked) ? schemaFor(asked, isUrlKnown, loaded.config) : asked;
  const asks = loaded.settings.get('--interactive');
  const mayAsk = isOn(asks);
  const known = [
    ...invocation.mistakes,
    ...loaded.mistakes.map(({ text }) => text),
    ...unusedOptions(invocation.given, loaded.settings, callsService(asked)),
  ];

  let { settings } = loaded;
  let checked = checkSettings(schema, settings);
  if (mayAsk && !hasPerson(terminal) && isMissingSome(checked)) {
    known.push(`${asks?.from}: it needs a terminal`);
  }
  if (mayAsk && known.length === 0 && isOnlyMissing(checked)) {
    const { askMissing } = await import('./ask-missing.ts');
    settings = await askMissing(checked.mistakes, schema, settings, terminal);
    checked = checkSettings(schema, settings);
  }
  if ('data' in checked && known.length === 0) {
    const { config, credentials } = loaded;
    const ready = { options: checked.data, settings, config, credentials };
    const prepared = isUrlKnown ? await withKnownUrl(ready) : ready;
    if (isOn(settings.get('--debug'))) {
      const { describeSettings } = await import('./debug.ts');
      process.stderr.write(`${describeSettings(prepared).join('\n')}\n`);
    }
    return prepared;
  }
  const found = 'data' in checked ? [] : checked.mistakes;
  const news = found.filter((mistake) => !isExplained(mistake, invocation, loaded.mistakes));
  const mistakes = invalidInput('arguments', [...known, ...news.map(({ text }) => text)]);
  const isWithoutUrl = news.some(({ key, isMissing }) => isMissing && key === '--endpoint-url');
  const hints = isWithoutUrl ? describeUnread(settings) : [];
  if (hints.length === 0) throw mistakes;
  throw new SteprollError(mistakes.name, [mistakes.message, ...hints].join('\n'));
}

/** Which URLs are right depends on the kind of service, and on the hosts that may be called over plain http. */
function schemaFor<S extends z.ZodObject>(asked: S, isUrlKnown: boolean, config: OpenConfig): S {
  const schema = isUrlKnown
    ? asked.safeExtend(agentCoreShape)
    : asked.safeExtend(serviceShape(config.allowHttp));
  return schema as unknown as S;
}

/** A command that does not call the service does not use the settings that say where and how to reach it. */
async function loadFor(
  schema: z.ZodObject,
  { given }: Invocation,
  environment: Environment,
): Promise<Loaded> {
  const loaded = await loadSettings(given, environment);
  if (callsService(schema)) {
    const more = loaded.credentialsMistakes.map((text) => ({ text, key: null }));
    const settings = settingsFor(loaded.settings, environment);
    return {
      ...loaded,
      settings,
      mistakes: [...loaded.mistakes, ...more],
    };
  }
  const settings = new Map(loaded.settings);
  settings.delete('--endpoint-url');
  return { ...loaded, settings };
}

const CONFIG_FILE = 'steproll.config.json';

/**
 * One line about a configuration in the current folder that nobody has named. People who know the CDK app may think
 * that the command line reads the file too. It is empty when there is no such file.
 */
export function describeUnread(settings: Settings): string[] {
  if (settings.has('--config') || !fileExists(CONFIG_FILE)) return [];
  return [
    `${CONFIG_FILE} in this folder is not read; --config ${CONFIG_FILE} or STEPROLL_CONFIG would name it.`,
  ];
}

function isOn(setting: Setting | undefined): boolean {
  return onOff.safeParse(setting?.value).data === true;
}

function callsService(schema: z.ZodObject): boolean {
  return '--endpoint-url' in schema.shape;
}

type Checked = object | { readonly mistakes: readonly Mistake[] };

function isMissingSome(checked: Checked): boolean {
  return 'mistakes' in checked && checked.mistakes.some(({ isMissing }) => isMissing);
}

function isOnlyMissing(checked: Checked): checked is { readonly mistakes: readonly Mistake[] } {
  return 'mistakes' in checked && checked.mistakes.every(({ isMissing }) => isMissing);
}

/** Whether a value is missing only because of a mistake that was reported: an option without a value, a bad file. */
function isExplained(
  { key, isMissing }: Mistake,
  { mistakes }: Invocation,
  inFiles: readonly FileMistake[],
): boolean {
  if (!isMissing) return false;
  const row: GlobalOption | undefined = GLOBAL_OPTIONS.find(({ option }) => option === key);
  const keys = [null, row?.profileKey, ...(row?.configKeys ?? []).map(firstKey)];
  return (
    mistakes.some((text) => text.startsWith(`${key}: `)) ||
    (row !== undefined && inFiles.some((mistake) => keys.includes(mistake.key)))
  );
}

function firstKey(path: string): string | undefined {
  return path.split('.')[0];
}

/**
 * Options that somebody typed and that the engine would ignore, one per line. The person who typed them expects an
 * effect. A variable or a profile may set more than one command needs.
 *
 * @param callsService Whether the command itself calls the service.
 */
export function unusedOptions(given: Given, settings: Settings, callsService: boolean): string[] {
  const engine = settings.get('--engine')?.value ?? 'embedded';
  const kind = serviceKindOf(settings);
  return [
    ...ignored(given, `the engine ${engine}`, adviceFor(engine, callsService)),
    ...(callsService && kind === 'agentcore'
      ? ignored(given, `the service ${kind}`, WITH_AGENTCORE)
      : []),
  ];
}

function ignored(given: Given, by: string, advice: Advice): string[] {
  return Object.entries(advice)
    .filter(([option]) => given[option] !== undefined)
    .map(([option, what]) => {
      return `${option}: ${JSON.stringify(given[option])} would be ignored with ${by}; ${what}`;
    });
}

type Advice = Readonly<Record<string, string>>;

function adviceFor(engine: unknown, callsService: boolean): Advice {
  if (engine === 'embedded') return EMBEDDED;
  return engine === 'aws' && !callsService ? ON_AWS : {};
}

const ON_AWS: Advice = {
  '--endpoint-url': 'leave it out, the stack knows its service',
  '--service': 'leave it out, the stack knows its service',
  '--config': 'leave it out, the stack has the configuration that it was deployed with',
  '--region': 'leave it out, AWS_REGION says where the stack is',
};

const WITH_AGENTCORE: Advice = {
  '--endpoint-url':
    'leave it out, --region says where the service is, and AWS_ENDPOINT_URL names another URL of it; or add --service rest',
};

const EMBEDDED: Advice = { '--stack': 'leave it out, or add --engine aws' };

/** The AWS SDK knows the URL of AgentCore. A variable or a file that names one means another service. */
export function settingsFor(
  settings: Settings,
  { awsRegion }: Pick<Environment, 'awsRegion'>,
): Settings {
  if (serviceKindOf(settings) !== 'agentcore') return settings;
  const known = new Map(settings);
  known.delete('--endpoint-url');
  if (awsRegion !== undefined && !known.has('--region')) {
    known.set('--region', { value: awsRegion, from: 'AWS_REGION' });
  }
  return known;
}

/** With the URL that the AWS SDK is going to use, so that it is shown and compared like one that somebody named. */
export async function withKnownUrl<
  T extends { readonly options: object; readonly settings: Settings },
>(prepared: T): Promise<T> {
  const { options, settings } = prepared;
  const region = String(settings.get('--region')?.value);
  const value = await urlOfSdk(region);
  const from = `the AWS SDK for ${region} (${placeOf('--region', settings)})`;
  return {
    ...prepared,
    options: { ...options, '--endpoint-url': value },
    settings: new Map(settings).set('--endpoint-url', { value, from }),
  };
}

async function urlOfSdk(region: string): Promise<string> {
  const { agentCoreUrl } = await import('../../adapters/services/agentcore/service-url.ts');
  try {
    // Functions may be in a network of their own, with an emulated AWS. From here a session token could be read on its
    // way.
    return parseEndpointUrl(await agentCoreUrl(region));
  } catch (error) {
    if (!(error instanceof SteprollError)) throw error;
    const fault = `${error.message}. It comes from ${URL_SETTINGS}.`;
    throw new SteprollError(error.name, fault, { cause: error });
  }
}

const URL_SETTINGS =
  'AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL, AWS_ENDPOINT_URL or the profile of AWS_PROFILE';
