import { dateTime, plainText } from '../cli/terminal/text.ts';
import { wouldHaveFailed } from '../cli/words/gates.ts';
import type { Story } from '../console/desk.ts';
import { Wide } from './wide.tsx';

const WORDS = { yes: 'yes', no: 'no', none: 'no answer' } as const;

/** Of a gate that only watches. */
function watched(answer: keyof typeof WORDS, at: number): string {
  return answer === 'no' ? wouldHaveFailed(at) : `${WORDS[answer]} (only watches)`;
}

/** What the gates of each wave have answered, and why. */
export function Gates({ report: { waves } }: Pick<Story, 'report'>) {
  const told = waves.flatMap(({ wave, gates }) => gates.map((gate) => ({ wave, ...gate })));
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="gates">
      <h2 id="gates">Gates</h2>
      <Wide title="gates">
        <table class="list">
          <caption>The last answers</caption>
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
            {told.map(({ wave, kind, name, answer, isEnforced, message, at }) => (
              <tr key={`${wave} ${kind} ${name} ${message}`}>
                <th scope="row">{plainText(name === null ? kind : `${kind} ${name}`)}</th>
                <td>{wave}</td>
                <td class={`answer ${isEnforced ? answer : 'none'}`}>
                  {isEnforced ? WORDS[answer] : watched(answer, Date.parse(at))}
                </td>
                <td class="long">{plainText(message)}</td>
                <td>{dateTime(Date.parse(at))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}
