import type { JSX } from 'preact';
import { plainText } from '../../telling/text.ts';

/** Something that was so for a while. Times are milliseconds since the Unix epoch. */
interface Part {
  /** The name of its colour. */
  readonly kind: 'pending' | 'rolling' | 'good' | 'bad' | 'stopped' | 'back' | `version-${number}`;
  readonly from: number;
  readonly to: number;
  /** What stands in it where there is room. @default - nothing */
  readonly label?: string;
}

/** One endpoint in time. */
export interface Lane {
  readonly key: string;
  readonly name: string;
  readonly parts: readonly Part[];
  /** The same in words. */
  readonly words: string;
}

interface LanesProps {
  readonly lanes: readonly Lane[];
  readonly from: number;
  readonly to: number;
  /** What the lanes are of: `endpoint` or `runtime`. */
  readonly noun: string;
}

/** More lanes are one picture. */
const MOST_LANES = 40;

/** A row for each endpoint, to scale in time; of many endpoints one row with the share of each kind. */
export function LaneRows({ lanes, from, to, noun }: LanesProps) {
  const toRow = (key: string, name: string, picture: JSX.Element, words: string) => (
    <tr key={key}>
      <th scope="row">{plainText(name)}</th>
      <td>{picture}</td>
      <td>{plainText(words)}</td>
    </tr>
  );
  const isMany = lanes.length > MOST_LANES;
  return (
    <tbody class="lanes">
      {isMany
        ? toRow('all', `All ${lanes.length} ${noun}s`, <Shares {...{ lanes, from, to }} />, OF_MANY)
        : lanes.map((lane) =>
            toRow(lane.key, lane.name, <LaneBar {...{ lane, from, to }} />, lane.words),
          )}
    </tbody>
  );
}

const OF_MANY = 'How many of them were so at each time. The table below tells each.';

/** A part that was over at once is seen all the same, in percent. */
const NARROWEST = 0.4;

function LaneBar({ lane, from, to }: Pick<LanesProps, 'from' | 'to'> & { readonly lane: Lane }) {
  const shareOf = (time: number) =>
    (100 * (Math.min(Math.max(time, from), to) - from)) / (to - from || 1);
  return (
    <svg width="100%" height="16" aria-hidden="true">
      {lane.parts.map((part) => (
        <svg
          key={`${part.from} ${part.kind}`}
          x={`${Math.min(shareOf(part.from), 100 - NARROWEST)}%`}
          width={`${Math.max(shareOf(part.to) - shareOf(part.from), NARROWEST)}%`}
          height="16"
          aria-hidden="true"
        >
          <rect class={`part ${part.kind}`} width="100%" y="1" height="14" />
          {part.label !== undefined && (
            <text x="4" y="12">
              {plainText(part.label)}
            </text>
          )}
        </svg>
      ))}
    </svg>
  );
}

const COLUMNS = 160;
/** From below. No version is above another. */
const ORDER: readonly string[] = ['good', 'back', 'rolling', 'bad', 'stopped', 'pending'];

/** How many lanes were of each kind at each time, one kind above the other. */
function Shares({ lanes, from, to }: Omit<LanesProps, 'noun'>) {
  const counts = new Map<string, number[]>();
  const columnOf = (time: number) => Math.round((COLUMNS * (time - from)) / (to - from || 1));
  for (const { parts } of lanes) {
    for (const part of parts) {
      const own = counts.get(part.kind) ?? Array<number>(COLUMNS).fill(0);
      counts.set(part.kind, own);
      const end = Math.min(COLUMNS, Math.max(columnOf(part.to), columnOf(part.from) + 1));
      for (let column = Math.max(0, columnOf(part.from)); column < end; column += 1) {
        own[column] = (own[column] ?? 0) + 1;
      }
    }
  }
  const tops = Array<number>(COLUMNS).fill(0);
  const inOrder = [...counts].sort(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other));
  const paths = inOrder.map(([kind, own]) => {
    const bars = own.map((count, column) => {
      const below = tops[column] ?? 0;
      tops[column] = below + count;
      return count === 0 ? '' : `M${column} ${lanes.length - below}v${-count}h1v${count}z`;
    });
    return <path key={kind} class={`part ${kind}`} d={bars.join('')} />;
  });
  return (
    <svg
      width="100%"
      height="96"
      viewBox={`0 0 ${COLUMNS} ${lanes.length}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {paths}
    </svg>
  );
}
