import type { ComponentChildren } from 'preact';
import type { ToldRollout } from '../desk.ts';
import { sectionFor } from './runbook-section.ts';

interface RunbookProps extends Pick<ToldRollout, 'report'> {
  /** Whether the rollouts run on this machine. */
  readonly runsHere: boolean;
  /** The runbook. */
  readonly text: string;
}

/** The section of the runbook for how the rollout ended. There is none for one that is under way or did well. */
export function Runbook({ report, runsHere, text }: RunbookProps) {
  const title = sectionFor(report, runsHere);
  const section = text.split(/^## /m).find((one) => one.startsWith(`${title}\n`));
  if (title === null || section === undefined) return null;
  return (
    <details open>
      <summary>The runbook: {title}</summary>
      <div class="prose">{blocksOf(section.slice(title.length).split('\n'))}</div>
    </details>
  );
}

/** Takes the first lines away, as long as they fit. */
function takeWhile(lines: string[], fits: (line: string, place: number) => boolean): string[] {
  const end = lines.findIndex((line, place) => !fits(line, place));
  return lines.splice(0, end < 0 ? lines.length : end);
}

const ITEM = /^(\d+\.|-) /;

/** Paragraphs, lists, tables and commands: the runbook has nothing else. */
function blocksOf(lines: string[]): ComponentChildren[] {
  const blocks: ComponentChildren[] = [];
  for (;;) {
    takeWhile(lines, (line) => line.trim() === '');
    const [first] = lines;
    if (first === undefined) return blocks;
    blocks.push(blockOf(first, lines));
  }
}

function blockOf(first: string, lines: string[]): ComponentChildren {
  if (first.startsWith('|')) {
    return <RunbookTable rows={takeWhile(lines, (line) => line.startsWith('|'))} />;
  }
  if (!/^```|^#/.test(first) && !ITEM.test(first)) {
    const text = takeWhile(lines, (line) => line.trim() !== '' && !/^(```|\||#)/.test(line));
    return <p>{inline(text.join(' '))}</p>;
  }
  lines.shift();
  if (first.startsWith('#')) return <h3>{first.replace(/^#+ /, '')}</h3>;
  if (first.startsWith('```')) {
    const commands = takeWhile(lines, (line) => !line.startsWith('```')).join('\n');
    lines.shift();
    return <pre>{commands}</pre>;
  }
  // What follows an empty line and is indented belongs to the item, too.
  const isIndented = (place: number) =>
    lines
      .slice(place)
      .find((line) => line !== '')
      ?.startsWith('  ') === true;
  const rest = takeWhile(
    lines,
    (line, place) => line.startsWith('  ') || (line === '' && isIndented(place)),
  );
  const own = [first.replace(ITEM, ''), ...rest.map((line) => line.replace(/^ {1,3}/, ''))];
  return (
    <div class="item">
      <strong>{/^\d+\./.exec(first)?.[0] ?? '•'}</strong>
      <div>{blocksOf(own)}</div>
    </div>
  );
}

function RunbookTable({ rows }: { readonly rows: readonly string[] }) {
  const cells = rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  const [head = [], , ...body] = cells;
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th scope="col" key={cell}>
              {inline(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((row) => (
          <tr key={row[0]}>
            {row.map((cell) => (
              <td key={cell}>{inline(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Code, stress and links. The page that a link leads to is not here. */
function inline(text: string): ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <strong>{part.slice(2, -2)}</strong>;
    if (part.startsWith('*')) return <em>{part.slice(1, -1)}</em>;
    return part.startsWith('[') ? part.slice(1, part.indexOf(']')) : part;
  });
}
