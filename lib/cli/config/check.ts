import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import type { Webhook } from '../../contract/config/webhooks.ts';
import { toTimeOrNull } from '../../contract/event.ts';
import { checkAlways } from '../../contract/input/checks.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { endpointUrlSchema, fillRegion } from '../../contract/service/endpoint-url.ts';
import { faultOfId } from '../../domain/endpoint/endpoint.ts';
import { plainText } from '../../telling/text.ts';
import { widthOf, wrapText } from '../../telling/width.ts';
import { isOnAws } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { faultsOfToken } from '../local/approvers.ts';
import { globalShape } from '../options/global-shape.ts';
import type { Credentials } from '../settings/credentials.ts';
import { describeUnread, prepare } from '../settings/prepare.ts';
import { type Connecting, fromOf, openGatesOf, withService } from '../settings/service.ts';
import { placeOf } from '../settings/settings.ts';
import { type HowToPrint, isForPeople, printResult } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';
import { checkConfig } from './checks.ts';
import { sentenceOf } from './lists.ts';
import { networkChecks, wayTo } from './network-checks.ts';
import type { ConfigCheck } from './tried.ts';

/** Checks have no ids, and nothing on stdout would look as if nothing had been checked. */
const refuseIds = checkAlways<HowToPrint>((value, report) => {
  if (value['--output'] !== 'id' || value['--query'] !== undefined) return;
  const message = 'use table or json, because checks have no ids; or choose texts with --query';
  report(['--output'], 'id', message);
});

const optionsSchema = z
  .strictObject({
    ...globalShape,
    '--runtime': z
      .string()
      .transform((text) => text.split(',').map((word) => word.trim()))
      .refine((ids) => ids.every((id) => faultOfId(id) === null), 'use ids of runtimes: shop,cart')
      .optional(),
  })
  .check(refuseIds);

/** `steproll config check`: tries a configuration before anything rolls, and only reads. Answers the exit code. */
export async function configCheck(invocation: Invocation): Promise<number> {
  const prepared = await prepare(optionsSchema, withFile(invocation));
  const { options, config, settings, credentials } = prepared;
  const runtimes = options['--runtime'] ?? Object.keys(config.runtimes);
  if (runtimes.length === 0) {
    if (!settings.has('--config')) throw invalidInput('arguments', [NO_FILE]);
    process.stderr.write(`${NO_RUNTIME}\n`);
  }
  const unnamed = runtimes.filter((id) => !Object.hasOwn(config.runtimes, id));
  if (unnamed.length > 0) {
    const names = unnamed.join(', ');
    const line = `Not named in the configuration, so tried with the policy default: ${names}`;
    process.stderr.write(`${plainText(line)}\n`);
  }
  for (const line of describeUnread(settings)) process.stderr.write(`${line}\n`);
  const gates = await openGatesOf(prepared);
  const { source: urlFrom, tokenUrl } = fromOf(prepared);
  const ways = await networkChecks({
    config,
    runtimes,
    endpointUrl: options['--endpoint-url'],
    tokenUrl,
  });
  const tried = await withService(prepared, (service) =>
    checkConfig({
      config,
      runtimes,
      service,
      gates,
      isOnAws: isOnAws(invocation),
      urlFrom,
      unasked: describeUnasked(prepared),
      credentials: describeCredentials(credentials),
      now: systemClock.now(),
    }),
  );
  const people = isOnAws(invocation) ? [] : await approverChecks(config);
  const checks = [...ways, ...tried, ...people, ...(await webhookChecks(config))];
  if (isForPeople(options)) {
    await printLines(checks);
  } else {
    const isGood = checks.every(({ result }) => result === 'ok');
    const endpointUrl = options['--endpoint-url'];
    printResult({ isGood, endpointUrl, urlFrom, checks: checks.map(toResult) }, options);
  }
  return exitCodeOf(checks);
}

const NO_FILE =
  'file: missing; name the configuration, here or in STEPROLL_CONFIG, or with --runtime the runtimes to list';
const NO_RUNTIME =
  'The configuration names no runtime, so only its form and its windows are checked; --runtime shop also tries what rollouts of that one need.';

/** The configuration may be named without its option. */
function withFile({ given, mistakes }: Invocation): Invocation {
  const { file, ...others } = given;
  if (file === undefined) return { given: others, mistakes };
  if (given['--config'] === undefined) return { given: { ...others, '--config': file }, mistakes };
  const twice = `--config: ${JSON.stringify(given['--config'])} is a second configuration; name one`;
  return { given: others, mistakes: [...mistakes, twice] };
}

/** A variable or a profile may name another service than the configuration that is checked. */
function describeUnasked({ options, config, settings }: Connecting): string | null {
  const { '--endpoint-url': asked, '--region': region } = options;
  if (config.endpointUrl === undefined) return null;
  const own = endpointUrlSchema(config).safeParse(fillRegion(config.endpointUrl, region)).data;
  const place = placeOf('--endpoint-url', settings);
  const isMeant = settings.get('--endpoint-url')?.from === '--endpoint-url';
  if (isMeant || own === asked) return null;
  // A URL that is not allowed may hold a password.
  return `The configuration says ${own ?? 'a URL that is not allowed'}, which was not asked because of ${place}.`;
}

