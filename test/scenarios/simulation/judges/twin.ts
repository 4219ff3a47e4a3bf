import { isDeepStrictEqual } from 'node:util';
import { mayStop } from '../../../../lib/domain/rollout/policy.ts';
import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { type Ordeal, wasLeft } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import type { Observed } from '../to-script.ts';
import { asksForLatest } from './holds.ts';

// Some things must make no difference. Then the same rollout without them is its twin, and both have to go alike.

/** Its twin is simulated, too. `null`: there is nothing of that kind in it, or something else counts as well. */
export function twinOf(ordeal: Ordeal): Ordeal | null {
  const alone = { ...ordeal, undo: null, badReleases: 0 };
  if (ordeal.held !== undefined) {
    return isHeldInVain(ordeal) ? { ...alone, held: { ...ordeal.held, holds: [] } } : null;
  }
  if (mayHandOver(ordeal)) {
    const { executionEvents, executionSeconds } = QUIET;
    return { ...alone, executionEvents, executionSeconds };
  }
  return diesOnly(ordeal) ? { ...alone, death: null } : null;
}

/** It hands over after each step. */
function mayHandOver(ordeal: Ordeal): boolean {
  return ordeal.executionEvents === 0 && isAsQuiet(ordeal, [...COMMON, ...TIMED]);
}

/** No hold concerns it: each is of something else, or comes when what it would hold has begun or is over. */
function isHeldInVain(ordeal: Ordeal): boolean {
  const { holds = [], listens = false } = ordeal.held ?? {};
  // A process that listens looks at once when a hold on it comes, whatever follows from that.
  const isUnheard = !listens;
  const isInVain = holds.every(
    ({ on, kind, from }) =>
      on.startsWith('another') ||
      (on === 'version before' && isUnheard && !asksForLatest(ordeal)) ||
      (kind === 'freeze' && from === 'wave-converged' && isUnheard) ||
      (kind === 'pause' && from === 'failing' && isUnheard) ||
      from === 'ended',
  );
  return isInVain && isAsQuiet(ordeal, [...COMMON, ...TIMED, 'held', 'promotions', 'cannotStop']);
}

/** What breaks in it breaks whenever its endpoint is rolled, so nothing depends on the time but its death. */
function diesOnly(ordeal: Ordeal): boolean {
  const { death, broken, asked, policy, promotions = [] } = ordeal;
  const mayLackStops =
    broken.length > 0 && mayStop(policy.onFailure) && !RESUMED.has(death?.error ?? '');
  return (
    death !== null &&
    !wasLeft(ordeal) &&
    !mayLackStops &&
    // When a check is asked depends on the time.
    ordeal.check === undefined &&
    // People promote what they see converge, and nobody watches for that any more who died before.
    promotions.length === 0 &&
    (asked === null || asked.kind === 'plan') &&
    broken.every(({ kind }) => LASTING.has(kind)) &&
    isAsQuiet(ordeal, [...COMMON, 'asked', 'death'])
  );
}

type Field = keyof Ordeal;

/** Nothing but this differs from a rollout in which nothing goes wrong. */
function isAsQuiet(ordeal: Ordeal, own: readonly Field[]): boolean {
  const fields = Object.keys(QUIET) as Field[];
  return fields.every(
    (field) => own.includes(field) || isDeepStrictEqual(ordeal[field], QUIET[field]),
  );
}

/** What a twin has as well, or what comes only after the end of both. */
const COMMON: readonly Field[] = [
  ...(['endpoints', 'rollSeconds', 'policy', 'broken', 'latencyMs', 'opensAfter'] as const),
  ...(['cannotStop', 'executionEvents', 'executionSeconds', 'resumesAfter'] as const),
  ...(['badReleases', 'undo'] as const),
];

/** What comes at its time, or with a call of the service, and not with a call of the ledger. */
const TIMED: readonly Field[] = [
  ...(['lists', 'writes', 'alarms', 'busDown', 'asked', 'hours', 'readings'] as const),
];

const LASTING: ReadonlySet<string> = new Set(['stuck', 'fail']);

/** After these a batch of stops is run again. */
const RESUMED: ReadonlySet<string> = new Set([
  'LedgerUnavailable',
  'Lambda.ServiceException',
  'Killed',
]);

/** To the world, a rollout that hands over all the time is one that never does. */
export function handsOverUnseen(ordeal: Ordeal, run: Observed): string[] {
  if (run.twin === null || ordeal.held !== undefined || !mayHandOver(ordeal)) return [];
  const seen = ({ seconds, outcome, calls, told, gates }: ScenarioResult) => {
    return { seconds, outcome, calls, told, gates };
  };
  return differences(seen(run), seen(run.twin));
}

/** To the world, what is held in vain is not held at all. */
export function heldUnseen({ held }: Ordeal, run: Observed): string[] {
  if (run.twin === null || held === undefined) return [];
  const seen = ({ seconds, outcome, calls, told, gates }: ScenarioResult) => {
    return { seconds, outcome, calls, told, gates };
  };
  return differences(seen(run), seen(run.twin));
}

/** A death takes time, and changes nothing. */
export function diesUnseen({ death, held }: Ordeal, run: Observed): string[] {
  if (run.twin === null || death === null || held !== undefined) return [];
  const done = ({ outcome: { outcome, cleanup, reason }, calls, told }: ScenarioResult) => ({
    outcome: { outcome, cleanup, reason },
    lastWrites: [
      ...new Map(
        calls.filter(isWrite).map(({ endpointId, operation, version }) => {
          return [endpointId, `${operation} ${version ?? ''}`];
        }),
      ),
    ].toSorted(),
    told: told.map(({ eventId }) => eventId),
  });
  return differences(done(run), done(run.twin));
}

/** A death costs the time until somebody goes on, the look that it was in, and a few more looks. */
export function bakesForTheRest(ordeal: Ordeal, run: Observed): string[] {
  const { death, resumesAfter, policy } = ordeal;
  if (run.twin === null || death === null || !diesOnly(ordeal)) return [];
  const awaySeconds = death.error === 'Killed' ? UNKNOWN_SECONDS + (resumesAfter ?? 0) : 0;
  const lateSeconds = run.seconds - run.twin.seconds - awaySeconds;
  const most = LONGEST_LOOK_SECONDS + 4 * Math.max(policy.pollSeconds, policy.maxPollSeconds);
  return lateSeconds > most ? [`it took ${lateSeconds} s longer than without its death`] : [];
}

/** For so long after its last sign of life nobody knows that a process is dead. */
const UNKNOWN_SECONDS = 90;

/** Between two looks at a short bake, or before a roll is made once more that may not have been sent. */
const LONGEST_LOOK_SECONDS = 60;

function differences(own: object, twins: object): string[] {
  return Object.entries(own).flatMap(([name, value]) => {
    const other = Object.entries(twins).find(([key]) => key === name)?.[1];
    return isDeepStrictEqual(value, other)
      ? []
      : [`its ${name} would be ${JSON.stringify(other)}, and is ${JSON.stringify(value)}`];
  });
}
