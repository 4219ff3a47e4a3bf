import { expect, test } from '@jest/globals';
import { showRollout } from '../../../lib/cli/rollout/run.ts';
import type { Screen } from '../../../lib/cli/terminal/screen.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../../lib/domain/errors.ts';
import { watchedLedger } from '../../../lib/rehearsal/mortal-ledger.ts';
import { onHostStage, triggered } from '../../embedded/host-stage.ts';

const unavailable = () => new SteprollError(ErrorName.LedgerUnavailable, 'It is locked.');

/** Runs a new rollout whose ledger is away from its first call until then, and tells when it was given up. */
function begin(isAway: (call: string, seconds: number) => boolean) {
  return onHostStage({}, async ({ context, calls }) => {
    const startedAt = Date.now();
    const seconds = () => (Date.now() - startedAt) / 1000;
    const ledger = watchedLedger(context.ledger, async (call, name) => {
      if (isAway(name, seconds())) throw unavailable();
      return call();
    });
    const lines: string[] = [];
    const screen: Screen = {
      ...{ isLive: false, columns: 200, rows: 24 },
      line: (text) => lines.push(text),
      frame: () => undefined,
      endFrame: () => undefined,
      style: (_, text) => text,
    };
    const unnoted = new AbortController();
    const run = {
      rolloutId: 'first',
      input: triggered('shop', 2),
      context: { ...context, ledger },
    };
    const end = await showRollout(run, screen, undefined, undefined, unnoted).then(
      ({ outcome }) => outcome.outcome,
      errorNameOf,
    );
    const writes = calls.filter(({ operation }) => operation !== 'list').length;
    return { end, seconds: seconds(), isUnnoted: unnoted.signal.aborted, writes, lines };
  });
}

test.each<[string, (call: string) => boolean]>([
  ['a ledger that is locked', () => true],
  ['a ledger that can be read and not written', (call) => call !== 'read'],
])('L06: a rollout that %s cannot note begins within 30 s or not at all', async (_, isAway) => {
  const { end, seconds, isUnnoted, writes, lines } = await begin(isAway);
  expect({ end, isUnnoted, writes }).toEqual({
    end: 'LedgerUnavailable',
    isUnnoted: true,
    writes: 0,
  });
  expect(seconds).toBeGreaterThanOrEqual(30);
  expect(seconds).toBeLessThan(32);
  expect(lines.join('\n')).toContain('It is locked.');
});

test('L06: a rollout whose ledger is back within 30 s goes on to its end', async () => {
  const { end, isUnnoted } = await begin((_, seconds) => seconds < 20);
  expect({ end, isUnnoted }).toEqual({ end: 'Succeeded', isUnnoted: false });
});

test('L06: a rollout that the ledger knows is not given up so soon', async () => {
  const { end, isUnnoted } = await begin((_, seconds) => seconds > 5 && seconds < 50);
  expect({ end, isUnnoted }).toEqual({ end: 'Succeeded', isUnnoted: false });
});
