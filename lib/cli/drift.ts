import * as z from 'zod';
import { systemClock } from '../adapters/machine/clock.ts';
import { toTimeOrNull } from '../contract/event.ts';
import { runtimeIdSchema } from '../contract/input/checks.ts';
import { errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { type Drift, findDrift, hasBrought } from '../domain/planning/find-drift.ts';
import { groupNameOf } from '../domain/rollout/group.ts';
import { isOfOtherService } from '../domain/rollout/other-service.ts';
import type { AskedRollout } from '../domain/rollout/record.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import type { Ledger } from '../ports/ledger.ts';
import { plainText } from '../telling/text.ts';
import { widthOf, wrapCommand } from '../telling/width.ts';
import { describeDrift, type ToldDrift, tellDrift } from '../telling/words/drift.ts';
import type { Engine } from './engine/engine.ts';
import { engineArguments, hasHistory, withHistory } from './engine/open-engine.ts';
import { ExitCode } from './invocation/exit-code.ts';
import type { Invocation } from './invocation/invocation.ts';
import { globalShape } from './options/global-shape.ts';
import { withServiceOfStack } from './rollout/service-of-stack.ts';
import { prepare } from './settings/prepare.ts';
import { withService } from './settings/service.ts';
import { isForPeople, printResult } from './terminal/print-result.ts';

const optionsSchema = z.strictObject({ ...globalShape, 'runtime-id': runtimeIdSchema.optional() });

/** So many of the newest rollouts are looked through for runtimes, and of one runtime for the last that succeeded. */
const LOOKED_THROUGH = 1_000;

type Found =
  | { readonly runtimeId: string; readonly drift: Drift }
  | { readonly runtimeId: string; readonly error: unknown };

/** `steproll drift`: which endpoints are elsewhere than the last rollout that succeeded has brought them. Only reads. */
export async function showDrift(invocation: Invocation): Promise<number> {
  const prepared = await prepareDrift(invocation);
  const { options, config } = prepared;
  const asked = options['runtime-id'];
  if (!hasHistory(options)) {
    process.stderr.write(
      'No rollout is recorded here, so nothing says where a runtime should be.\n',
    );
    return ExitCode.Done;
  }
  const found = await withHistory(options, (engine) =>
    withService(prepared, async (service) => {
      const configured = Object.keys(config.runtimes);
      const named = asked === undefined ? await runtimesOf(engine, service, configured) : [asked];
      const all: Found[] = [];
      for (const runtimeId of named) all.push(await lookAt(runtimeId, engine, service));
      return all;
    }),
  );
  if (isForPeople(options)) {
    const width = widthOf(process.stdout);
    const lines = found.flatMap((one) => describeDrift(tellFound(one, engineArguments(options))));
    process.stdout.write(
      lines
        .flatMap((line) => wrapCommand(line, width))
        .map((line) => `${line}\n`)
        .join(''),
    );
  } else printResult(found.map(toReport), options);
  if (found.some((one) => 'error' in one)) return ExitCode.Unknown;
  return found.some(hasDrifted) ? ExitCode.Failed : ExitCode.Done;
}

/** @throws `InvalidInput`, for example without a service. */
export async function prepareDrift(invocation: Invocation) {
  return prepare(optionsSchema, await withServiceOfStack(invocation));
}

type Asked = Pick<EndpointService, 'list' | 'url'>;

async function runtimesOf({ ledger }: Engine, { url }: Asked, configured: readonly string[]) {
  const past = await ledger.list({ limit: LOOKED_THROUGH });
  // A name that was mistyped once is no runtime for that: nothing has ever succeeded there.
  const own = past.filter(
    (one) => !isOfOtherService(one, { endpointUrl: url }) && one.outcome?.outcome === 'Succeeded',
  );
  const all = new Set([...configured, ...own.map(({ runtimeId }) => runtimeId)]);
  return [...all].filter((id) => groupNameOf(id) === null).toSorted();
}

export async function lookAt(runtimeId: string, engine: Engine, service: Asked): Promise<Found> {
  try {
    const endpoints = await service.list(runtimeId);
    const [records, holds] = await Promise.all([
      readBack(runtimeId, engine.ledger, service.url),
      engine.ledger.listHolds(),
    ]);
    const open = records.filter(({ outcome }) => outcome === null);
    const dead = await Promise.all(
      open.map(async ({ request: { rolloutId } }) =>
        (await engine.isAbandoned(rolloutId)) ? [rolloutId] : [],
      ),
    );
    const known = { runtimeId, endpoints, records, holds, now: systemClock.now() };
    return { runtimeId, drift: findDrift({ ...known, dead: new Set(dead.flat()) }) };
  } catch (error) {
    return { runtimeId, error };
  }
}

/** So many of its newest rollouts are read whole, because each is about some of its endpoints. */
const READ_WHOLE = 20;

/** Its rollouts at this service, the newest first: some, and at least down to the last one that has succeeded. */
async function readBack(
  runtimeId: string,
  ledger: Pick<Ledger, 'list' | 'read'>,
  endpointUrl: string,
): Promise<readonly AskedRollout[]> {
  const all = await ledger.list({ runtimeId, limit: LOOKED_THROUGH });
  const own = all.filter((one) => !isOfOtherService(one, { endpointUrl }));
  const wanted = own.slice(0, Math.max(READ_WHOLE, own.findIndex(hasBrought) + 1));
  return Promise.all(wanted.map(({ rolloutId }) => ledger.read(rolloutId)));
}

function hasDrifted(one: Found): boolean {
  return 'drift' in one && one.drift.state === 'compared' && one.drift.drifted.length > 0;
}

/** @param engine The arguments with which a command finds the engine. */
export function tellFound(
  one: Found,
  engine: string,
): ToldDrift & { readonly hasDrifted: boolean } {
  if ('drift' in one) {
    return { ...tellDrift(one.runtimeId, one.drift, engine), hasDrifted: hasDrifted(one) };
  }
  const why = `${errorNameOf(one.error)}: ${errorMessageOf(one.error)}`;
  const says = [plainText(`${one.runtimeId}: nobody knows. ${why}`)];
  return { says, commands: [], hasDrifted: false };
}

function toReport(one: Found) {
  const { runtimeId } = one;
  if ('error' in one) {
    return {
      runtimeId,
      state: 'unknown',
      reason: errorNameOf(one.error),
      message: errorMessageOf(one.error),
    };
  }
  const { drift } = one;
  if (drift.state !== 'compared') return { runtimeId, ...drift };
  const drifted = drift.drifted.map((each) => ({ ...each, since: toTimeOrNull(each.since) }));
  return { runtimeId, ...drift, endedAt: toTimeOrNull(drift.endedAt), drifted };
}
