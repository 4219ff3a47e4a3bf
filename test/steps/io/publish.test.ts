import { describe, expect, test } from '@jest/globals';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import { publishEvent, publishOverdue, publishRest } from '../../../lib/steps/io/publish.ts';
import { AT, everyEvent } from '../../domain/events/examples.ts';
import { NOW, onStage, type Stage } from '../stage.ts';

const ID = 'rollout-1';
const EVENTS = everyEvent().slice(0, -1);
const [START, WAVE, CONVERGED] = EVENTS as [RolloutEvent, RolloutEvent, RolloutEvent];
const OUTCOME: Outcome = {
  ...{ outcome: 'Failed', cleanup: 'none', reason: 'Stalled', message: 'It stalled.' },
};
const END_ID = 'rollout-1/9-ended';

const idsOf = (events: readonly RolloutEvent[]) => events.map(({ eventId }) => eventId);

/** Tells what happened as a step does, which reads the record first. */
async function tellNow(stage: Stage, event: RolloutEvent) {
  return publishEvent(event, await stage.read(), stage.lease, stage.ports);
}

describe('tell', () => {
  test('the ledger has it, and then the bus', async () => {
    await onStage({}, async (stage) => {
      const { ledger, events } = stage.ports;
      const publish = async (event: RolloutEvent) => {
        expect((await stage.read()).unsent).toEqual([START.eventId]);
        await events.publish(event);
      };
      const ports = { ledger, events: { publish } };

      expect(await publishEvent(START, await stage.read(), stage.lease, ports)).toEqual({
        events: [START],
        unsent: [],
      });

      expect(stage.told).toEqual([START]);
      expect(await stage.read()).toMatchObject({ events: [START], unsent: [] });
    });
  });

  test('A14: what the bus does not take is kept, and nothing is thrown', async () => {
    await onStage({}, async (stage) => {
      stage.isBusDown = true;

      expect(await tellNow(stage, START)).toEqual({ events: [START], unsent: [START.eventId] });

      expect((await stage.read()).unsent).toEqual([START.eventId]);
      expect(stage.told).toEqual([]);
    });
  });

  test('A14: it goes out before the next event, in its order and under its id', async () => {
    await onStage({}, async (stage) => {
      stage.isBusDown = true;
      await tellNow(stage, START);
      await tellNow(stage, WAVE);
      stage.isBusDown = false;

      expect((await tellNow(stage, CONVERGED)).unsent).toEqual([]);

      expect(stage.told).toEqual([START, WAVE, CONVERGED]);
      expect((await stage.read()).unsent).toEqual([]);
    });
  });

  test('A14: where the bus takes the first one alone, the others wait in their order', async () => {
    await onStage({}, async (stage) => {
      stage.isBusDown = true;
      await tellNow(stage, START);
      await tellNow(stage, WAVE);
      stage.isBusDown = false;
      const { ledger, events } = stage.ports;
      const publish = async (event: RolloutEvent) => {
        await events.publish(event);
        stage.isBusDown = true;
      };

      const told = await publishEvent(CONVERGED, await stage.read(), stage.lease, {
        ledger,
        events: { publish },
      });

      expect(stage.told).toEqual([START]);
      expect(told.unsent).toEqual(idsOf([WAVE, CONVERGED]));
      expect((await stage.read()).unsent).toEqual(told.unsent);
    });
  });

  test('the same decision, made again, is told once', async () => {
    await onStage({}, async (stage) => {
      const told = await tellNow(stage, START);
      const again = await tellNow(stage, { ...START, at: NOW + 1 });

      expect(again).toEqual(told);
      expect(stage.told).toEqual([START]);
    });
  });

  test('two in one step, without a read in between: what the first left behind goes with the second', async () => {
    await onStage({}, async (stage) => {
      stage.isBusDown = true;
      const told = await tellNow(stage, START);
      stage.isBusDown = false;

      expect(await publishEvent(WAVE, told, stage.lease, stage.ports)).toEqual({
        events: [START, WAVE],
        unsent: [],
      });

      expect(stage.told).toEqual([START, WAVE]);
    });
  });

  test('X03: LeaseLost: after a take-over nothing is told', async () => {
    await onStage({}, async (stage) => {
      const record = await stage.read();
      await stage.ports.ledger.close(ID, OUTCOME, NOW);

      await expect(publishEvent(START, record, stage.lease, stage.ports)).rejects.toMatchObject({
        name: 'LeaseLost',
      });
      expect(stage.told).toEqual([]);
    });
  });

  test('what is no refusal of the bus is thrown', async () => {
    await onStage({}, async (stage) => {
      const bug = new TypeError('message is undefined');
      const ports = { ...stage.ports, events: { publish: () => Promise.reject(bug) } };

      await expect(publishEvent(START, await stage.read(), stage.lease, ports)).rejects.toBe(bug);
    });
  });
});

describe('publishRest', () => {
  /** A rollout that was closed while the bus was down. */
  const closedInSilence = async (stage: Stage) => {
    stage.isBusDown = true;
    for (const event of EVENTS) await tellNow(stage, event);
    await stage.ports.ledger.close(ID, OUTCOME, NOW);
    stage.isBusDown = false;
  };

  test('A14: tells everything that is left, in order, the end last and with the stored outcome', async () => {
    await onStage({}, async (stage) => {
      await closedInSilence(stage);

      expect(await publishRest(ID, stage.ports)).toBeNull();

      expect(stage.told.slice(0, -1)).toEqual(EVENTS);
      expect(stage.told.at(-1)).toMatchObject({ kind: 'ended', at: NOW, ...OUTCOME_FIELDS });
      expect((await stage.read()).unsent).toEqual([]);
    });
  });

  test('A10: told once more it tells nothing', async () => {
    await onStage({}, async (stage) => {
      await closedInSilence(stage);
      await publishRest(ID, stage.ports);
      const before = stage.told.length;

      expect(await publishRest(ID, stage.ports)).toBeNull();

      expect(stage.told).toHaveLength(before);
    });
  });

  test('A14: answers why the bus did not take all of it, and keeps it', async () => {
    await onStage({}, async (stage) => {
      await closedInSilence(stage);
      stage.isBusDown = true;

      expect(await publishRest(ID, stage.ports)).toMatchObject({
        name: 'EventsUnavailable',
        message: 'Down.',
      });

      expect((await stage.read()).unsent).toEqual([...idsOf(EVENTS), END_ID]);
    });
  });

  test('A14: a process that dies before it has said what was sent leads to the same ids once more', async () => {
    await onStage({}, async (stage) => {
      await closedInSilence(stage);
      const { ledger, events } = stage.ports;
      const death = new Error('The process is gone.');
      const dying = { ...ledger, markSent: () => Promise.reject(death) };
      await expect(publishRest(ID, { ledger: dying, events })).rejects.toBe(death);
      const first = idsOf(stage.told);

      await publishRest(ID, stage.ports);

      expect(idsOf(stage.told)).toEqual([...first, ...first]);
    });
  });

  test.each([
    ['of a minute ago, which may be on its way, waits', 60_000, 0],
    ['that is older is told', 60_001, EVENTS.length],
  ])('what is left %s', async (_, later, told) => {
    await onStage({}, async (stage) => {
      stage.isBusDown = true;
      for (const event of EVENTS) await tellNow(stage, event);
      stage.isBusDown = false;

      stage.now = AT + later;

      expect(await publishOverdue(ID, stage.ports)).toBeNull();

      expect(stage.told).toHaveLength(told);
    });
  });
});

const OUTCOME_FIELDS = { outcome: 'Failed', cleanup: 'none', reason: 'Stalled' };
