import { commandOf } from '../../domain/command.ts';
import { describeDuration } from '../../domain/durations.ts';
import { clockTime, dateTime } from '../../domain/local-time.ts';
import type { Story } from '../story/story.ts';
import { findStuck, type Stuck } from '../story/stuck.ts';
import { plainText } from '../text.ts';
import type { Want } from '../view/rollout-view.ts';

/**
 * The arguments with which a command finds the engine. The text begins with a space, or is empty. `null`: the rollout
 * runs in this process, so it is not dead, however long nothing was heard of it.
 */
export type EngineArguments = string | null;

/**
 * What is stuck in a rollout under way, why, since when and what helps, with the command to type. Without countdowns,
 * because it is no news that time goes by. Empty: nothing is.
 */
export function listStuck(story: Story, engine: EngineArguments): Want[] {
  const stuck = findStuck(story);
  if (stuck === null) return [];
  const { rolloutId } = story.record.request;
  const abort = commandOf(['rollout', 'abort', rolloutId], engine ?? '');
  const says = plainText(sentencesOf(stuck, story.now));
  return [{ kind: 'stuck', says, purpose: 'To end it now', commands: [abort] }];
}

function sentencesOf(stuck: Stuck, now: number): string {
  const { what, since } = stuck;
  const when = now - since < DAY_MS ? clockTime(since) : dateTime(since);
  switch (what) {
    case 'access':
      return `Its service has let nobody in since ${when}. It goes on by itself once it is let in.`;
    case 'list':
      return `The list of its endpoints has not been readable since ${when}. It goes on by itself once it is.`;
    case 'roll': {
      const { name, others, longestMs } = stuck;
      const more = others === 0 ? '' : `, and ${others} more for too long`;
      const why =
        stuck.state === 'requested'
          ? 'its service does not show that the roll has begun'
          : 'its service shows it on its way, and no failure';
      const took = longestMs === null ? null : describeDuration(Math.max(longestMs, 1_000));
      const before = took === null ? '' : ` The rolls before took ${took} at most.`;
      return `${name} has been in mid-roll since ${when}${more}: ${why}.${before} It goes on by itself once ${name} is live.`;
    }
    default:
      return what satisfies never;
  }
}

const DAY_MS = 24 * 3_600_000;
