import { describe, expect, test } from '@jest/globals';
import type { GateReading } from '../../../lib/domain/rollout/gates.ts';
import { stillRed, thatCount } from '../../../lib/domain/wave/red-at-start.ts';

function alarm(name: string, verdict: GateReading['verdict']): GateReading {
  return { kind: 'alarm', name, verdict, detail: '' };
}

const NOS = [
  alarm('old', 'fail'),
  alarm('new', 'fail'),
  { ...alarm('old', 'fail'), kind: 'metric' },
];

describe('a gate that was red at the start', () => {
  test('stays so until it says yes: silence is none, and another one’s yes neither', () => {
    const red = ['alarm a', 'alarm b', 'alarm c'];
    const readings = [
      ...[alarm('a', 'fail'), alarm('b', 'unknown'), alarm('c', 'pass')],
      { ...alarm('a', 'pass'), kind: 'metric' },
    ];

    expect(stillRed(red, readings)).toEqual(['alarm a', 'alarm b']);
    expect(stillRed(red, [])).toEqual(red);
  });

  test('has a no that does not count while the wave bakes; every other answer counts', () => {
    expect(thatCount(NOS, ['alarm old'], false)).toEqual(NOS.slice(1));
    const silent = [alarm('old', 'unknown')];
    expect(thatCount(silent, ['alarm old'], false)).toEqual(silent);
  });

  test('counts when the bake is over', () => {
    expect(thatCount(NOS, ['alarm old'], true)).toEqual(NOS);
  });

  test('counts once it was green, also when it is red again', () => {
    const red = stillRed(['alarm old'], [alarm('old', 'pass')]);
    expect(thatCount(NOS, red, false)).toEqual(NOS);
  });
});
