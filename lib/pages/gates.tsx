import { plainText } from '../cli/terminal/text.ts';
import { describeFailed, describeTracks } from '../cli/words/watching.ts';
import type { Story } from '../console/desk.ts';
import { When } from './when.tsx';
import { Wide } from './wide.tsx';

const WORDS = { yes: 'yes', no: 'no', none: 'no answer' } as const;

type Told = Story['report']['waves'][number]['gates'][number];

function answerOf({ answer, isEnforced, wouldHaveFailed, at }: Told): string {
  if (wouldHaveFailed) return describeFailed(Date.parse(at));
  return isEnforced ? WORDS[answer] : `${WORDS[answer]} (only watches)`;
}

/** What the gates of each wave have answered, and why. */
export function Gates({ report: { waves, watching } }: Pick<Story, 'report'>) {
  const answers = waves.flatMap(({ wave, gates }) => gates.map((gate) => ({ wave, ...gate })));
  // What one gate has said, wave after wave, stands together.
  const own = Map.groupBy(answers, ({ kind, name }) => JSON.stringify([kind, name]));
  const told = [...own.values()].flat();
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="gates">
      <h2 id="gates">Gates</h2>
      <Wide title="gates">
        <table class="list">
          <caption>What each gate has said, wave after wave</caption>
          <thead>
            <tr>
              <th scope="col">Gate</th>
              <th scope="col">Wave</th>
              <th scope="col">Answer</th>
              <th scope="col">Why</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {told.map(({ wave, ...gate }) => {
              const { kind, name, answer, isEnforced, message, at } = gate;
              return (
                <tr key={`${wave} ${kind} ${name} ${message}`}>
                  <th scope="row">{plainText(name === null ? kind : `${kind} ${name}`)}</th>
                  <td>{wave}</td>
                  <td class={`answer ${isEnforced ? answer : 'none'}`}>{answerOf(gate)}</td>
                  <td class="long">{plainText(message)}</td>
                  <td>
                    <When at={Date.parse(at)} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Wide>
      {describeTracks(watching).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </section>
  );
}
