import { expect, test } from '@jest/globals';
import type { AskedReading, GateChange } from '../../../lib/domain/rollout/gates.ts';
import { noteChanges } from '../../../lib/domain/wave/gate-changes.ts';

const NONE = new Set<string>();

const alarm = (name: string, isGreen: boolean): AskedReading => ({
  ...{ kind: 'alarm', name, detail: isGreen ? 'OK' : 'ALARM' },
  verdict: isGreen ? 'pass' : 'fail',
});

test('a record stays small, whatever the gates say: 200 changes, and the last word of each gate is among them', () => {
  const names = Array.from({ length: 120 }, (_, n) => `${n} ${'x'.repeat(500)}`);
  let changes: readonly GateChange[] = [];
  for (let look = 0; look < 20; look += 1) {
    // Gate 7 says the same for ever, and all others change at every look.
    const readings = names.map((name, n) => alarm(name, n === 7 || (look + n) % 2 === 0));
    const wave = 1 + Math.floor(look / 5);
    changes = noteChanges(changes, readings, { wave, at: look }, NONE);
    expect(changes.length).toBeLessThanOrEqual(200);
  }

  expect(Buffer.byteLength(JSON.stringify(changes))).toBeLessThan(100_000);
  const told = new Set(changes.filter(({ wave }) => wave === 4).map(({ gate }) => gate));
  expect(told.size).toBe(50);
  const quiet = changes.filter(({ gate, wave }) => gate.startsWith('alarm 7 ') && wave === 4);
  expect(quiet.map(({ at }) => at)).toEqual([15]);
});

test('of one metric that is asked about each endpoint there is one course', () => {
  const readings = ['web-1', 'web-2'].map(
    (name, n): AskedReading => ({
      ...{ kind: 'metric', gate: 'Errors', name: `Errors of ${name}`, endpointId: name },
      ...{ verdict: n === 1 ? 'fail' : 'pass', detail: `${n}` },
    }),
  );
  const at = { wave: 1, at: 5 };

  expect(noteChanges([], readings, at, NONE)).toEqual([
    { ...at, gate: 'metric Errors', verdict: 'fail', detail: 'Errors of web-2: 1' },
  ]);
});
