import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { publishToListener } from '../../adapters/listener/publish-to-listener.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import { runtimeIdSchema } from '../../contract/parsing/checks.ts';
import { ErrorName } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { RELEASE_EVENT, type Release } from '../../domain/trigger/release.ts';
import type { Clock } from '../../ports/clock.ts';
import { wantedOf } from '../../steps/opening/asked-request.ts';
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
import { plainLines, plainText } from '../terminal/text.ts';
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
  if (options['--wait']) {
    process.stderr.write(`${plainLines(what)}\nRollout ${rolloutId}\n`);
    return withHistory(options, ({ ledger, describeWaiting, isAbandoned }) =>
      watchRollout({
        ...{ rolloutId, ledger, isAbandoned, how: options, asked: { runtimeId, version } },
        describeWaiting: describeSent(() => describeWaiting(rolloutId), systemClock),
        abandonedMs: RESTART_MS,
      }),
    );
  }
  const then =
    result === 'duplicate'
      ? 'It starts nothing, because it was rolled before, by this rollout:'
      : 'It starts this rollout, if nothing speaks against it:';
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

/** A listener that was killed is started again within this time by whatever looks after it. */
const RESTART_MS = 60_000;

/** A release takes a rule, a cold function and a start of an execution to become a rollout. */
const ON_ITS_WAY_MS = 60_000;

/**
 * What is known of the rollout of a release that was just sent, and that nobody may know yet.
 *
 * @throws `NeverBegun` when nothing has come of the release for a minute, and what `describe` throws.
 */
export function describeSent(
  describe: () => Promise<string | null>,
  clock: Pick<Clock, 'now'>,
): () => Promise<string | null> {
  const until = clock.now() + ON_ITS_WAY_MS;
  return async () => {
    const known = await describe();
    if (known !== null) return known;
    if (clock.now() < until) return 'The release is sent. It has started no rollout yet.';
    throw new NeverBegun(
      { outcome: 'Errored', reason: ErrorName.RolloutNotFound },
      `The release was sent, and has started no rollout for ${ON_ITS_WAY_MS / 1000} s. A stack with triggers.once starts none for a release that was rolled before: steproll rollout list tells.`,
    );
  };
}
