import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { publishToListener } from '../../adapters/listener/publish-to-listener.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import { runtimeIdSchema } from '../../contract/input/checks.ts';
import { ErrorName } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { releaseOf } from '../../domain/trigger/once.ts';
import { RELEASE_EVENT, type Release } from '../../domain/trigger/release.ts';
import { hashOfRelease } from '../../handlers/start.ts';
import type { Clock } from '../../ports/clock.ts';
import { wantedOf } from '../../steps/opening/asked-request.ts';
import { plainLines, plainText } from '../../telling/text.ts';
import { NeverBegun, type PublishedRelease } from '../engine/engine.ts';
import {
  type EngineOptions,
  openAwsEngine,
  watchCommand,
  withHistory,
} from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { askedVersion, yes } from '../options/fields.ts';
import { ledgerShape } from '../options/global-shape.ts';
import { prepare } from '../settings/prepare.ts';
import { printTold } from '../terminal/print-result.ts';
import { withGroup } from './group.ts';
import { watchRollout } from './watch.ts';

const optionsSchema = z.strictObject({
  ...ledgerShape,
  'runtime-id': runtimeIdSchema,
  '--version': askedVersion,
  '--release-id': z.string().min(1).max(256).optional(),
  '--yes': yes,
  '--wait': z.boolean().default(false),
});

/**
 * `steproll release publish`: announces that a version exists, for a listener or a stack to roll it. With `--wait` it
 * answers the exit code of the rollout that the release starts.
 */
export async function releasePublish(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, withGroup(invocation));
  const { 'runtime-id': runtimeId, '--version': version } = options;
  const { '--release-id': releaseId = randomUUID() } = options;
  const group = groupNameOf(runtimeId);
  const subject = group === null ? { runtimeId } : { group };
  const { rolloutId, result } = await publish({ ...subject, version, releaseId }, options);
  const what = `Published release ${releaseId}: ${runtimeId}, ${describeWanted(wantedOf({ version }))}.`;
  const then =
    result === 'duplicate'
      ? 'It starts nothing, because it was rolled before, by this rollout:'
      : 'It starts this rollout, if nothing speaks against it:';
  if (options['--wait']) {
    const told = result === 'duplicate' ? `${what} ${then}` : what;
    process.stderr.write(`${plainLines(told)}\nRollout ${rolloutId}\n`);
    return waitFor(rolloutId, releaseId, options);
  }
  const lines = [`${what} ${then}`, `  ${watchCommand(rolloutId, options)}`];
  printTold({ rolloutId, releaseId, runtimeId, version, result }, lines.map(plainText), options);
  return ExitCode.Done;
}

/**
 * Sends the release to where the engine takes releases. No ledger is opened for this.
 *
 * @throws what `publishToListener` throws, `StackNotFound`, `AwsUnavailable`, `EventsUnavailable`.
 */
async function publish(release: Release, options: EngineOptions): Promise<PublishedRelease> {
  if (options['--engine'] === 'aws') return (await openAwsEngine(options)).publish(release);
  return publishToListener(readEnvironment().stateDirectory, {
    source: RELEASE_EVENT.source,
    'detail-type': RELEASE_EVENT.detailType,
    detail: release,
  });
}

type Options = z.output<typeof optionsSchema>;

function waitFor(sent: string, releaseId: string, options: Options): Promise<number> {
  const { 'runtime-id': runtimeId, '--version': version } = options;
  const key = releaseOf({ kind: 'release', releaseId, runtimeId, wanted: { version } }) ?? '';
  const wish = { release: hashOfRelease(key), at: systemClock.now() };
  return withHistory(options, (engine) => {
    const { ledger, describeWaiting } = engine;
    const watch = (rolloutId: string) =>
      watchRollout({
        ...{ ...engine, rolloutId, how: options, asked: { runtimeId, version } },
        describeWaiting: describeRelease(
          () => describeWaiting(rolloutId),
          systemClock,
          async () => (rolloutId === sent ? ledger.findTaker(wish, systemClock.now()) : null),
        ),
        abandonedMs: RESTART_MS,
      });
    return watch(sent).catch((error: unknown) => {
      if (!(error instanceof RolledBefore) || error.rolloutId === sent) throw error;
      process.stderr.write(plainLines(`${error.message}\n`));
      return watch(error.rolloutId);
    });
  });
}

/** The release that was sent starts nothing, because this rollout has rolled it. */
class RolledBefore extends Error {
  readonly rolloutId: string;

  constructor(rolloutId: string) {
    super(`The release starts nothing: it was rolled already, by rollout ${rolloutId}`);
    this.rolloutId = rolloutId;
  }
}

/** A listener that was killed is started again within this time by whatever looks after it. */
const RESTART_MS = 60_000;

/** A release takes a rule, a cold function and a start of an execution to become a rollout. */
const ON_ITS_WAY_MS = 60_000;

/** One that is there by then was not started by it. Before that, the rollout of the release may be about to begin. */
const STARTED_MS = 10_000;

/**
 * What is known of the rollout of a release that was just sent, and that nobody may know yet.
 *
 * @param findTaker The rollout that has rolled the release before.
 * @throws `RolledBefore`, `NeverBegun` when nothing has come of the release for a minute, and what `describe` throws.
 */
export function describeRelease(
  describe: () => Promise<string | null>,
  clock: Pick<Clock, 'now'>,
  findTaker: () => Promise<string | null>,
): () => Promise<string | null> {
  const since = clock.now();
  return async () => {
    const known = await describe();
    if (known !== null) return known;
    const taker = clock.now() < since + STARTED_MS ? null : await findTaker();
    if (taker !== null) throw new RolledBefore(taker);
    if (clock.now() < since + ON_ITS_WAY_MS)
      return 'The release is sent. It has started no rollout yet.';
    throw new NeverBegun(
      { outcome: 'Errored', reason: ErrorName.RolloutNotFound },
      `The release was sent, and has started no rollout for ${ON_ITS_WAY_MS / 1000} s.`,
    );
  };
}
