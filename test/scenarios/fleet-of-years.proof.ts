import { describe, expect, test } from '@jest/globals';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { isSent, isWrite } from '../../lib/rehearsal/calls.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import { realGrounds } from '../support/real-grounds.ts';
import { RUNTIME, type Run, runScenario, type Stage } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';

// One fleet through three releases of a season: rings, windows over the change of the clock, a late endpoint, and a pin.

const TIERS = ['free', 'pro', 'internal', 'enterprise'];
const FLEET = Array.from({ length: 300 }, (_, index) => ({
  name: `web-${index + 1}`,
  attributes: { tier: TIERS[index % TIERS.length] ?? '' },
}));
const tierOf = new Map(FLEET.map(({ name, attributes }) => [name, attributes.tier]));

/** In Berlin, the last Sunday of March has no hour from 2 to 3, so this window is two hours long: 0 to 2 o'clock in UTC. */
const NIGHT = { days: ['sun'], from: '01:00', to: '04:00', timeZone: 'Europe/Berlin' } as const;
const CHANGE = Date.parse('2026-03-29T01:00:00Z');
const HOUR_MS = 3_600_000;
const isOpen = (at: number) => at >= CHANGE - HOUR_MS && at < CHANGE + HOUR_MS;

const POLICY = {
  bakeSeconds: 1_500,
  maxUnavailable: { percent: 100 },
  waves: [
    { where: { tier: 'internal' }, endpoints: 5 },
    { where: { tier: 'internal' } },
    { where: { tier: ['free', 'pro'] } },
    { percent: 100 },
  ],
} satisfies Partial<RolloutPolicy>;

const START = Date.parse('2026-01-01T00:00:00Z');
const secondsTo = (time: string) => (Date.parse(time) - START) / 1000;

/** A timer of Node takes at most 24 days. */
async function untilTime({ until }: Pick<Stage, 'until'>, time: string) {
  for (let second = 0; second < secondsTo(time); second += 20 * 86_400) await until(second);
  await until(secondsTo(time));
}

const rolls = ({ calls }: Run) =>
  calls.filter(isWrite).filter((call) => isSent(call) && call.operation === 'roll');

/** The rings in which endpoints were rolled, one after the other. */
function ringsOf({ rolled }: Run): readonly string[] {
  const tiers = rolled.map((name) => tierOf.get(name) ?? 'late');
  return tiers.filter((tier, index) => tier !== tiers[index - 1]);
}

describe.each<[string, () => Grounds]>([
  ['in one process', rehearsalGrounds],
  ['with the real ledger, on the other engine', realGrounds],
])('a fleet of 300 endpoints through three releases, %s', (_, grounds) => {
  test('goes ring by ring, by the clock on the wall, and leaves alone what it has to', async () => {
    const later: Run[] = [];
    const first = await runScenario({
      ...{ endpoints: FLEET, policy: POLICY, grounds },
      beside: async (stage) => {
        await untilTime(stage, '2026-03-28T20:00:00Z');
        const pinned = { runtimeId: RUNTIME, endpointId: stage.idOf('web-7') };
        const at = scenarioNow();
        const pin = { id: 'p1', kind: 'pin', scope: pinned, by: 'ann', reason: 'debugging' };
        await stage.ledger.addHold({ ...pin, at, until: null }, at);
        const bound = { ...POLICY, windowsBind: 'rolls' as const, windows: [NIGHT] };
        const [second] = await Promise.all([
          stage.start('rollout-2', { policy: bound, input: { version: 3 } }),
          untilTime(stage, '2026-03-29T00:10:00Z').then(() => {
            stage.world.create(RUNTIME, { name: 'web-late', version: 1 });
          }),
        ]);
        later.push(second);
        later.push(await stage.start('rollout-3', { policy: POLICY, input: { version: 4 } }));
      },
    });
    const [second, third] = later as [Run, Run];

    for (const run of [first, second, third]) {
      expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    }
    expect(ringsOf(first).slice(0, 1)).toEqual(['internal']);
    expect(ringsOf(second)).toEqual(ringsOf(first));
    expect(rolls(second).filter(({ at }) => !isOpen(at))).toEqual([]);
    // The fourth wave comes after the hour that is not there.
    expect(rolls(second).some(({ at }) => at < CHANGE)).toBe(true);
    expect(rolls(second).some(({ at }) => at >= CHANGE)).toBe(true);
    expect([...second.rolled, ...third.rolled]).not.toContain('web-7');
    expect(first.endpoints.get('web-7')?.liveVersion).toBe(2);
    expect(second.rolled).not.toContain('web-late');
    expect(third.rolled.at(-1)).toBe('web-late');
  });
});
