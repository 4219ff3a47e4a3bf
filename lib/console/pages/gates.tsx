import { describeDuration } from '../../domain/durations.ts';
import { clockTime } from '../../domain/local-time.ts';
import type { Course } from '../../telling/story/course.ts';
import { plainText } from '../../telling/text.ts';
import { describeFailed, describeTracks } from '../../telling/words/watching.ts';
import type { ToldRollout } from '../desk.ts';
import { type Lane, LaneRows } from './lanes.tsx';
import { type ListRow, ListTable } from './list-table.tsx';
import { Axis } from './timeline.tsx';
import { When } from './when.tsx';

const WORDS = { yes: 'yes', no: 'no', none: 'no answer' } as const;

type Told = ToldRollout['report']['waves'][number]['gates'][number];

function answerOf({ answer, isEnforced, wouldHaveFailed, at }: Told): string {
  if (wouldHaveFailed) return describeFailed(Date.parse(at));
  return isEnforced ? WORDS[answer] : `${WORDS[answer]} (only watches)`;
}

function rowOf({ wave, ...gate }: Told & { readonly wave: number }): ListRow {
  const { kind, name, answer, isEnforced, message, at } = gate;
  const cells = [
    plainText(name === null ? kind : `${kind} ${name}`),
    wave,
    <span key="answer" class={`answer ${isEnforced ? answer : 'none'}`}>
      {answerOf(gate)}
    </span>,
    <span key="why" class="long">
      {plainText(message)}
    </span>,
    <When key="when" at={Date.parse(at)} />,
  ];
  return { key: `${wave} ${kind} ${name} ${message}`, cells };
}

interface GatesProps extends Pick<ToldRollout, 'report'> {
  /** What was done so far: the scale. */
  readonly course: Course;
}

/** What the gates of each wave have answered, and why. */
export function Gates({ report: { waves, watching }, course }: GatesProps) {
  const answers = waves.flatMap(({ wave, gates }) => gates.map((gate) => ({ wave, ...gate })));
  // What one gate has said, wave after wave, stands together.
  const own = Map.groupBy(answers, ({ kind, name }) => JSON.stringify([kind, name]));
  const told = [...own.values()].flat();
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="gates">
      <h2 id="gates">Gates</h2>
      <OverTime waves={waves} course={course} />
      <ListTable
        title="gates"
        caption="What each gate has said, wave after wave"
        columns={['Gate', 'Wave', 'Answer', 'Why', 'When']}
        rows={told.map(rowOf)}
      />
      {describeTracks(watching).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </section>
  );
}

/** A line for each gate: what it says, since when, and how many of its answers were another one. */
export function GateLines({ gates }: Pick<ToldRollout, 'gates'>) {
  if (gates.length === 0) return null;
  return (
    <ul class="gate-lines" aria-label="Gates">
      {gates.map(({ answer, says }) => (
        <li key={says} class={`answer ${answer}`}>
          Gate {says}.
        </li>
      ))}
    </ul>
  );
}

const COLOURS = { yes: 'good', no: 'bad', none: 'pending' } as const;

/** So many of the last answers of a gate are told in words. */
const FEW = 4;

/** The answers of each gate to scale in time, those that only watch among them. */
function OverTime({
  waves,
  course: { beganAt: from, totalMs },
}: Pick<ToldRollout['report'], 'waves'> & Pick<GatesProps, 'course'>) {
  const changes = waves.flatMap(({ gateChanges }) => gateChanges);
  if (from === undefined || changes.length === 0) return null;
  const to = from + totalMs;
  const own = Map.groupBy(changes, ({ gate, isEnforced }) => JSON.stringify([gate, isEnforced]));
  const lanes = [...own].flatMap(([key, said]): Lane | [] => {
    const [first] = said;
    if (first === undefined) return [];
    const parts = said.map(({ answer, at, until }) => ({
      kind: COLOURS[answer],
      from: Date.parse(at),
      to: until === null ? to : Date.parse(until),
    }));
    const told = said.filter((one, index) => one.answer !== said[index - 1]?.answer);
    const words = told.slice(-FEW).map(({ answer, message, at }) => {
      const why = answer === 'yes' ? '' : `: ${message}`;
      return `${WORDS[answer]} ${clockTime(Date.parse(at))}${why}`;
    });
    const before = told.length > FEW ? [`${told.length - FEW} earlier`] : [];
    const only = first.isEnforced ? '' : 'only watches: ';
    return { key, name: first.gate, parts, words: only + [...before, ...words].join(', ') };
  });
  return (
    <table class="timeline">
      <caption>How the answers changed, to scale</caption>
      <Axis title="Gate" labels={['0', describeDuration(totalMs)]} />
      <LaneRows lanes={lanes} from={from} to={to} noun="gate" />
    </table>
  );
}
