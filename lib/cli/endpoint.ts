import * as z from 'zod';
import { systemClock } from '../adapters/machine/clock.ts';
import { checkAlways, idSchema, runtimeIdSchema } from '../contract/input/checks.ts';
import { invalidInput } from '../contract/input/parse-input.ts';
import { type Endpoint, endpointNamed, ID_PREFIX } from '../domain/endpoint/endpoint.ts';
import { meaningOf } from '../domain/error-meanings.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../domain/errors.ts';
import { toCreate } from '../domain/planning/create-one.ts';
import type { CreatePorts } from '../handlers/endpoints.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { plainText } from '../telling/text.ts';
import { ExitCode, Interrupted } from './invocation/exit-code.ts';
import type { Invocation } from './invocation/invocation.ts';
import { onInterrupt } from './invocation/process.ts';
import { wholeNumber, words, yes } from './options/fields.ts';
import { globalShape } from './options/global-shape.ts';
import { type Prepared, prepare } from './settings/prepare.ts';
import { withService } from './settings/service.ts';
import { confirm, hasPerson, terminalOfProcess } from './terminal/ask.ts';
import { printResult, printTold } from './terminal/print-result.ts';

const namedEndpoint = idSchema('use the name or the id of an endpoint').refine(
  (text) => text !== ID_PREFIX,
  'use an id behind id:',
);

const checkAll = checkAlways<Readonly<Record<'--all', boolean>>>((value, report) => {
  if (value['--all'] !== true) return;
  for (const [option, input] of Object.entries(value)) {
    if (option !== '--page' && option !== '--size') continue;
    report([option], input, 'leave it out, --all reads every page');
  }
});

const listSchema = z
  .strictObject({
    ...globalShape,
    id: runtimeIdSchema,
    '--page': wholeNumber.optional(),
    '--size': wholeNumber.optional(),
    '--all': z.boolean().default(false),
  })
  .check(checkAll);

/** `list`: one page, or with `--all` every page. */
export async function listCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(listSchema, invocation);
  const { id, '--page': page = 1, '--size': size = 10, '--all': all } = prepared.options;
  return printAnswer(prepared, async (service) =>
    all ? { endpoints: await service.list(id) } : service.listPage(id, { page, size }),
  );
}

const writeShape = { ...globalShape, id: runtimeIdSchema, '--yes': yes };

const createSchema = z.strictObject({
  ...writeShape,
  '--name': z.string({ error: 'use the name of the new endpoint' }).min(1),
  '--version': wholeNumber.optional(),
});

export async function createCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(createSchema, invocation);
  const { id, '--name': name, '--version': version } = prepared.options;
  const input = version === undefined ? { name } : { name, version };
  const { createOnce } = await import('../handlers/endpoints.ts');
  return printAnswer(prepared, (service) =>
    sendWrite('creation', (signal) => createOnce(id, input, portsUntil(signal, service))),
  );
}

/** After Ctrl-C nothing waits any more, not even the look for the endpoint in the list. */
function portsUntil(signal: AbortSignal, service: EndpointService): CreatePorts {
  return {
    service: {
      ...service,
      list: (runtimeId) => service.list(runtimeId, signal),
      create: (runtimeId, input) => service.create(runtimeId, input, signal),
    },
    clock: { sleep: (milliseconds) => systemClock.sleep(milliseconds, signal).catch(() => {}) },
    onLook: (seconds) => {
      if (!signal.aborted) process.stderr.write(`${describeLook(seconds)}\n`);
    },
  };
}

function describeLook(seconds: number): string {
  return seconds === 0
    ? 'It is not certain whether the endpoint was created: looking for it in the list.'
    : `It is not in the list yet: looking again in ${seconds} s.`;
}

const stopSchema = z.strictObject({
  ...writeShape,
  'endpoint-id': namedEndpoint,
  '--unpin': words.optional(),
});
const updateSchema = stopSchema.extend({ '--version': wholeNumber });

/** `update`: rolls one endpoint. Some services answer the endpoint, others nothing. */
export async function updateCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(updateSchema, invocation);
  const { id: runtime, '--version': version } = prepared.options;
  return printAnswer(prepared, async (service) => {
    const { id } = await findEndpoint('update', prepared.options, service);
    const more = ['--version', String(version)];
    await refusePinned('update', id, prepared.options, more);
    return sendWrite('update', async (signal) => {
      const answer = await service.roll(runtime, id, version, signal);
      return answer === null ? { id } : checkAnswered(answer, id);
    });
  });
}

/** @throws `Held`, and `Interrupted` after a no. */
async function refusePinned(
  write: 'update' | 'stop',
  endpointId: string,
  options: z.output<typeof stopSchema>,
  more: readonly string[] = [],
): Promise<void> {
  const { mayWritePinned } = await import('./pins.ts');
  const { id: runtimeId, 'endpoint-id': said } = options;
  const typed = ['agent', 'runtime', 'endpoint', write, runtimeId, said, ...more];
  if (await mayWritePinned({ words: typed, runtimeId, endpointId }, options)) return;
  throw new Interrupted(`The ${write} was not carried out.`);
}

function checkAnswered(answer: Endpoint, endpoint: string): Endpoint {
  if (answer.id === endpoint) return answer;
  throw new SteprollError(
    ErrorName.OutcomeUnknown,
    `The service answers with another endpoint, ${JSON.stringify(answer.id)}.`,
  );
}

