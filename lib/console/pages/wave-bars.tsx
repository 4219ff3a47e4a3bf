import type { WaveCount } from '../../telling/story/standing.ts';
import type { ToldRollout } from '../desk.ts';

interface WaveBarProps {
  readonly waves: readonly WaveCount[];
  /** Whether there is room for the number of each wave. @default false */
  readonly isLarge?: boolean;
}

/** One bar for all waves, each as large as it is. The words stand beside it. */
export function WaveBar({ waves, isLarge = false }: WaveBarProps) {
  return (
    <div class={`wave-bar ${isLarge ? 'large' : ''}`} aria-hidden="true">
      {waves.map(({ wave, total, converged, inMidRoll, lost, state, direction }) => (
        <div key={wave} class={state} style={{ flexGrow: total }}>
          <i class={direction === 'back' ? 'back' : 'live'} style={shareOf(converged, total)} />
          <i class="in-mid-roll" style={shareOf(inMidRoll, total)} />
          <i class="lost" style={shareOf(lost, total)} />
          {isLarge && <span>{wave}</span>}
        </div>
      ))}
    </div>
  );
}

function shareOf(count: number, total: number): { readonly width: string } {
  return { width: `${(100 * count) / Math.max(total, 1)}%` };
}

/** `44 of 100`: how many have converged, of all waves. */
export function countOfWaves(waves: readonly WaveCount[]): string {
  if (waves.length === 0) return '';
  const converged = waves.reduce((sum, one) => sum + one.converged, 0);
  const total = waves.reduce((sum, one) => sum + one.total, 0);
  return `${converged.toLocaleString('en')} of ${total.toLocaleString('en')}`;
}

/** How far each wave has got, as one bar and in words. */
export function Waves({
  waves,
  isOver,
}: {
  readonly waves: readonly WaveCount[];
  /** Whether nothing more is rolled. */
  readonly isOver: boolean;
}) {
  if (waves.length === 0) return null;
  return (
    <div class="waves">
      <WaveBar waves={waves} isLarge />
      <ol aria-label="Waves">
        {waves.map((wave) => (
          <li key={wave.wave} class={wave.state}>
            <strong>
              {wave.direction === 'back' && !isOver ? 'Back' : 'Wave'} {wave.wave}
            </strong>{' '}
            {describeWave(wave, isOver)}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What became of each wave, once nobody looks at it any more. */
export function wavesAtEnd({ endpoints, rollback }: ToldRollout['report']): readonly WaveCount[] {
  const waves = [...Map.groupBy(endpoints, ({ wave }) => wave)];
  return waves.map(([wave, own]) => {
    const count = (...fates: readonly (typeof own)[number]['fate'][]) =>
      own.filter(({ fate }) => fates.includes(fate)).length;
    const converged = count('live', 'back');
    const inMidRoll = count('in-mid-roll');
    const untouched = count('not-rolled');
    return {
      ...{ wave, waves: waves.length, total: own.length, converged, inMidRoll },
      direction: rollback === null || untouched === own.length ? 'forward' : 'back',
      state: untouched === own.length ? 'waiting' : 'done',
      lost: own.length - converged - inMidRoll - untouched,
    };
  });
}

function describeWave(
  { total, converged, inMidRoll, lost, state, direction }: WaveCount,
  isOver: boolean,
): string {
  const rest = isOver ? 'not rolled' : 'pending';
  const untouched = total - converged - inMidRoll - lost;
  const parts = [
    `${converged} of ${total} ${direction === 'back' && isOver ? 'back' : 'converged'}`,
    ...(inMidRoll > 0 ? [`${inMidRoll} in mid-roll`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(isOver && untouched > 0 ? [`${untouched} ${rest}`] : []),
  ];
  return state === 'waiting' && converged + inMidRoll + lost === 0
    ? `${total} ${rest}`
    : parts.join(', ');
}
