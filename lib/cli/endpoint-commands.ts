import * as z from 'zod';
import { runtimeIdSchema } from '../contract/rollout-input.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { commonOptions, parseOptions, wholeNumber } from './common-options.ts';
import { connect } from './connect.ts';
import { ExitCode } from './exit-code.ts';
import { compileQuery, printResult } from './print-result.ts';

type Given = Readonly<Record<string, unknown>>;

const endpointId = z.string({ error: 'use the id of an endpoint' }).min(1).max(256);

const options = { ...commonOptions, id: runtimeIdSchema, '--query': z.string().optional() };

const listSchema = z
  .strictObject({
    ...options,
    '--page': wholeNumber.optional(),
    '--size': wholeNumber.optional(),
    '--all': z.boolean().default(false),
  })
  .check(({ value, issues }) => {
    if (!value['--all'] || (value['--page'] === undefined && value['--size'] === undefined)) return;
    const message = 'use it without --page and --size: it reads every page';
    issues.push({ code: 'custom', message, input: true, path: ['--all'] });
  });

/** `list`: one page, or with `--all` every page. */
export function listCommand(given: Given): Promise<number> {
  const parsed = parseOptions(listSchema, given);
  const { id, '--page': page = 1, '--size': size = 10 } = parsed;
  return withService(parsed, async (service) =>
    parsed['--all'] ? { endpoints: await service.list(id) } : service.listPage(id, { page, size }),
  );
}

const createSchema = z.strictObject({
  ...options,
  '--name': z.string({ error: 'use the name of the new endpoint' }).min(1),
  '--version': wholeNumber.optional(),
});

/** `create`: answers the created endpoint. */
export function createCommand(given: Given): Promise<number> {
  const parsed = parseOptions(createSchema, given);
  const { id, '--name': name, '--version': version } = parsed;
  const input = version === undefined ? { name } : { name, version };
  return withService(parsed, (service) => service.create(id, input));
}

const updateSchema = z.strictObject({
  ...options,
  'endpoint-id': endpointId,
  '--version': wholeNumber,
});

/** `update`: rolls one endpoint. Some services answer the endpoint, some nothing. */
export function updateCommand(given: Given): Promise<number> {
  const parsed = parseOptions(updateSchema, given);
  const { id, 'endpoint-id': endpoint, '--version': version } = parsed;
  return withService(
    parsed,
    async (service) => (await service.roll(id, endpoint, version)) ?? { id: endpoint },
  );
}

const stopSchema = z.strictObject({ ...options, 'endpoint-id': endpointId });

/** `stop`: there is no undo. */
export function stopCommand(given: Given): Promise<number> {
  const parsed = parseOptions(stopSchema, given);
  const { id, 'endpoint-id': endpoint } = parsed;
  return withService(parsed, async (service) => {
    await service.stop(id, endpoint);
    return { id: endpoint };
  });
}

type Parsed = Pick<
  z.infer<typeof stopSchema>,
  '--endpoint-url' | '--debug' | '--output' | '--query'
>;

async function withService(
  parsed: Parsed,
  call: (service: EndpointService) => Promise<unknown>,
): Promise<number> {
  const query = compileQuery(parsed['--query']);
  const service = connect(parsed['--endpoint-url'], parsed['--debug']);
  try {
    printResult(query(await call(service)), parsed['--output']);
    return ExitCode.Done;
  } finally {
    await service.close();
  }
}