/** `stop`: stops one endpoint. There is no undo, so on a terminal it asks. */
export async function stopCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(stopSchema, invocation);
  const { options } = prepared;
  return withService(prepared, async (service) => {
    // Such a service says why it cannot, and nobody is asked first.
    if (!service.abilities.stops) await service.stop(options.id, options['endpoint-id']);
    const endpoint = await findEndpoint('stop', options, service);
    await refusePinned('stop', endpoint.id, options);
    const which = plainText(`${labelOf(endpoint)} of ${options.id}`);
    if (!options['--yes'] && hasPerson(terminalOfProcess())) {
      const question = `Stop ${which} at ${service.url}?${describeState(endpoint)} There is no undo.`;
      if (!(await confirm(plainText(question)))) {
        process.stderr.write('Not stopped.\n');
        return ExitCode.Failed;
      }
      // A person may take their time, and has said yes to what was shown.
      const now = await findEndpoint('stop', options, service);
      if (now.id !== endpoint.id || describeState(now) !== describeState(endpoint)) {
        const change = `Not stopped, because it has changed since the question: it is ${labelOf(now)}.`;
        process.stderr.write(`${plainText(change + describeState(now))}\n`);
        return ExitCode.Failed;
      }
    }
    await sendWrite('stop', (signal) => service.stop(options.id, endpoint.id, signal));
    printTold({ id: endpoint.id }, [`Stopped ${which}.`], options);
    return ExitCode.Done;
  });
}

/** An endpoint that a person named. When it was named by `id:`, nothing else is known of it. */
type NamedEndpoint = Endpoint | { readonly id: string };

/**
 * The endpoint that is meant by a name or an id, in a list that is read for it. After `id:` the id is taken as it is,
 * for an endpoint that the list does not show.
 *
 * @throws `InvalidInput` when several are called so, `UpstreamNotFound` when none is, and any error of the list.
 */
export async function findEndpoint(
  write: string,
  { id: runtime, 'endpoint-id': said }: { readonly id: string; readonly 'endpoint-id': string },
  service: EndpointService,
): Promise<NamedEndpoint> {
  if (said.startsWith(ID_PREFIX)) return { id: said.slice(ID_PREFIX.length) };
  const endpoints = await sendWrite(write, (signal) => service.list(runtime, signal));
  const named = endpointNamed(endpoints, said);
  if ('endpoint' in named) return named.endpoint;
  if (named.found > 0) {
    const mistake = `endpoint-id: ${JSON.stringify(said)} is not allowed; ${named.fault}; name it so`;
    throw invalidInput('arguments', [mistake]);
  }
  throw new SteprollError(
    ErrorName.UpstreamNotFound,
    `The list of ${runtime} has no endpoint with the name or id ${JSON.stringify(said)}. The ${write} was not carried out.${write === 'update' ? ` ${toCreate('one', runtime)}` : ''}`,
  );
}

function labelOf(endpoint: NamedEndpoint): string {
  const name = 'name' in endpoint ? endpoint.name : null;
  return name === null ? endpoint.id : `${name} (${endpoint.id})`;
}

function describeState(endpoint: NamedEndpoint): string {
  if (!('status' in endpoint)) return '';
  const { liveVersion, status } = endpoint;
  const facts = [
    ...(liveVersion === null ? [] : [`version ${liveVersion} is live`]),
    ...(status === null ? [] : [`its status is ${status}`]),
  ];
  return facts.length === 0 ? '' : ` Now ${facts.join(', ')}.`;
}

async function printAnswer(
  prepared: Prepared<z.output<z.ZodObject<typeof globalShape>>>,
  call: (service: EndpointService) => Promise<unknown>,
): Promise<number> {
  printResult(await withService(prepared, call), prepared.options);
  return ExitCode.Done;
}

/**
 * Sends a write, once. When it fails, adds a sentence that says whether the write may have been carried out, and when
 * to ask again after a refusal that may pass. Ctrl-C ends the wait for the answer.
 *
 * @param write Name of the write: `stop`.
 * @throws what `send` throws, with that sentence; `Interrupted` after Ctrl-C.
 */
export async function sendWrite<T>(
  write: string,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, release } = onInterrupt();
  try {
    return await send(signal);
  } catch (error) {
    const name = error instanceof SteprollError ? error.name : ErrorName.OutcomeUnknown;
    const hint = whenToAsk(error, name);
    if (isServicesNo(error) && hint === '' && !signal.aborted) throw error;
    const wasGivenUp = signal.aborted && error === signal.reason;
    const sentence =
      wasGivenUp || name !== ErrorName.OutcomeUnknown
        ? `The ${write} was not carried out${hint}.`
        : `The ${write} may have been carried out: look at the list before you send it again.`;
    if (signal.aborted) throw new Interrupted(sentence, { cause: error });
    throw new SteprollError(name, `${errorMessageOf(error)}\n${sentence}`, { cause: error });
  } finally {
    release();
  }
}

/** After a refusal that may pass; otherwise nothing. */
function whenToAsk(error: unknown, name: string): string {
  if (meaningOf(name).roll !== 'again') return '';
  const { retryAfterSeconds } = error instanceof SteprollError ? error : {};
  return `; ask again ${retryAfterSeconds ? `after ${retryAfterSeconds} s` : 'in a moment'}`;
}

/** Whether the service itself refused the write, so the error already says that nothing was done. */
function isServicesNo(error: unknown): boolean {
  return (
    error instanceof SteprollError &&
    error.httpStatus !== undefined &&
    error.name !== ErrorName.OutcomeUnknown
  );
}
