import type { EndpointState } from '../../domain/endpoint/observation.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import type { Story } from './story.ts';

/** What keeps a rollout under way from going on, as far as its record tells, since when in milliseconds since the Unix epoch. */
export type Stuck =
  | { readonly what: 'access' | 'list'; readonly since: number }
  | {
      readonly what: 'roll';
      readonly since: number;
      /** The endpoint that has been in mid-roll for the longest time. */
      readonly name: string;
      readonly state: EndpointState;
      /** So many more take too long. */
      readonly others: number;
      /** The longest roll of this rollout that has come to its end, in milliseconds. `null`: none has. */
      readonly longestMs: number | null;
    };

/** Nothing is called stuck before that. */
const SHORTEST_MS = 60_000;
/** A roll is stuck that has taken so many times as long as the longest one before it. */
const TIMES = 3;

/**
 * What is stuck in a rollout. `null`: nothing, or nobody can know yet. A roll is compared with those of the same rollout
 * that have come to their end. Where there are none, or they say nothing against it, half of the wave's deadline counts.
 * A group is stuck where its runtimes are.
 */
export function findStuck(story: Story): Stuck | null {
  const { record, phase, now, isAbandoned, rows } = story;
  if (isAbandoned || !wasOpened(record) || groupNameOf(record.request.runtimeId) !== null) {
    return null;
  }
  if (phase.phase !== 'rolling' && phase.phase !== 'unreadable') return null;
  if (phase.lockout !== null) return { what: 'access', since: phase.lockout.since };
  if (phase.phase === 'unreadable') {
    return phase.forMs < SHORTEST_MS ? null : { what: 'list', since: now - phase.forMs };
  }
  const moving = rows
    .flatMap(({ name, fate, seen: { state, isPinned }, roll }) =>
      fate === 'in-mid-roll' && !isPinned && state !== 'converged' && roll !== null
        ? [{ name, state, at: roll.at }]
        : [],
    )
    .toSorted((one, other) => one.at - other.at);
  const [first] = moving;
  if (first === undefined || now - first.at < SHORTEST_MS) return null;
  const longestMs = longestRollOf(story);
  const { progressDeadlineSeconds } = record.request.policy;
  const isHalfOver = 2 * (phase.deadlineMs ?? Infinity) < progressDeadlineSeconds * 1_000;
  const limitMs = isHalfOver ? SHORTEST_MS : Math.max(SHORTEST_MS, TIMES * (longestMs ?? Infinity));
  const slow = moving.filter(({ at }) => now - at >= limitMs);
  if (slow.length === 0) return null;
  const { name, state, at } = first;
  return { what: 'roll', since: at, name, state, others: slow.length - 1, longestMs };
}

function longestRollOf({ rows }: Story): number | null {
  const took = rows.flatMap(({ fate, roll, seen: { changedAt } }) => {
    const isThere = fate === 'live' || fate === 'back';
    return isThere && roll !== null && changedAt !== undefined ? [changedAt - roll.at] : [];
  });
  return took.length === 0 ? null : took.reduce((most, one) => Math.max(most, one), 0);
}
