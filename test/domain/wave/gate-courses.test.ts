import { expect, test } from '@jest/globals';
import type { AskedReading, GateLine } from '../../../lib/domain/rollout/gates.ts';
import type { WaveProgress } from '../../../lib/domain/rollout/record.ts';
import { tellCourses } from '../../../lib/domain/wave/gate-courses.ts';

const NONE = new Set<string>();
const HOUR = 3_600_000;

const alarm = (name: string, isGreen: boolean): AskedReading => ({
  ...{ kind: 'alarm', name, detail: isGreen ? 'OK' : 'ALARM' },
  verdict: isGreen ? 'pass' : 'fail',
});

type Told = Required<Pick<WaveProgress, 'gateCourses' | 'news'>>;

/** What is known after so many looks, and every line that the log has got. */
function look(times: number, everyMs: number, readingsAt: (look: number) => AskedReading[]) {
  let told: Told = { gateCourses: [], news: [] };
  const log: GateLine[] = [];
  for (let n = 0; n < times; n += 1) {
    const at = { wave: 1, at: n * everyMs };
    const before = { gateCourses: told.gateCourses };
    told = tellCourses(before, readingsAt(n), at, NONE);
    log.push(...told.news.filter((line) => line.kind === 'gate'));
  }
  return { courses: told.gateCourses, log };
}

test('a gate that changes at every look for two days has at most 20 lines and one an hour, and its course in numbers', () => {
  const { courses, log } = look(2_880, 60_000, (n) => [alarm('flaps', n % 3 > 0)]);

  expect(log.length).toBeLessThanOrEqual(20 + 48);
  expect(log.slice(20).every(({ isOneOfMany }) => isOneOfMany)).toBe(true);
  expect(log.slice(20).every(({ at }, n) => at - (log[19 + n]?.at ?? 0) >= HOUR)).toBe(true);
  expect(courses).toMatchObject([
    { gate: 'alarm flaps', asked: 2_880, noes: 960, silent: 0, lastNoAt: 2_877 * 60_000 },
  ]);
});

test('a record stays small, whatever the gates say: 50 gates are told of', () => {
  const names = Array.from({ length: 120 }, (_, n) => `${n} ${'x'.repeat(500)}`);
  const { courses } = look(20, 60_000, (n) =>
    names.map((name, m) => alarm(name, (n + m) % 2 === 0)),
  );

  expect(courses).toHaveLength(50);
  expect(Buffer.byteLength(JSON.stringify(courses))).toBeLessThan(25_000);
});

test('of one metric that is asked about each endpoint there is one course', () => {
  const readings = ['web-1', 'web-2'].map(
    (name, n): AskedReading => ({
      ...{ kind: 'metric', gate: 'Errors', name: `Errors of ${name}`, endpointId: name },
      ...{ verdict: n === 1 ? 'fail' : 'pass', detail: `${n}` },
    }),
  );
  const at = { wave: 1, at: 5 };

  const { gateCourses, news } = tellCourses({}, readings, at, NONE);

  expect(news).toEqual([
    { kind: 'gate', ...at, gate: 'metric Errors', verdict: 'fail', detail: 'Errors of web-2: 1' },
  ]);
  expect(gateCourses).toMatchObject([{ gate: 'metric Errors', asked: 1, noes: 1, since: 5 }]);
});
