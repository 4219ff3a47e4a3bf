import { describe, expect, test } from '@jest/globals';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { runScenario, type ScenarioResult, type Script } from '../support/run-scenario.ts';

/** Two waves of one: small enough to die at every single point of it. */
const SMALL: Script = {
  endpoints: 2,
  rollSeconds: 20,
  policy: { waves: [{ endpoints: 1 }, { percent: 100 }], pollSeconds: 30 },
};
const STUCK: Script = { ...SMALL, broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }] };
const REGRESS: Script = {
  ...SMALL,
  broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 120 }],
};

describe.each([
  ['a success', SMALL],
  ['a stalled wave', STUCK],
  ['a regress', REGRESS],
])('X04, X05: %s', (_what, script) => {
  test.each(['before', 'after'] as const)(
    'a step dies %s each of its calls of the ledger and runs again: the end is the same',
    async (when) => {
      const plain = await runScenario(script);
      const deaths = await everyDeath(script, when, 'Lambda.ServiceException');

      expect(deaths.length).toBeGreaterThan(20);
      const ends = deaths.map(({ death, run }) => ({ death, ...endOf(run) }));
      expect(ends).toEqual(ends.map(({ death }) => ({ death, ...endOf(plain) })));
    },
  );

  // The workflow does not run a step again that writes and was killed.
  test.each(['before', 'after'] as const)(
    'a step is killed %s each of its calls of the ledger: the end is as good, or says that it is not',
    async (when) => {
      const plain = await runScenario(script);
      const deaths = await everyDeath(script, when, 'Lambda.Unknown');

      const ends = deaths.map(({ death, run }) => ({ death, ...run.outcome, message: '' }));
      expect(ends).toEqual(
        deaths.map(({ death, run }) => ({
          death,
          ...plain.outcome,
          cleanup: cleanupOf(run, plain),
          message: '',
        })),
      );
    },
  );
});

/** The same rollout once for each call of its ledger, dying at that one. */
async function everyDeath(script: Script, when: Death['when'], error: string) {
  const deaths: { death: Death; run: ScenarioResult }[] = [];
  const points = await countPoints(script);
  for (let point = 1; point <= points; point++) {
    const death = { point, when, error };
    const run = await runScenario({ ...script, ledger: (ledger) => mortal(ledger, death) });
    deaths.push({ death, run });
  }
  return deaths;
}

/** The outcome, and what became of the endpoints. A roll in doubt may be sent a second time. */
function endOf({ outcome, rolled, stopped, endpoints }: ScenarioResult) {
  const lives = endpointNames(1, 2).map((name) => {
    const { targetVersion, liveVersion, status } = endpoints.get(name) ?? {};
    return { targetVersion, liveVersion, status };
  });
  return { outcome, rolled: new Set(rolled), stopped, lives };
}

/** Nothing is claimed that the journal does not know of. */
function cleanupOf({ record }: ScenarioResult, plain: ScenarioResult): string {
  if (plain.outcome.cleanup !== 'stopped') return plain.outcome.cleanup;
  const isKnown = record?.journal.some(
    ({ operation, result }) => operation === 'stop' && result === 'accepted',
  );
  return isKnown ? 'stopped' : 'incomplete';
}

async function countPoints(script: Script): Promise<number> {
  let points = 0;
  await runScenario({
    ...script,
    ledger: (ledger) =>
      watched(ledger, async (call) => {
        points += 1;
        return call();
      }),
  });
  return points;
}

interface Death {
  /** 1-based: the call of the ledger at which it dies. */
  readonly point: number;
  /** What the state machine is told. */
  readonly error: string;
  /** Whether the ledger has carried that call out. */
  readonly when: 'before' | 'after';
}

/** Kills one step at one of its calls. The first call of a step's run is to open or to read. */
function mortal(ledger: Ledger, { point, error, when }: Death): Ledger {
  let calls = 0;
  let isDead = false;
  return watched(ledger, async (call, name) => {
    calls += 1;
    const isTheEnd = calls === point;
    if (name === 'open' || name === 'read') isDead = false;
    if (isDead || (isTheEnd && when === 'before')) {
      isDead = true;
      throw named(error);
    }
    const answer = await call();
    isDead = isTheEnd;
    if (isDead) throw named(error);
    return answer;
  });
}

function named(name: string): Error {
  return Object.assign(new Error('The process is gone.'), { name });
}

type Watch = <T>(call: () => Promise<T>, name: keyof Ledger) => Promise<T>;

function watched(ledger: Ledger, watch: Watch): Ledger {
  return {
    open: (...args) => watch(() => ledger.open(...args), 'open'),
    renew: (...args) => watch(() => ledger.renew(...args), 'renew'),
    freezePlan: (...args) => watch(() => ledger.freezePlan(...args), 'freezePlan'),
    append: (...args) => watch(() => ledger.append(...args), 'append'),
    saveProgress: (...args) => watch(() => ledger.saveProgress(...args), 'saveProgress'),
    read: (...args) => watch(() => ledger.read(...args), 'read'),
    close: (...args) => watch(() => ledger.close(...args), 'close'),
  };
}
