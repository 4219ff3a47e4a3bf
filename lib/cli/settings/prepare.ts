import type * as z from 'zod';
import { type Environment, readEnvironment } from '../../adapters/machine/environment.ts';
import { fileExists } from '../../adapters/machine/files.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { invalidInput, type Mistake } from '../../contract/input/parse-input.ts';
import { parseEndpointUrl } from '../../contract/service/endpoint-url.ts';
import { urlOfResource } from '../../contract/service/services.ts';
import { SteprollError } from '../../domain/errors.ts';
import type { Given, Invocation } from '../invocation/invocation.ts';
import { GLOBAL_OPTIONS, type GlobalOption } from '../options/global-options.ts';
import { agentCoreShape, onOff, serviceShape } from '../options/global-shape.ts';
import { hasPerson, type Terminal, terminalOfProcess } from '../terminal/ask.ts';
import type { Credentials } from './credentials.ts';
import { loadSettings } from './load-settings.ts';
import {
  checkSettings,
  type FileMistake,
  placeOf,
  type Setting,
  type Settings,
  serviceKindOf,
  serviceOf,
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
  const callsService = callsTheService(asked);
  const loaded = await loadSettings(invocation.given, environment);
  const inFiles = [...loaded.mistakes, ...(callsService ? loaded.credentialsMistakes : [])];
  let settings = settingsFor(loaded.settings, callsService, environment);
  const isUrlKnown = callsService && serviceKindOf(settings) === 'agentcore';
  const schema = schemaFor(asked, isUrlKnown, loaded.config);
  const asks = settings.get('--interactive');
  const mayAsk = isOn(asks);
  const known = [
    ...invocation.mistakes,
    ...inFiles.map(({ text }) => text),
    ...unusedOptions(invocation.given, settings, callsService),
  ];

  let checked = checkSettings(schema, settings);
  const missing = mistakesIn(checked).filter(({ isMissing }) => isMissing);
  if (mayAsk && missing.length > 0 && !hasPerson(terminal)) {
    known.push(`${asks?.from}: it needs a terminal`);
  }
  const isAsked = mayAsk && known.length === 0 && missing.length > 0;
  if (isAsked && missing.length === mistakesIn(checked).length) {
    const { askMissing } = await import('./ask-missing.ts');
    settings = await askMissing(missing, schema, settings, terminal);
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
  const news = mistakesIn(checked).filter((one) => !isExplained(one, invocation, inFiles));
  const mistakes = invalidInput('arguments', [...known, ...news.map(({ text }) => text)]);
  const isWithoutUrl = news.some(({ key, isMissing }) => isMissing && key === '--endpoint-url');
  const hints = isWithoutUrl ? describeUnread(settings) : [];
  if (hints.length === 0) throw mistakes;
  throw new SteprollError(mistakes.name, [mistakes.message, ...hints].join('\n'));
}

function mistakesIn(checked: object | { readonly mistakes: readonly Mistake[] }) {
  return 'mistakes' in checked ? checked.mistakes : [];
}

function callsTheService({ shape }: z.ZodObject): boolean {
  return '--endpoint-url' in shape;
}

/** Which URLs are right depends on the kind of service, and on the hosts that may be called over plain http. */
function schemaFor<S extends z.ZodObject>(asked: S, isUrlKnown: boolean, config: OpenConfig): S {
  if (!callsTheService(asked)) return asked;
  const schema = isUrlKnown
    ? asked.safeExtend(agentCoreShape)
    : asked.safeExtend(serviceShape(config.allowHttp));
  return schema as unknown as S;
}

const CONFIG_FILE = 'steproll.config.json';

/**
 * One line about a configuration in the current folder that nobody has named. People who know the CDK app may think
 * that the command line reads the file too. It is empty when there is no such file.
 */
export function describeUnread(settings: Settings): string[] {
  if (settings.has('--config') || !isInThisFolder(CONFIG_FILE)) return [];
  return [
    `${CONFIG_FILE} in this folder is not read; --config ${CONFIG_FILE} or STEPROLL_CONFIG would name it.`,
  ];
}

/** A folder that this account may not look into has no file for it. */
function isInThisFolder(name: string): boolean {
  try {
    return fileExists(name);
  } catch {
    return false;
  }
}

function isOn(setting: Setting | undefined): boolean {
  return onOff.safeParse(setting?.value).data === true;
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
  const byEngine = engine === 'embedded' ? EMBEDDED : engine === 'aws' && !callsService && ON_AWS;
  const byService = callsService && serviceKindOf(settings) === 'agentcore' && WITH_AGENTCORE;
  const ignored = (by: string, advice: Advice | false) =>
    Object.entries(advice || {})
      .filter(([option]) => given[option] !== undefined)
      .map(([option, what]) => {
        return `${option}: ${JSON.stringify(given[option])} would be ignored with ${by}; ${what}`;
      });
  return [
    ...ignored(`the engine ${engine}`, byEngine),
    ...ignored('the service agentcore', byService),
  ];
}

type Advice = Readonly<Record<string, string>>;

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

/**
 * The settings that a command uses. One that does not call the service needs not know where it is. The AWS SDK knows the
 * URL of AgentCore, and a variable or a file that names one means another service.
 */
function settingsFor(
  settings: Settings,
  callsService: boolean,
  { awsRegion }: Environment,
): Settings {
  const isKnown = serviceKindOf(settings) === 'agentcore';
  if (callsService && !isKnown) return settings;
  const used = new Map(settings);
  used.delete('--endpoint-url');
  if (callsService && awsRegion !== undefined && !used.has('--region')) {
    used.set('--region', { value: awsRegion, from: 'AWS_REGION' });
  }
  return used;
}

/** With the URL that the AWS SDK is going to use, so that it is shown and compared like one that somebody named. */
async function withKnownUrl<T>(prepared: Prepared<T>): Promise<Prepared<T>> {
  const { options, settings } = prepared;
  const region = String(settings.get('--region')?.value);
  const { of = 'runtime' } = serviceOf(settings);
  const value = urlOfResource(await urlOfSdk(region), of);
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
