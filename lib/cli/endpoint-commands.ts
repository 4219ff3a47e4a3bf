import * as z from 'zod';
import { systemClock } from '../adapters/system-clock.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { createOnce } from '../steps/create-endpoint.ts';
import { connect } from './connect.ts';
import { ExitCode } from './exit-code.ts';
import { globalShape } from './global-options.ts';
import { idField } from './id-field.ts';
import type { Invocation } from './invocation.ts';
import { type Prepared, prepare } from './prepare.ts';
import { printResult } from './print-result.ts';
import { wholeNumber } from './whole-number.ts';

const runtimeId = idField('use the id of a runtime');
const endpointId = idField('use the id of an endpoint');

const listSchema = z
  .strictObject({
    ...globalShape,
    id: runtimeId,
    '--page': wholeNumber.optional(),
    '--size': wholeNumber.optional(),
    '--all': z.boolean().default(false),
  })
  .refine((value) => !value['--all'] || (value['--page'] ?? value['--size']) === undefined, {
    path: ['--all'],
    error: 'use it without --page and --size: it reads every page',
    // Whatever else is wrong: every mistake is told at once.
    when: () => true,
  });

/** `list`: one page, or with `--all` every page. */
export async function listCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(listSchema, invocation);
  const { id, '--page': page = 1, '--size': size = 10, '--all': all } = prepared.options;
  return withService(prepared, async (service) =>
    all ? { endpoints: await service.list(id) } : service.listPage(id, { page, size }),
  );
}

const createSchema = z.strictObject({
  ...globalShape,
  id: runtimeId,
  '--name': z.string({ error: 'use the name of the new endpoint' }).min(1),
  '--version': wholeNumber.optional(),
});

/** `create`: answers the created endpoint. */
export async function createCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(createSchema, invocation);
  const { id, '--name': name, '--version': version } = prepared.options;
  const input = version === undefined ? { name } : { name, version };
  return withService(prepared, (service) => createOnce(id, input, { service, clock: systemClock }));
}

const updateSchema = z.strictObject({
  ...globalShape,
  id: runtimeId,
  'endpoint-id': endpointId,
  '--version': wholeNumber,
});

/** `update`: rolls one endpoint. Some services answer the endpoint, some nothing. */
export async function updateCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(updateSchema, invocation);
  const { id, 'endpoint-id': endpoint, '--version': version } = prepared.options;
  return withService(
    prepared,
    async (service) => (await service.roll(id, endpoint, version)) ?? { id: endpoint },
  );
}

const stopSchema = z.strictObject({
  ...globalShape,
  id: runtimeId,
  'endpoint-id': endpointId,
});

/** `stop`: there is no undo. */
export async function stopCommand(invocation: Invocation): Promise<number> {
  const prepared = await prepare(stopSchema, invocation);
  const { id, 'endpoint-id': endpoint } = prepared.options;
  return withService(prepared, async (service) => {
    await service.stop(id, endpoint);
    return { id: endpoint };
  });
}

async function withService(
  prepared: Prepared<z.output<z.ZodObject<typeof globalShape>>>,
  call: (service: EndpointService) => Promise<unknown>,
): Promise<number> {
  const service = connect(prepared);
  try {
    printResult(await call(service), prepared.options);
    return ExitCode.Done;
  } finally {
    await service.close();
  }
}
