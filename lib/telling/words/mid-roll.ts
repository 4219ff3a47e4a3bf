import { describeDuration } from '../../domain/durations.ts';
import { isInMidRoll } from '../../domain/endpoint/observation.ts';
import type { Story } from '../story/story.ts';
import { listNames } from '../text.ts';
import { describeDeadline, describeState } from './phase.ts';

/** After so many milliseconds without news of a roll, people ask which one it is. */
export const SILENCE_MS = 60_000;

/** What a wave is at that rolls without news. `null`: the rollout has said how long the phase takes. */
export function describeSilence(story: Story): string | null {
  const { phase, where, now } = story;
  if (phase.phase !== 'rolling' && phase.phase !== 'unreadable') return null;
  const rolled = listMidRoll(story);
  if (rolled.length === 0 || phase.phase === 'unreadable') return describeState(story);
  const since = Math.min(...rolled.map(({ at }) => at));
  const most = rolled.length === 1 ? '' : 'up to ';
  const names = listNames(rolled.map(({ name }) => name));
  const forHowLong = `${most}${describeDuration(Math.max(0, now - since))}`;
  return `${where}: ${names} in mid-roll for ${forHowLong}${describeDeadline(phase.deadlineMs)}`;
}

/** Where a rollout is. One whose roll takes long says which one that is, and for how long. */
export function describeStateInFull(story: Story): string {
  const { phase, isAbandoned, now } = story;
  const mayTell = phase.phase === 'rolling' && phase.lockout === null && !isAbandoned;
  const isLong = listMidRoll(story).some(({ at }) => now - at >= SILENCE_MS);
  return (mayTell && isLong ? describeSilence(story) : null) ?? describeState(story);
}

function listMidRoll({ rows }: Story): readonly { readonly name: string; readonly at: number }[] {
  return rows.flatMap(({ name, fate, seen, roll }) =>
    fate !== 'lost' && isInMidRoll(seen) && roll !== null ? [{ name, at: roll.at }] : [],
  );
}
