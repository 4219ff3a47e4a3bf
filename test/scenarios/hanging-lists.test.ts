import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { EndpointService } from '../../lib/ports/endpoint-service.ts';
import { createWorldService } from '../../lib/rehearsal/service.ts';
import { runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { START, scenarioTime, secondsSinceStart } from '../support/scenario-time.ts';

// A read of a list takes as long as its calls, and that time is no less waited for than the time between two reads.

/** No call is answered within its 10 s. */
async function noAnswer(): Promise<never> {
  await scenarioTime().sleep(10_000);
  throw new SteprollError(ErrorName.UpstreamTimeout, 'no complete answer within 10 s');
}

/** Each page is answered just in time, and there are ever more of them. */
async function noEnd(signal?: AbortSignal): Promise<never> {
  for (;;) {
    signal?.throwIfAborted();
    await scenarioTime().sleep(9_900);
  }
}

type Hang = (signal?: AbortSignal) => Promise<never>;

/** @param from The second from which the lists hang. */
const hangsFrom =
  (from: number, hang: Hang, what: 'list' | 'listVersions'): NonNullable<Script['service']> =>
  (options) => {
    const service = createWorldService(options);
    const hangs: Pick<EndpointService, 'list' | 'listVersions'> = {
      list: (id, signal, of) =>
        what === 'list' && secondsSinceStart() >= from
          ? hang(signal)
          : service.list(id, signal, of),
      listVersions: (id, signal) =>
        what === 'listVersions' && secondsSinceStart() >= from
          ? hang(signal)
          : service.listVersions(id, signal),
    };
    return { ...service, ...hangs };
  };

const ENDED = { outcome: 'Errored', reason: 'UpstreamTimeout' };
const VERSIONS = [{ version: 1 }, { version: 2 }];

describe.each([
  ['whose calls have no answer', noAnswer],
  ['whose pages have no end', noEnd],
])('a list %s', (_, hang) => {
  test.each([
    ['list', 12],
    ['list', 25],
    ['list', 600],
    ['listVersions', 25],
  ] as const)(
    'ends a rollout that has not begun at its deadline and one call (%s, %d s)',
    async (what, progressDeadlineSeconds) => {
      const ends = new Set<number | null>();
      const look = async ({ ledger, until }: Stage) => {
        for (let second = 11; second <= progressDeadlineSeconds; second += 7) {
          await until(second);
          const { wait } = await ledger.read('rollout-1');
          if (wait?.for === 'list') ends.add(((wait.until ?? 0) - START) / 1000);
        }
      };
      const { outcome, seconds } = await runScenario({
        endpoints: 2,
        versions: VERSIONS,
        policy: { progressDeadlineSeconds, pollSeconds: 1 },
        service: hangsFrom(0, hang, what),
        beside: look,
      });

      expect(outcome).toMatchObject(ENDED);
      expect(seconds).toBeGreaterThanOrEqual(progressDeadlineSeconds);
      expect(seconds).toBeLessThanOrEqual(progressDeadlineSeconds + 11);
      // The end that is told does not move away.
      if (hang === noAnswer) expect([...ends]).toEqual([progressDeadlineSeconds]);
    },
  );

  test.each([12, 60, 600])(
    'ends a rollout under way %d s after the last good one and one call, and nothing is stopped',
    async (progressDeadlineSeconds) => {
      const run = await runScenario({
        endpoints: 2,
        policy: { progressDeadlineSeconds, pollSeconds: 1, onFailure: 'roll-back' },
        service: hangsFrom(5, hang, 'list'),
      });

      expect(run.outcome).toMatchObject(ENDED);
      expect(run).toMatchObject({ stopped: [], rolledBack: [] });
      // From the first read that hangs.
      expect(run.seconds).toBeGreaterThanOrEqual(5 + progressDeadlineSeconds);
      expect(run.seconds).toBeLessThanOrEqual(5 + 6 + progressDeadlineSeconds + 11);
    },
  );
});
