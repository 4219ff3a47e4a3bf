import type { ComponentChildren } from 'preact';
import { describeDuration } from '../../domain/durations.ts';
import type { Course, Stage } from '../../telling/story/course.ts';
import { titleOfStage, wordsOfStage } from '../../telling/words/draw-course.ts';

interface TimelineProps {
  readonly course: Course;
  /** What is drawn below it at the same scale. @default - nothing */
  readonly below?: (from: number, to: number) => ComponentChildren;
  /** What was planned, to be compared with. @default - only what was done is drawn */
  readonly ahead?: Course | null;
  readonly caption: string;
  /** Whether it has ended: then the scale is that of what happened, and what was planned for later is cut off. @default false */
  readonly isOver?: boolean;
}

/** A rollout to scale in time, a row for each stage, with the same in words. */
export function Timeline({ course, ahead = null, caption, isOver = false, below }: TimelineProps) {
  const totalMs = Math.max(course.totalMs, isOver ? 0 : (ahead?.totalMs ?? 0), 1);
  const planned = new Map(ahead?.stages.map((stage) => [titleOfStage(stage), stage]));
  const titles = new Set([...course.stages.map(titleOfStage), ...planned.keys()]);
  const real = new Map(course.stages.map((stage) => [titleOfStage(stage), stage]));
  if (titles.size === 0) return null;
  return (
    <table class="timeline">
      <caption>{caption}</caption>
      <Axis title="Stage" labels={['0', describeDuration(totalMs)]} />
      <tbody>
        {[...titles].map((title) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>
              <Bar stage={real.get(title)} planned={planned.get(title)} totalMs={totalMs} />
            </td>
            <td>{wordsOf(real.get(title), planned.get(title))}</td>
          </tr>
        ))}
      </tbody>
      {course.beganAt !== undefined && below?.(course.beganAt, course.beganAt + totalMs)}
    </table>
  );
}

interface AxisProps {
  readonly title: string;
  /** Times of the scale in words, at the same distance from each other, from its first to its last one. */
  readonly labels: readonly string[];
  /** What stands beside the pictures. @default 'In words' */
  readonly beside?: string;
}

export function Axis({ title, labels, beside = 'In words' }: AxisProps) {
  return (
    <thead class="axis">
      <tr>
        <th scope="col">{title}</th>
        <td aria-hidden="true">
          {labels.map((label) => (
            <span key={label}>{label}</span>
          ))}
        </td>
        <th scope="col">{beside}</th>
      </tr>
    </thead>
  );
}

function wordsOf(real: Stage | undefined, planned: Stage | undefined): string {
  const plan = planned && wordsOfStage(planned);
  if (real === undefined) return plan === undefined ? '' : `planned: ${plan}`;
  return plan === undefined ? wordsOfStage(real) : `${wordsOfStage(real)} (planned: ${plan})`;
}

interface BarProps {
  readonly stage: Stage | undefined;
  readonly planned: Stage | undefined;
  readonly totalMs: number;
}

function Bar({ stage, planned, totalMs }: BarProps) {
  // What was planned for later than the end is cut off there.
  const share = (milliseconds: number) => `${(100 * Math.min(milliseconds, totalMs)) / totalMs}%`;
  return (
    <svg width="100%" height={planned === undefined ? 16 : 24} aria-hidden="true">
      {stage?.spans.map(({ kind, fromMs, toMs }) => (
        <rect
          key={fromMs}
          class={`span ${stage.stage === 'back' ? 'way-back' : kind}`}
          x={share(fromMs)}
          width={share(toMs - fromMs)}
          y="1"
          height="14"
        />
      ))}
      {planned?.spans.map(({ kind, fromMs, toMs }) => (
        <rect
          key={fromMs}
          class={`span planned ${kind}`}
          x={share(fromMs)}
          width={share(Math.min(toMs, totalMs) - Math.min(fromMs, totalMs))}
          y="18"
          height="5"
        />
      ))}
    </svg>
  );
}
