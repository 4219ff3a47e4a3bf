import type { ComponentChildren } from 'preact';
import { dateMinute } from '../../domain/local-time.ts';
import type { Coming } from '../../telling/words/coming.ts';
import type { ComingStory, OpenRollouts } from '../desk.ts';
import { labelsOf, spanOf } from './axis-times.ts';
import { Cut } from './cut.tsx';
import { useRead } from './fresh.ts';
import { rolloutPath } from './route.ts';
import { Axis } from './timeline.tsx';
import { Title } from './title.tsx';
import { Trouble } from './trouble.tsx';

/** What happens if nobody does anything: waves, ends, starts, and the ends of holds, by the clock. */
export function ComingPage({ look }: { readonly look: OpenRollouts | null }) {
  const news = look && [
    ...look.rollouts.map(({ rolloutId, stage }) => `${rolloutId} ${stage}`),
    ...look.holds.map(({ id }) => id),
  ];
  const { data, fault } = useRead<ComingStory>('/api/coming', news?.join());
  const all = data?.coming ?? [];
  const dated = all.filter(({ moments }) => moments.length > 0);
  const others = all.filter(({ moments }) => moments.length === 0);
  return (
    <>
      <div class="head">
        <Title text="What will come" />
        <p class="lead">If nobody does anything, in UTC.</p>
      </div>
      <p class="minor">Schedules are those of the configuration of this console.</p>
      <Trouble fault={fault} />
      {data === null && fault === null && <p>Reading …</p>}
      {data !== null && all.length === 0 && <p>Nothing is under way, and nothing is planned.</p>}
      {data !== null && dated.length > 0 && (
        <section aria-labelledby="by-the-clock">
          <h2 id="by-the-clock">By the clock</h2>
          <ByTheClock now={data.at} dated={dated} />
        </section>
      )}
      {others.length > 0 && (
        <section aria-labelledby="some-time">
          <h2 id="some-time">Nobody can say when</h2>
          <div class="told">
            <ul>
              {others.map((one) => (
                <li key={one.key}>
                  <Name of={one} />: <Cut text={one.says} />
                </li>
              ))}
            </ul>
          </div>
        </section>
      )}
    </>
  );
}

interface ByTheClockProps {
  readonly now: number;
  readonly dated: readonly Coming[];
}

function ByTheClock({ now, dated }: ByTheClockProps) {
  const times = dated.flatMap(({ moments }) => moments.map(({ at }) => at));
  const spanMs = spanOf(times, now);
  return (
    <table class="timeline">
      <caption>What will come, by the clock</caption>
      <Axis title="What" labels={labelsOf(now, spanMs)} beside="When" />
      <tbody class="lanes">
        {dated.map((one) => (
          <tr key={one.key}>
            <th scope="row">
              <Name of={one} />
            </th>
            <td>
              <Marks of={one} {...{ now, spanMs }} />
            </td>
            <td>
              {one.moments.map(({ at, what, isForeseen }) => (
                <div key={what}>
                  <strong>
                    {isForeseen && 'About '}
                    {dateMinute(at)}
                  </strong>
                  : {what}
                </div>
              ))}
              <Cut text={one.says} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Name({ of: { rolloutId, name } }: { readonly of: Coming }): ComponentChildren {
  return rolloutId === null ? name : <a href={rolloutPath(rolloutId)}>{name}</a>;
}

interface MarksProps {
  readonly of: Coming;
  readonly now: number;
  readonly spanMs: number;
}

/** A bar for what goes on until then, and a mark for each moment. What is later than the axis stands at its end. */
function Marks({ of: { moments, rolloutId }, now, spanMs }: MarksProps) {
  const share = (at: number) => Math.min(100, (100 * (at - now)) / spanMs);
  const last = moments.at(-1)?.at ?? now;
  return (
    <svg width="100%" height="16" aria-hidden="true">
      {rolloutId !== null && (
        <rect class="span baking" width={`${share(last)}%`} y="5" height="6" />
      )}
      {moments.map(({ at, what }) => (
        <rect
          key={what}
          class="span rolling"
          x={`${Math.min(share(at), 99)}%`}
          width="1%"
          y="1"
          height="14"
        />
      ))}
    </svg>
  );
}
