import {
  FAILURE_POLICIES,
  type FailurePolicy,
  type RolloutPolicy,
} from '../../../lib/domain/rollout/policy.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';

/** What may happen once in a rollout, at any moment. That an endpoint fails or is slow may always happen. */
export const EVENTS = ['crash', 'lost', 'stale', 'move', 'abort', 'pause'] as const;
export type Event = (typeof EVENTS)[number];

const BUT_A_PAUSE = EVENTS.filter((event) => event !== 'pause');

/**
 * - `wave-each`: each endpoint is a wave of its own.
 * - `one-wave`: all are one wave, and one at a time is in mid-roll.
 * - `at-once`: all are one wave, and all are rolled at once.
 */
const WAVES = ['wave-each', 'one-wave', 'at-once'] as const;
type Waves = (typeof WAVES)[number];

/** One small fleet, and what may happen to it. Plain data, so that it can be sent to a thread. */
export interface Configuration {
  readonly endpoints: number;
  readonly waves: Waves;
  readonly onFailure: FailurePolicy;
  readonly events: readonly Event[];
}

/**
 * Every wait is a poll, and so is the minute in which a target has to show. The deadline leaves time for the three
 * reads that some decisions take. So there are few different times.
 */
export const POLL_SECONDS = 60;

export function policyOf({ endpoints, waves, onFailure }: Configuration): RolloutPolicy {
  return {
    ...WHOLE_POLICY,
    waves:
      waves === 'wave-each'
        ? Array.from({ length: endpoints }, (_, index) =>
            index + 1 < endpoints ? { endpoints: index + 1 } : { percent: 100 },
          )
        : [{ percent: 100 }],
    maxUnavailable: waves === 'at-once' ? { percent: 100 } : { endpoints: 1 },
    onFailure,
    bakeSeconds: POLL_SECONDS,
    pollSeconds: POLL_SECONDS,
    maxPollSeconds: POLL_SECONDS,
    progressDeadlineSeconds: 3 * POLL_SECONDS,
    // The only endpoint of a fleet could never be stopped.
    minServing: endpoints === 1 ? 0 : 1,
  };
}

/**
 * All that are walked through: everything together in fleets of one, and every two events in larger ones, which have
 * many more situations, and a pause with each of the others. The others can be named.
 */
export const CONFIGURATIONS: readonly Configuration[] = [
  ...all(1, ['wave-each'], 5),
  ...all(2, ['wave-each', 'one-wave'], 2),
  ...all(3, ['wave-each', 'one-wave'], 2),
  ...paused(1, ['wave-each']),
  ...paused(2, ['wave-each', 'one-wave']),
];

/** Every failure policy with a pause, and with at most one event beside it. */
function paused(endpoints: number, shapes: readonly Waves[]): Configuration[] {
  return [0, 1].flatMap((others) =>
    all(endpoints, shapes, others).map((one) => ({ ...one, events: [...one.events, 'pause'] })),
  );
}

/** Every failure policy with every choice of so many events, but for a pause. */
function all(endpoints: number, shapes: readonly Waves[], events: number): Configuration[] {
  return shapes.flatMap((waves) =>
    FAILURE_POLICIES.flatMap((onFailure) =>
      choose(BUT_A_PAUSE, events).map((chosen) => ({
        endpoints,
        waves,
        onFailure,
        events: chosen,
      })),
    ),
  );
}

function choose<T>([first, ...rest]: readonly T[], count: number): T[][] {
  if (count === 0) return [[]];
  if (first === undefined) return [];
  return [...choose(rest, count - 1).map((others) => [first, ...others]), ...choose(rest, count)];
}

/** What a configuration is called at the command line: `2/one-wave/hold/crash+abort`. */
export function nameOf({ endpoints, waves, onFailure, events }: Configuration): string {
  return [endpoints, waves, onFailure, events.join('+') || 'none'].join('/');
}

/** @throws when nothing is called so. */
export function readName(name: string): Configuration {
  const [endpoints = '', waves, onFailure, events = ''] = name.split('/');
  const found = {
    endpoints: /^[1-9]$/.test(endpoints) ? Number(endpoints) : undefined,
    waves: WAVES.find((one) => one === waves),
    onFailure: FAILURE_POLICIES.find((one) => one === onFailure),
    events: EVENTS.filter((one) => events.split('+').includes(one)),
  };
  if (nameOf(found as Configuration) === name) return found as Configuration;
  throw new Error(
    `--only: ${name} is no fleet. It looks like 2/one-wave/hold/crash+abort: endpoints, ${WAVES.join(' or ')}, ${FAILURE_POLICIES.join(' or ')}, and some of ${EVENTS.join('+')}, in this order, or none.`,
  );
}
