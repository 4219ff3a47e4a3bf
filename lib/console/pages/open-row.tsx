import { nameOfRollout } from '../../telling/words/name.ts';
import type { OpenRollout, OpenRollouts } from '../desk.ts';
import { Badge, stateOfOpen } from './badge.tsx';
import { sentencesIn } from './names.ts';
import { rolloutPath } from './route.ts';
import { countOfWaves, WaveBar } from './wave-bars.tsx';
import { When } from './when.tsx';

/** What an open rollout is to people. What wants them the most comes first. */
export const CONCERNS = ['asking', 'dead', 'stuck', 'under way', 'waiting'] as const;
export type Concern = (typeof CONCERNS)[number];

export function concernOf({ wants, isAbandoned, isStuck, phase }: OpenRollout): Concern {
  if (isAbandoned) return 'dead';
  if (isStuck) return 'stuck';
  if (phase === 'waiting') return 'waiting';
  return wants.some(({ commands }) => commands.length > 0) ? 'asking' : 'under way';
}

export function wantsPeople(concern: Concern): boolean {
  return concern === 'asking' || concern === 'dead' || concern === 'stuck';
}

interface OpenRowProps {
  readonly rollout: OpenRollout;
  readonly look: OpenRollouts;
  readonly isChild?: boolean;
  /** Whether what it wants is said below it. */
  readonly isSaid?: boolean;
}

/** A rollout under way: how it stands, what it wants, and what somebody does next. */
export function OpenRow({ rollout: known, look, isChild = false, isSaid = false }: OpenRowProps) {
  const { rolloutId } = known;
  const rollout = look.rollouts.find((one) => one.rolloutId === rolloutId);
  const { state, stage, wants, waves, at, isAbandoned, gates } = rollout ?? known;
  const title = `title-${rolloutId}`;
  const concern = concernOf(known);
  const isLoud = wantsPeople(concern) && !isSaid;
  const sentences = sentencesIn(wants);
  return (
    <article class={`row ${isChild ? 'child' : ''}`} aria-labelledby={title}>
      <span class="mark">
        <Badge {...(rollout ? stateOfOpen(rollout) : { tone: 'waiting', word: 'Has ended' })} />
      </span>
      <div class="what">
        <h3 id={title} title={nameOfRollout(known)}>
          <a href={rolloutPath(rolloutId)}>{nameOfRollout(known)}</a>
        </h3>
        {isLoud && sentences.length > 0 && <p>{sentences.join(' ')}</p>}
        {concern !== 'stuck' && (
          <p class="state" title={state}>
            {isAbandoned ? (
              <>
                {stage}, last heard of <When at={at} />
              </>
            ) : (
              state
            )}
          </p>
        )}
        {gates.length > 0 && <p class="state">Gate {gates.join('; ')}</p>}
      </div>
      {isLoud && rollout && (
        <NextAct rollout={known} says={wordsOfNext(rollout, concern, look)} look="main" />
      )}
      <WaveBar waves={waves} />
      <span class="count">{countOfWaves(waves)}</span>
      <span class="end">
        <When at={Date.parse(known.startedAt)} />
      </span>
    </article>
  );
}

function wordsOfNext(
  { approval }: OpenRollout,
  concern: Concern,
  { runsHere }: OpenRollouts,
): string {
  if (concern === 'stuck') return 'Wait or abort';
  if (concern === 'dead' && runsHere) return 'Resume it';
  return approval === null ? 'See what helps' : 'Approve or reject';
}

interface NextActProps {
  readonly rollout: Parameters<typeof nameOfRollout>[0] & Pick<OpenRollout, 'rolloutId'>;
  readonly says: string;
  readonly look?: string;
}

/** What helps, on the page of the rollout, which says first what it will do. */
export function NextAct({ rollout, says, look = '' }: NextActProps) {
  return (
    <a
      class={`button act ${look}`}
      href={rolloutPath(rollout.rolloutId)}
      aria-label={`${says}: ${nameOfRollout(rollout)}`}
    >
      {says}
    </a>
  );
}
