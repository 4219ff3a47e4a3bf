import { rehearseMany, seriesOf } from '../../../lib/rehearsal/many.ts';
import { type Summary, summarize } from '../../../lib/rehearsal/summary.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { POLICIES, PROBED_POLICY } from '../policies.ts';

const ENDPOINTS = 12;
const RUNS = 1_000;
/** What is wanted: seconds at p95, and a share of the nights in which a bad version goes live. */
const SENT_BACK_AFTER = 90;
const LIVE_THOUGH_SEEN = 0.02;

/** How a bad version fares with a probe and each preset. Counted, so a busy machine changes nothing. */
export async function benchBadNights(): Promise<readonly string[]> {
  const scenario = parseScenario({
    runtimes: [{ id: 'shop', version: 1, rollSeconds: 60, endpoints: ENDPOINTS }],
  });
  const lines: string[] = [];
  for (const [name, parts] of Object.entries(POLICIES)) {
    const rehearsal = {
      scenario,
      runtimeId: 'shop',
      version: 2,
      policy: { ...PROBED_POLICY, ...parts },
      endpointUrl: 'http://127.0.0.1:8080',
      startsAt: Date.UTC(2026, 0, 1),
    };
    const runs = await rehearseMany(seriesOf(rehearsal, 'few'), { runs: RUNS, seed: 1 });
    lines.push(rowOf(name, summarize(runs).badVersion));
  }
  return [
    `A bad version in ${RUNS} rehearsals with few faults: ${ENDPOINTS} endpoints, a probe, the default failure policy.`,
    `Wanted: sent back after at most ${SENT_BACK_AFTER} s at p95, live though seen in at most ${100 * LIVE_THOUGH_SEEN} % of the nights`,
    '',
    cells([
      '',
      'nights',
      'bad for',
      'seen',
      'after, p50',
      'p95',
      'sent back',
      'after, p50',
      'p95',
      'live seen',
      '',
    ]),
    ...lines,
  ];
}

function rowOf(name: string, badVersion: Summary['badVersion']): string {
  const { runs, p50, seen, seenAfter, sentBack, sentBackAfter, liveThoughSeen } = badVersion;
  const isSoon = sentBackAfter.p95 !== null && sentBackAfter.p95 <= SENT_BACK_AFTER;
  const isMet = isSoon && liveThoughSeen <= LIVE_THOUGH_SEEN * runs;
  return cells([
    name,
    `${runs}`,
    p50 === null ? 'no end' : `${p50} s`,
    `${seen}`,
    secondsOf(seenAfter.p50),
    secondsOf(seenAfter.p95),
    `${sentBack}`,
    secondsOf(sentBackAfter.p50),
    secondsOf(sentBackAfter.p95),
    `${liveThoughSeen}`,
    isMet ? 'met' : 'not met',
  ]);
}

function secondsOf(seconds: number | null): string {
  return seconds === null ? '-' : `${seconds} s`;
}

function cells([name = '', ...values]: readonly string[]): string {
  return `${name.padEnd(12)}${values.map((value) => value.padStart(12)).join('')}`.trimEnd();
}
