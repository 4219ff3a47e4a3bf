import { expect, test } from '@jest/globals';
import { toldEventOf } from '../../lib/domain/events/told-events.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import type { StartedBy } from '../../lib/domain/rollout/request.ts';
import { createRolloutHost } from '../../lib/embedded/rollout-host.ts';
import { onHostStage } from './host-stage.ts';

test('what the owner of a trigger has to mend is told once a day and runtime, and other refusals to nobody', async () => {
  await onHostStage({}, async ({ context, sleep }) => {
    const ended: RolloutEvent[] = [];
    const events = {
      async publish(event: RolloutEvent) {
        if (event.kind === 'ended') ended.push(event);
      },
    };
    let nobody = { names: ['api-*'], ids: [], exclude: [] };
    const policyOf = (id: string) => ({ ...context.policyOf(id), selection: nobody });
    const host = createRolloutHost({
      context: { ...context, events, policyOf },
      log: () => undefined,
    });
    const refuse = async (
      rolloutId: string,
      kind: StartedBy['kind'],
      runtimeId = 'shop',
      version = 2,
    ) => {
      const startedBy = { kind, name: 'any', at: Date.now() };
      await host.start(rolloutId, { schemaVersion: 1, runtimeId, version, startedBy });
      while (host.isRunning(rolloutId)) await sleep(1);
    };
    await refuse('person', 'person');
    await refuse('nightly', 'schedule');
    await refuse('release', 'release');
    await refuse('other', 'release', 'cart');
    await sleep(24 * 3600);
    await refuse('next-day', 'schedule');
    nobody = { names: [], ids: [], exclude: [] };
    await refuse('far', 'release', 'shop', 5_000);

    expect(ended.map((event) => [event.rolloutId, toldEventOf(event)])).toEqual([
      ['person', 'kept-out'],
      ['nightly', 'ended'],
      ['release', 'kept-out'],
      ['other', 'ended'],
      ['next-day', 'ended'],
      ['far', 'kept-out'],
    ]);
    expect(ended.map((event) => event)).toMatchObject([
      ...Array(5).fill({ outcome: 'Refused', reason: 'EmptyScope' }),
      { outcome: 'Refused', reason: 'VersionStepRefused' },
    ]);
  });
});
