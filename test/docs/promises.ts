import { JUDGES } from '../scenarios/simulation/judges/ending.ts';
import { PROMISES as SMALL_FLEETS } from '../scenarios/small-fleets/judge.ts';
import { INVARIANTS } from '../support/invariants.ts';
import type { Promises } from '../support/promise.ts';
import { RUNTIME_INVARIANTS } from '../support/runtime-invariants.ts';

interface Part {
  readonly title: string;
  /** Who judges them. */
  readonly judged: string;
  readonly promises: Promises<unknown>;
}

/** What rollouts are held to, by who judges it. */
export const PROMISES: readonly Part[] = [
  {
    title: 'At every step',
    judged: 'after every step of every rollout in tests and simulations',
    promises: INVARIANTS,
  },
  {
    title: 'Between the rollouts of a runtime',
    judged: 'when all rollouts of a test or a simulation are over',
    promises: RUNTIME_INVARIANTS,
  },
  {
    title: 'At the end of a rollout',
    judged: 'at the end of every rollout that `npm run simulate` draws, and of every story',
    promises: JUDGES,
  },
];

/** The list of them. Each has a heading of its own, so that pages can lead to it by its id. */
export function promisesList(): string {
  return PROMISES.flatMap(({ title, judged, promises }) => [
    `## ${title}`,
    `Judged ${judged}.`,
    ...Object.entries(promises).flatMap(([id, { says, page }]) => {
      const both = id in SMALL_FLEETS ? ' `npm run small-fleets` judges it as well.' : '';
      return [
        `### ${id}`,
        plain(says),
        `Explained in [${page.split('#')[0]}](../../${page}).${both}`,
      ];
    }),
  ]).join('\n\n');
}

/** What Markdown would take for something else. */
function plain(sentence: string): string {
  return sentence.replaceAll(/[<>*_]/g, String.raw`\$&`);
}