const KINDS: Readonly<Record<Credentials['settings']['kind'], string>> = {
  aws: 'Credentials of AWS',
  none: 'None are sent.',
  bearer: 'A bearer token',
  'client-credentials': 'Client credentials',
};

function describeCredentials({ settings: { kind }, from, leftOut }: Credentials): string {
  if (kind !== 'none') return `${KINDS[kind]} from ${from}.`;
  return leftOut === undefined ? KINDS.none : `${KINDS.none} ${leftOut}.`;
}

const LOOK = { ok: 'green', fault: 'red', unknown: 'red', untried: 'dim' } as const;
const INDENT = 'untried  '.length;

/** One line for each check. What does not fit goes below it, further in. */
async function printLines(checks: readonly ConfigCheck[]): Promise<void> {
  const screen = await createScreen(process.stdout);
  for (const { check, of, result, message } of fewerPatterns(checks)) {
    const about = of === null ? check : `${check} ${of}`;
    const text = plainText(`${about}: ${message}`);
    const [first = '', ...more] = wrapText(text, widthOf(process.stdout) - INDENT);
    screen.line(screen.style(LOOK[result], result) + ' '.repeat(INDENT - result.length) + first);
    for (const line of more) screen.line(' '.repeat(INDENT) + line);
  }
}

const MOST_PATTERNS = 10;

/** Of many patterns that match something, people are shown some. */
function fewerPatterns(checks: readonly ConfigCheck[]): readonly ConfigCheck[] {
  const good = checks.filter(({ check, result }) => check === 'pattern' && result === 'ok');
  const folded = new Set(good.slice(MOST_PATTERNS));
  const [last] = folded;
  if (last === undefined) return checks;
  const message = `${folded.size} more, which match some: --output json names all.`;
  return checks.flatMap((one) => {
    if (one === last) return [{ check: 'patterns', of: null, result: 'ok', message } as const];
    return folded.has(one) ? [] : [one];
  });
}

/** One check in the form for programs. */
function toResult({ next = null, ...check }: ConfigCheck) {
  return { ...check, next: toTimeOrNull(next) };
}

/** A fault is a mistake in the configuration. Where only an answer is missing, nothing is known of it. */
function exitCodeOf(checks: readonly ConfigCheck[]): number {
  if (checks.some(({ result }) => result === 'fault')) return ExitCode.BadInput;
  return checks.some(({ result }) => result === 'unknown') ? ExitCode.Unknown : ExitCode.Done;
}

/** Whether the token of each who may answer on this machine can be read, and proves enough. It is never shown. */
async function approverChecks({
  approvers = {},
}: Pick<OpenConfig, 'approvers'>): Promise<ConfigCheck[]> {
  const named = Object.entries(approvers);
  if (named.length === 0) return [];
  const { createSecretReader } = await import('../../adapters/credentials/secrets.ts');
  const readSecret = createSecretReader();
  const tokens = new Map<string, string>();
  const checks: ConfigCheck[] = [];
  for (const [name, source] of named) {
    const about = { check: 'approver', of: name };
    try {
      const token = await readSecret(source);
      const faults = faultsOfToken(token, tokens);
      tokens.set(name, token);
      checks.push(
        faults.length === 0
          ? { ...about, result: 'ok', message: 'The token can be read.' }
          : { ...about, result: 'fault', message: `approvers.${name}: ${faults.join('; ')}.` },
      );
    } catch (error) {
      checks.push({ ...about, result: 'fault', message: sentenceOf(error) });
    }
  }
  return checks;
}

/** Whether each webhook has a URL and a secret that can be used. Nothing is sent to it. */
async function webhookChecks({
  notifications: { webhooks = [] } = {},
  allowHttp,
}: Pick<OpenConfig, 'notifications' | 'allowHttp'>): Promise<ConfigCheck[]> {
  if (webhooks.length === 0) return [];
  const { readWebhookUrl } = await import('../../adapters/webhooks/deliver.ts');
  const { createSecretReader } = await import('../../adapters/credentials/secrets.ts');
  const readSecret = createSecretReader();
  const check = async (webhook: Webhook, index: number): Promise<ConfigCheck> => {
    const about = { check: 'webhook', of: `notifications.webhooks[${index}]` };
    try {
      const url = await readWebhookUrl(webhook, { readSecret, allowHttp });
      if (webhook.secret !== undefined) await readSecret(webhook.secret);
      return { ...about, result: 'ok', message: describe(webhook, url) };
    } catch (error) {
      return { ...about, result: 'fault', message: sentenceOf(error) };
    }
  };
  return Promise.all(webhooks.map(check));
}

/** The path of the URL is not told, because it may be the secret. */
function describe({ format, events, secret }: Webhook, url: string): string {
  const { protocol, origin } = new URL(url);
  const what = events === undefined ? 'Every event' : `The events ${events.join(', ')}`;
  const signed = secret === undefined ? 'not signed' : 'signed';
  const plain = protocol === 'http:' ? ', over plain http' : '';
  return `${what} to ${origin} as ${format}, ${signed}${plain}, ${wayTo(url)}. Nothing was sent.`;
}
