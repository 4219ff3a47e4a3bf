import type { Instant, Ms, Seconds } from '../clock.ts';
import type { Wave } from '../rollout/policy.ts';
import { describeSeconds } from '../sentences.ts';
import { isUnbound, rulesOfWave } from './roll-window.ts';
import { findClosure, type OpeningRules, SCAN_MS, type TimedPolicy } from './window.ts';

/** A second week, because the clocks may skip a window once. */
const SCANNED_WEEKS = 2;
const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * The longest time for which windows are open without a break, whatever is frozen. Windows are weekly, so two weeks show
 * it. `Infinity`: they are never closed.
 */
export function longestOpening({ windows, waveWindows }: OpeningRules, from: Instant): Ms {
  const rules = { windows, waveWindows, freezes: [] };
  const start = Math.floor(from / SCAN_MS) * SCAN_MS;
  let longest = 0;
  let open = 0;
  for (let at = start; at < start + SCANNED_WEEKS * WEEK_MS; at += SCAN_MS) {
    open = findClosure(rules, at) === null ? open + SCAN_MS : 0;
    longest = Math.max(longest, open);
  }
  return open >= SCANNED_WEEKS * WEEK_MS ? Number.POSITIVE_INFINITY : longest;
}

/** To look through two weeks takes 15 ms, and the policies of a thousand runtimes mostly have the same windows. */
const everOpen = new Map<string, boolean>();

/** Whether windows are ever open together, whatever is frozen. */
export function isEverOpen(rules: OpeningRules, from: Instant): boolean {
  const { windows, waveWindows } = rules;
  const key = JSON.stringify([windows, waveWindows, from]);
  const isOpen = everOpen.get(key) ?? longestOpening(rules, from) > 0;
  everOpen.set(key, isOpen);
  return isOpen;
}

/** What is wrong with the windows of a rollout, in sentences, and what nobody knows of them. */
export interface WindowsJudged {
  readonly faults: readonly string[];
  readonly doubts: readonly string[];
}

/**
 * Whether each wave has a window that opens, and that a roll fits into.
 *
 * @param rollSeconds How long a roll has taken so far. `null`: nobody knows.
 */
export function judgeWindows(
  policy: TimedPolicy,
  waves: readonly Pick<Wave, 'windows'>[],
  rollSeconds: Seconds | null,
  now: Instant,
): WindowsJudged {
  const faults: string[] = [];
  const doubts: string[] = [];
  waves.forEach((wave, index) => {
    const rules = rulesOfWave(policy, wave);
    if (isUnbound(rules)) return;
    const seconds = longestOpening(rules, now) / 1000;
    const name = `Wave ${index + 1}`;
    const room = `its longest window lasts ${describeSeconds(seconds)}`;
    if (seconds === 0) {
      faults.push(`${name}: its windows and those of the policy are never open together.`);
    } else if (rollSeconds === null && Number.isFinite(seconds)) {
      doubts.push(`${name}: ${room}; nobody knows whether a roll fits into that`);
    } else if (rollSeconds !== null && rollSeconds > seconds) {
      faults.push(`${name}: ${room}, and a roll takes ${describeSeconds(rollSeconds)}.`);
    }
  });
  return { faults, doubts };
}
