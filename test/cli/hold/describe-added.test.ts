import { expect, test } from '@jest/globals';
import { describeAdded } from '../../../lib/cli/hold/add.ts';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { policyOf, recordOf } from '../../domain/examples.ts';

const FREEZE: Hold = {
  ...{ id: 'h1', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching', at: 0 },
  until: 3_600_000,
};

function underWay(windowsBind: RolloutPolicy['windowsBind']) {
  const { request, ...record } = recordOf();
  const policy = policyOf({ windowsBind });
  return { record: { ...record, request: { ...request, policy } }, understands: true, heardBy: 0 };
}

test.each<[readonly RolloutPolicy['windowsBind'][], string]>([
  [[], '0 rollouts under way there go on; nothing starts.'],
  [['start'], '1 rollout under way there goes on; nothing starts.'],
  [['rolls'], '1 rollout under way there rolls nothing more; nothing starts.'],
  [
    ['rolls', 'start', 'start'],
    '3 rollouts under way there go on, of which 1 rolls nothing more; nothing starts.',
  ],
])('a freeze says what becomes of rollouts whose windows bind %j', (bind, says) => {
  expect(describeAdded([FREEZE], bind.map(underWay))[0]).toContain(says);
});

const PIN: Hold = {
  ...FREEZE,
  ...{ kind: 'pin', scope: { runtimeId: 'shop', endpointId: 'ep-1' }, until: null },
};

test.each<[readonly boolean[], string]>([
  [[], 'No rollout is under way there.'],
  [[true], '1 rollout under way there lets go of it, unless it has got there already.'],
  [[false], 'No rollout that is under way there hears it.'],
  [
    [true, false, true],
    '2 rollouts under way there let go of it, unless it has got there already.',
  ],
])('A11: a pin does not say of an older steproll that it lets go: %j', (hears, says) => {
  const affected = hears.map((understands) => ({ ...underWay('start'), understands }));
  const [first, ...others] = describeAdded([PIN], affected);
  expect(first).toContain(says);
  const older = hears.filter((one) => !one);
  expect(others).toEqual(
    older.map(() =>
      expect.stringContaining('an older steproll, and does not hear pins. To end it'),
    ),
  );
});
