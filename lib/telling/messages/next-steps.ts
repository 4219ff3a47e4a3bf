import * as z from 'zod';
import { HOLD_EVENTS, LIFECYCLE_EVENTS, type LifecycleEvent } from '../../contract/event.ts';
import { commandOf } from '../../domain/command.ts';

const about = z.object({
  rolloutId: z.string().optional(),
  holdId: z.string().optional(),
  wave: z.int().optional(),
});

/**
 * What somebody who reads of an event may want to do, with the whole command. The most useful step comes first.
 *
 * @param engine Arguments with which the command finds the rollout. @default - it is of this machine
 */
export function nextSteps(
  { detailType, detail }: Pick<LifecycleEvent, 'detailType'> & { readonly detail: unknown },
  engine = '',
) {
  const { rolloutId = '', holdId = '', wave } = about.parse(detail);
  const ids: Readonly<Record<string, string>> = { ID: rolloutId, HOLD: holdId, WAVE: `${wave}` };
  const steps = STEPS[detailType] ?? LOOK;
  return steps.map(([purpose, ...words]) => ({
    purpose,
    command: commandOf(
      words.map((word) => ids[word] ?? word),
      engine,
    ),
  }));
}

type Steps = readonly (readonly [purpose: string, ...words: string[]])[];

const LOOK: Steps = [['To see what happened and what is left to do', 'rollout', 'show', 'ID']];
const FOLLOW: Steps = [['To follow it', 'rollout', 'watch', 'ID']];
const LIFT: Steps = [
  ['To see all holds', 'hold', 'list'],
  ['To lift it', 'hold', 'lift', 'HOLD', '--reason', 'it is over'],
];

/** By the detail type of the event. Of the others `show` tells the story. */
const STEPS: Readonly<Record<string, Steps>> = {
  [LIFECYCLE_EVENTS.started.detailType]: FOLLOW,
  [LIFECYCLE_EVENTS['wave-started'].detailType]: FOLLOW,
  [LIFECYCLE_EVENTS['wave-converged'].detailType]: FOLLOW,
  [LIFECYCLE_EVENTS['approval-wanted'].detailType]: [
    ['To approve it', 'rollout', 'approve', 'ID', '--wave', 'WAVE'],
    ['To reject it', 'rollout', 'reject', 'ID', '--wave', 'WAVE'],
  ],
  [HOLD_EVENTS['hold-added'].detailType]: LIFT,
  [HOLD_EVENTS['hold-ending'].detailType]: LIFT,
  [HOLD_EVENTS['hold-standing'].detailType]: LIFT,
  [HOLD_EVENTS['hold-lifted'].detailType]: LIFT.slice(0, 1),
};
