import type { WaveCount } from '../domain/story/standing.ts';

/** How far each wave has got, as a bar and in words. */
export function WaveBars({ waves }: { readonly waves: readonly WaveCount[] }) {
  if (waves.length === 0) return null;
  return (
    <table class="waves">
      <caption>Waves</caption>
      <tbody>
        {waves.map((wave) => (
          <tr key={wave.wave} class={wave.state}>
            <th scope="row">
              {wave.direction === 'back' ? 'Back' : 'Wave'} {wave.wave}
            </th>
            <td>
              <Bar {...wave} />
            </td>
            <td>{describeWave(wave)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bar({ total, converged, inMidRoll, lost }: WaveCount) {
  const share = (count: number) => `${(100 * count) / Math.max(total, 1)}%`;
  return (
    <svg width="100%" height="16" aria-hidden="true">
      <rect class="cell pending" x="0" width="100%" y="1" height="14" />
      <rect class="cell live" x="0" width={share(converged)} y="1" height="14" />
      <rect
        class="cell in-mid-roll"
        x={share(converged)}
        width={share(inMidRoll)}
        y="1"
        height="14"
      />
      <rect
        class="cell lost"
        x={share(converged + inMidRoll)}
        width={share(lost)}
        y="1"
        height="14"
      />
    </svg>
  );
}

function describeWave({ total, converged, inMidRoll, lost, state }: WaveCount): string {
  const parts = [
    `${converged} of ${total} converged`,
    ...(inMidRoll > 0 ? [`${inMidRoll} in mid-roll`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
  ];
  return state === 'waiting' && converged + inMidRoll + lost === 0
    ? `${total} pending`
    : parts.join(', ');
}
