import { nameInWords } from '../../domain/rollout/outcome.ts';
import type { ListedRollout } from '../../telling/view/listed.ts';
import type { OpenRollout } from '../desk.ts';

/** The name of a state's colour and sign. */
export type Tone =
  | 'rolling'
  | 'baking'
  | 'waiting'
  | 'wants'
  | 'paused'
  | 'good'
  | 'bad'
  | 'doubt'
  | 'way-back';

export interface State {
  readonly tone: Tone;
  readonly word: string;
}

type Ended = Pick<ListedRollout, 'outcome' | 'failure' | 'reason' | 'revert'>;

export function stateOfEnded({ outcome, failure, reason, revert }: Ended): State {
  const ending = { reason: reason ?? '', ...(failure !== null && { failure }) };
  switch (outcome) {
    case 'Succeeded':
      return revert === null
        ? { tone: 'good', word: 'Succeeded' }
        : { tone: 'way-back', word: 'Taken back' };
    case 'Failed':
    case 'Errored':
      return { tone: 'bad', word: nameInWords({ outcome, ...ending }) };
    case null:
      return { tone: 'rolling', word: 'Under way' };
    default:
      return { tone: 'doubt', word: nameInWords({ outcome, ...ending }) };
  }
}

const WORDS: Readonly<Record<OpenRollout['phase'], State>> = {
  waiting: { tone: 'waiting', word: 'Waiting' },
  planning: { tone: 'rolling', word: 'Planning' },
  rolling: { tone: 'rolling', word: 'Rolling' },
  unreadable: { tone: 'doubt', word: 'No list' },
  baking: { tone: 'baking', word: 'Baking' },
  verifying: { tone: 'baking', word: 'Verifying' },
  approval: { tone: 'wants', word: 'Approval' },
  window: { tone: 'waiting', word: 'Waiting' },
  paused: { tone: 'paused', word: 'Paused' },
  stopping: { tone: 'bad', word: 'Stopping' },
  'turning-around': { tone: 'way-back', word: 'Turning back' },
  holding: { tone: 'bad', word: 'Ending' },
  ended: { tone: 'waiting', word: 'Ended' },
};

export function stateOfOpen({
  phase,
  isAbandoned,
  isStuck,
  pausedBy,
  waves,
}: Pick<OpenRollout, 'phase' | 'isAbandoned' | 'isStuck' | 'pausedBy' | 'waves'>): State {
  if (isAbandoned) return { tone: 'bad', word: 'Dead' };
  if (isStuck) return { tone: 'bad', word: 'Stuck' };
  if (pausedBy.length > 0 && phase !== 'waiting') return { tone: 'paused', word: 'Paused' };
  const isBack = waves[0]?.direction === 'back' && phase === 'rolling';
  return isBack ? { tone: 'way-back', word: 'Rolling back' } : WORDS[phase];
}

export function Badge({ tone, word }: State) {
  return <span class={`badge ${tone}`}>{word}</span>;
}
