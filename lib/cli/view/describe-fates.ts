import { describeWanted } from '../../domain/events/describe-event.ts';
import type { AskedRollout } from '../../domain/rollout.ts';
import { type Fate, type FateGroup, groupByFate } from '../../domain/story/fates.ts';
import { listNames } from './list-names.ts';
import { plainText } from './plain-text.ts';

/** What became of the endpoints of a rollout, a line for each fate; those that people look for first are named. */
export function describeFates(record: AskedRollout): string[] {
  const wanted = describeWanted(record.request);
  return groupByFate(record).map((group) => {
    const { fate, names } = group;
    const most = EXPECTED.has(fate) ? FEW_NAMES : MANY_NAMES;
    return `${names.length} ${wordsFor(group, wanted)}: ${listNames(names, most)}`;
  });
}

const EXPECTED: ReadonlySet<Fate> = new Set(['live', 'back', 'not-rolled']);
const FEW_NAMES = 5;
const MANY_NAMES = 20;

function wordsFor({ fate, reason }: FateGroup, wanted: string): string {
  const why = reason === null ? '' : ` (${plainText(reason)})`;
  switch (fate) {
    case 'live':
      return `live on ${plainText(wanted)}`;
    case 'back':
      return 'back on the version before';
    case 'not-back':
      return `not back on the version before${why}`;
    case 'stopped':
      return 'stopped';
    case 'kept':
      return `not stopped${why}`;
    case 'stop-unsure':
      return `asked to stop, and in doubt${why}`;
    case 'refused':
      return `refused by the service${why}`;
    case 'lost':
      return `not as they should be${why}`;
    case 'in-mid-roll':
      return 'in mid-roll';
    case 'not-rolled':
      return `not rolled${why}`;
    default:
      return fate satisfies never;
  }
}
