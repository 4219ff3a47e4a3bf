import { describe, expect, test } from '@jest/globals';
import { type GateReading, rememberGates } from '../../../lib/domain/rollout/gates.ts';

const KIB = 1024;
const PROBES = new Set(['probe']);

const reading = (
  kind: GateReading['kind'],
  name: string,
  verdict: GateReading['verdict'] = 'pass',
  detail = 'fine',
): GateReading => ({ kind, name, verdict, detail });

const linesOf = (readings: readonly GateReading[]) =>
  rememberGates(2, 7, readings, PROBES).answers.map(
    ({ kind, name, verdict, detail }) => `${kind} ${name}: ${verdict}, ${detail}`,
  );

const many = (kind: GateReading['kind'], count: number) =>
  Array.from({ length: count }, (_, index) => reading(kind, `web-${index}`));

describe('what is kept of the answers of the gates', () => {
  test('is each of them with its words, the worst first, with its wave and its time', () => {
    const readings = [
      reading('probe', 'web-1', 'pass', '200'),
      reading('alarm', 'errors', 'unknown', 'no data'),
      reading('metric', 'Errors', 'fail', '12, above 5'),
    ];
    expect(rememberGates(2, 7, readings, PROBES)).toEqual({
      wave: 2,
      at: 7,
      answers: [readings[2], readings[1], readings[0]],
    });
  });

  test('names few of many endpoints whose probes had the same answer', () => {
    expect(linesOf([...many('probe', 40), reading('probe', 'bad', 'fail', '503')])).toEqual([
      'probe bad: fail, 503',
      'probe web-0, web-1, web-2 and 37 more: pass, fine',
    ]);
    expect(linesOf(many('probe', 3))).toEqual(['probe web-0, web-1, web-2: pass, fine']);
  });

  test('counts what is too much, and loses no answer that is no yes among the many that are', () => {
    const readings = [...many('metric', 10_000), reading('alarm', 'errors', 'fail', 'ALARM')];
    const lines = linesOf(readings);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('alarm errors: fail, ALARM');
    expect(lines.at(-1)).toBe('metric 9981 more: pass, not kept one by one');
  });

  test('is small, however many there are and however long their names are', () => {
    const long = '\ud83d😀'.repeat(500);
    const readings = [...many('probe', 100), ...many('metric', 200)].map((one, index) => {
      return { ...one, name: `${one.name} ${long}`, detail: `${index} ${long}` };
    });
    const bytes = Buffer.byteLength(JSON.stringify(rememberGates(1, 7, readings, PROBES)));
    expect(bytes).toBeLessThan(32 * KIB);
  });
});
