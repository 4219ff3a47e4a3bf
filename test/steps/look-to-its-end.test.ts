import { expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { look } from '../../lib/steps/look.ts';
import { endpoint, line, live, planOf, progressOf } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

// Whatever lists and gates say in turn, a look follows that ends the wave, and none does before its time.

const THERE = { state: 'converged', reads: 2, hadTarget: true } as const;
const CLOCK = { at: NOW, watched: 500_000 };
const AWAY = new SteprollError(ErrorName.UpstreamTimeout, 'slow');
const MOST_LOOKS = 2_000;

type List = readonly Endpoint[] | SteprollError;

/** Looks as long as the wave waits. @param listAt What the list says at each look. */
async function lookOn(
  stage: Stage,
  listAt: (look: number) => List | Promise<List>,
  ports = stage.ports,
) {
  let position = stage.position({ next: 'look-bake', waitSeconds: 60 });
  let looks = 0;
  for (; position.next.startsWith('look-') && looks < MOST_LOOKS; looks += 1) {
    stage.now += position.waitSeconds * 1000;
    stage.list = await listAt(looks);
    position = await look(position, ports);
  }
  return { position, looks, seconds: (stage.now - NOW) / 1000 };
}

const { ids: _ids, ...plan } = planOf([3, 1], { maxUnavailable: 3 });
const fleet = (third: Endpoint) => [live('web-1'), live('web-2'), third, endpoint('web-4')];
const OK = fleet(live('web-3'));
const FAILED = fleet(live('web-3', { status: 'FAILED' }));
const MOVING = fleet(live('web-3', { status: 'UPDATING', liveVersion: 2 }));
const MUTE = fleet(live('web-3', { targetVersion: null, liveVersion: null }));

const inTurn = (lists: readonly List[]) => (at: number) => lists[at % lists.length] ?? OK;

/** A wave of three that has just converged, of which one may be lost. */
async function baking(lists: readonly List[]) {
  let ended: Awaited<ReturnType<typeof lookOn>> | undefined;
  const policy = { pollSeconds: 7, failureThreshold: { endpoints: 1 } };
  const observations = [THERE, THERE, THERE];
  const times = { bakedMs: 0, readAt: NOW, clock: CLOCK, furthest: 12 };
  await onStage({ plan, progress: progressOf(0, observations, times), policy }, async (stage) => {
    const rolled = ['web-1', 'web-2', 'web-3'].map((id) => line('roll', id, 'accepted'));
    await stage.ports.ledger.append(stage.lease, rolled);
    ended = await lookOn(stage, inTurn(lists));
  });
  return ended;
}

test.each<[string, readonly List[]]>([
  ['cannot be read at every other look', [AWAY, OK]],
  ['shows a loss that is tolerated again and again', [FAILED, FAILED, MOVING]],
  ['tells no versions at every third look', [MUTE, OK, OK]],
  ['shows an old answer at every other look', [MOVING, OK]],
  ['shows an old answer at every third look', [MOVING, OK, OK]],
])('a bake comes to its end although the list %s', async (_, lists) => {
  const ended = await baking(lists);

  expect(ended?.position.next).toMatch(/^(roll|close|contain)$/);
  expect(ended?.looks).toBeLessThan(MOST_LOOKS);
});

test('the first no of a gate is confirmed, however long nothing could be asked before it', async () => {
  const verify = { probe: null, alarms: ['errors'], metrics: [], approval: null };
  const policy = { pollSeconds: 7, onFailure: 'roll-back', verify } as const;
  const observations = [THERE, THERE, THERE];
  const times = { bakedMs: 300_000, readAt: NOW, clock: CLOCK, furthest: 12 };
  await onStage({ plan, progress: progressOf(0, observations, times), policy }, async (stage) => {
    const rolled = ['web-1', 'web-2', 'web-3'].map((id) => line('roll', id, 'accepted'));
    await stage.ports.ledger.append(stage.lease, rolled);
    let asked = 0;
    const alarm = async () => {
      asked += 1;
      return { verdict: asked === 1 ? 'unknown' : 'fail', detail: 'ALARM' } as const;
    };
    const isAway = async (at: number) => {
      const { progress } = await stage.read();
      return at > 0 && (progress?.silentMs ?? 0) < 592_000;
    };
    const { position } = await lookOn(stage, async (at) => ((await isAway(at)) ? AWAY : OK), {
      ...stage.ports,
      gates: { ...stage.ports.gates, alarm },
    });

    expect(position).toMatchObject({ next: 'contain', ending: { reason: 'GateFailed' } });
  });
});
