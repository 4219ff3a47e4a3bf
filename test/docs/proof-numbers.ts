import { readResults as readMutants } from '../mutants/results.ts';
import { readResults as readRollouts } from '../scenarios/simulation/results.ts';
import { smallFleetTotals } from '../scenarios/small-fleets/results.ts';
import { tableOf } from './markdown-table.ts';

/** What an adopter may want to know of the last runs that were written down. */
export function proofNumbers(): string {
  const rollouts = readRollouts();
  const fleets = smallFleetTotals();
  const { all, pastDefects } = readMutants();
  const again = pastDefects.filter(({ foundIn }) => foundIn !== null).length;
  return tableOf(
    ['last run', 'tried', 'result'],
    [
      [
        `random rollouts, ${rollouts.day}`,
        `${grouped(rollouts.tally.rollouts)} rollouts from ${grouped(rollouts.seeds[1] - rollouts.seeds[0] + 1)} seeds`,
        rollouts.violations === 0
          ? 'no violation'
          : `an objection with ${rollouts.violations} seeds`,
      ],
      [
        `every order of events, ${fleets.day}`,
        `${grouped(fleets.paths)} orders`,
        fleets.violations === 0 ? 'no violation' : `${fleets.violations} violations`,
      ],
      [
        'faults on purpose',
        `${grouped(all.mutants)} changes of the code`,
        `${grouped(all.found)} found; with ${grouped(all.noticed)} more a rollout went another way`,
      ],
      ['defects of the past', `${pastDefects.length} put back`, `${again} found`],
    ],
  );
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
