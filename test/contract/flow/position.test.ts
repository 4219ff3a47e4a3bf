import { describe, expect, test } from '@jest/globals';
import {
  type Batch,
  POSITION_VERSION,
  type Position,
  parseBatch,
  parseClose,
  parsePosition,
} from '../../../lib/contract/flow/position.ts';
import { fromTomorrow } from '../../support/from-tomorrow.ts';

const BATCH: Batch = {
  schemaVersion: POSITION_VERSION,
  rolloutId: 'rollout-1',
  runtimeId: 'shop',
  epoch: 4,
  direction: 'forward',
  from: 0,
  to: 10,
};
const POSITION: Position = {
  schemaVersion: POSITION_VERSION,
  rolloutId: 'rollout-1',
  runtimeId: 'shop',
  epoch: 4,
  direction: 'forward',
  wave: 2,
  next: 'contain',
  onFailure: 'stop-old',
  waitSeconds: 5,
  looks: 3,
  batches: [BATCH],
  oldEndpoints: 10,
  ending: { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' },
  execution: { number: 1, startedAt: 1_795_219_200_000, events: 107 },
  handOver: null,
};
const incompatible = expect.objectContaining({
  name: 'IncompatibleState',
  cause: expect.objectContaining({ name: 'InvalidInput' }),
});

/** The same, without one of its fields. */
function without(value: object, field: string): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== field));
}

describe('a position', () => {
  test('is read as it was written', () => {
    expect(parsePosition(JSON.parse(JSON.stringify(POSITION)))).toEqual(POSITION);
    expect(parsePosition({ ...POSITION, ending: null })).toEqual({ ...POSITION, ending: null });
  });

  test('may be one of the way back', () => {
    const back = { ...POSITION, direction: 'back', batches: [{ ...BATCH, direction: 'back' }] };
    expect(parsePosition(back)).toEqual(back);
  });

  test('A11: is read without the fields that this version does not know', () => {
    expect(parsePosition(fromTomorrow(POSITION))).toEqual(POSITION);
  });

  test.each<[string, unknown]>([
    ['an older schema version', { ...POSITION, schemaVersion: 1 }],
    ['a newer schema version', { ...POSITION, schemaVersion: POSITION_VERSION + 1 }],
    ['a direction that this version does not know', { ...POSITION, direction: 'sideways' }],
    ['a failure policy that this version does not know', { ...POSITION, onFailure: 'pray' }],
    ['a way that this version does not know', { ...POSITION, next: 'roll-back' }],
    [
      'an outcome that this version does not know',
      { ...POSITION, ending: { outcome: 'Paused', reason: '', message: '' } },
    ],
    ['a batch of another version', { ...POSITION, batches: [{ ...BATCH, schemaVersion: 1 }] }],
    ['a wave before the first', { ...POSITION, wave: -1 }],
    ['a wait that is no number', { ...POSITION, waitSeconds: '5' }],
    ['a wait back in time', { ...POSITION, waitSeconds: -1 }],
    ['an epoch between two', { ...POSITION, epoch: 1.5 }],
    ['nothing', undefined],
    ['null', null],
  ])('A11: with %s is incompatible', (_, value) => {
    expect(() => parsePosition(value)).toThrow(incompatible);
  });

  const REQUIRED = Object.keys(POSITION).filter((field) => field !== 'onFailure');
  test.each(REQUIRED)('A11: without %s is incompatible', (field) => {
    expect(() => parsePosition(without(POSITION, field))).toThrow(incompatible);
  });
});

describe('a batch', () => {
  test('is read as it was written', () => {
    expect(parseBatch(JSON.parse(JSON.stringify(BATCH)))).toEqual(BATCH);
  });

  test('A11: is read without the fields that this version does not know', () => {
    expect(parseBatch(fromTomorrow(BATCH))).toEqual(BATCH);
  });

  test.each(Object.keys(BATCH))('A11: without %s is incompatible', (field) => {
    expect(() => parseBatch(without(BATCH, field))).toThrow(incompatible);
  });

  test.each<[string, object]>([
    ['ids in place of indexes', { ...without(BATCH, 'from'), endpointIds: ['e1'] }],
    ['a position before the first', { ...BATCH, from: -1 }],
    ['a position between two', { ...BATCH, to: 1.5 }],
    ['an older schema version', { ...BATCH, schemaVersion: 1 }],
    ['a direction that this version does not know', { ...BATCH, direction: 'sideways' }],
  ])('A11: with %s is incompatible', (_, value) => {
    expect(() => parseBatch(value)).toThrow(incompatible);
  });
});

describe('the final state', () => {
  test('may be a whole position', () => {
    expect(parseClose({ rolloutId: 'rollout-1', state: POSITION })).toEqual({
      rolloutId: 'rollout-1',
      state: {
        batches: POSITION.batches.map(() => ({})),
        ending: POSITION.ending,
        next: 'contain',
        epoch: POSITION.epoch,
        execution: POSITION.execution,
        oldEndpoints: 10,
        onFailure: 'stop-old',
      },
    });
  });

  test('may be a position and the error that a step ended with', () => {
    const error = { Error: 'LeaseLost', Cause: 'gone' };
    const { state } = parseClose({ rolloutId: 'rollout-1', state: { ...POSITION, error } });
    expect(state.error).toEqual(error);
  });

  test('may be the input of an execution that failed before it had a position', () => {
    const state = { runtimeId: 'shop', version: 0, error: { Error: 'InvalidInput' } };
    expect(parseClose({ rolloutId: 'rollout-1', state })).toEqual({
      rolloutId: 'rollout-1',
      state: { error: { Error: 'InvalidInput' } },
    });
  });

  test('says nothing where it is no position, so that the error of the step is not lost', () => {
    const ending = { outcome: 'Paused' };
    const state = { ending, next: 7, oldEndpoints: 'many', onFailure: 'pray' };
    expect(parseClose({ rolloutId: 'r', state })).toEqual({
      rolloutId: 'r',
      state: { ending: null, next: undefined, oldEndpoints: undefined, onFailure: undefined },
    });
  });

  test.each<[string, unknown]>([
    ['without a rollout', { state: POSITION }],
    ['without a state', { rolloutId: 'rollout-1' }],
    ['that is nothing', undefined],
  ])('A11: %s is incompatible', (_, value) => {
    expect(() => parseClose(value)).toThrow(incompatible);
  });
});
