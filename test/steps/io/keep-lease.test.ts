import { expect, test } from '@jest/globals';
import { keepLease } from '../../../lib/steps/io/take-up.ts';
import { NOW, onStage } from '../stage.ts';

const SECOND = 1000;

test.each([
  ['at once', 0, 0],
  ['just before its proof is too old', 9.9, 0],
  ['once its proof is too old', 10, 1],
  ['after a clock that went back', -1, 1],
])('a lease is proven %s: %p s later, %p renewals', (_, seconds, renewals) =>
  onStage({}, async (stage) => {
    const keep = keepLease(stage.lease, NOW, stage.ports);
    stage.now = NOW + seconds * SECOND;
    await keep();
    await keep();

    expect(stage.renewals).toHaveLength(renewals);
  }),
);

test('X03: a lease that is lost in the midst of a batch stops the writes', () =>
  onStage({}, async (stage) => {
    const keep = keepLease({ ...stage.lease, epoch: 0 }, NOW, stage.ports);
    stage.now = NOW + 11 * SECOND;

    await expect(keep()).rejects.toMatchObject({ name: 'LeaseLost' });
  }));

test('X03: a lease is proven once more when the process stood still while it was proven', () =>
  onStage({}, async (stage) => {
    const { ledger } = stage.ports;
    let stalls = 1;
    const renew: typeof ledger.renew = async (...args) => {
      const holds = await ledger.renew(...args);
      stage.now += stalls-- > 0 ? 400 * SECOND : 0;
      return holds;
    };
    const keep = keepLease(stage.lease, NOW - 11 * SECOND, {
      ...stage.ports,
      ledger: { ...ledger, renew },
    });
    await keep();

    expect(stage.renewals).toHaveLength(2);
  }));
