import type { ComponentChildren } from 'preact';
import runbook from '../../docs/runbook.md';
import type { Story } from '../console/desk.ts';

interface RunbookProps extends Pick<Story, 'report'> {
  /** Whether the rollouts run on this machine. */
  readonly runsHere: boolean;
}

/** The section of the runbook for how the rollout ended. There is none for one that is under way or did well. */
export function Runbook({ report: { outcome, reason }, runsHere }: RunbookProps) {
  if (outcome !== 'Failed' && outcome !== 'Errored') return null;
  const usual = reason?.startsWith('Execution') ? 'The janitor had work' : 'A rollout failed';
  const title = runsHere ? 'On one machine: a rollout failed' : usual;
  const section = runbook.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? '';
  return (
    <details open>
      <summary>The runbook: {usual}</summary>
      <div class="prose">{blocksOf(section.slice(title.length).split('\n'))}</div>
    </details>
  );
}

/** Lines of Markdown, of which the blocks are taken one by one. */
class Lines {
  readonly #lines: readonly string[];
  #place = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get next(): string | undefined {
    return this.#lines[this.#place];
  }

  take(): string {
    this.#place += 1;
    return this.#lines[this.#place - 1] ?? '';
  }

  takeWhile(fits: (line: string) => boolean): string[] {
    const taken: string[] = [];
    while (this.next !== undefined && fits(this.next)) taken.push(this.take());
    return taken;
  }

  /** Whether what follows an empty line belongs to the item before it. */
  get isIndented(): boolean {
    const next = this.#lines.slice(this.#place).find((line) => line !== '');
    return next?.startsWith('  ') ?? false;
  }
}

const ITEM = /^(\d+\.|-) /;

/** Paragraphs, lists, tables and commands: the runbook has nothing else. */
function blocksOf(text: readonly string[]): ComponentChildren[] {
  const lines = new Lines(text);
  const blocks: ComponentChildren[] = [];
  while (lines.next !== undefined) {
    if (lines.next.trim() === '') lines.take();
    else blocks.push(blockOf(lines.next, lines));
  }
  return blocks;
}

function blockOf(first: string, lines: Lines): ComponentChildren {
  if (first.startsWith('```')) {
    lines.take();
    const commands = lines.takeWhile((line) => !line.startsWith('```')).join('\n');
    lines.take();
    return <pre>{commands}</pre>;
  }
  if (first.startsWith('|')) {
    return <RunbookTable rows={lines.takeWhile((line) => line.startsWith('|'))} />;
  }
  if (first.startsWith('#')) return <h3>{lines.take().replace(/^#+ /, '')}</h3>;
  if (!ITEM.test(first)) {
    const text = lines.takeWhile((line) => line.trim() !== '' && !/^(```|\||#)/.test(line));
    return <p>{inline(text.join(' '))}</p>;
  }
  const head = lines.take();
  const rest = lines.takeWhile(
    (line) => line.startsWith('  ') || (line === '' && lines.isIndented),
  );
  const own = [head.replace(ITEM, ''), ...rest.map((line) => line.replace(/^ {1,3}/, ''))];
  return (
    <div class="item">
      <strong>{/^\d+\./.exec(head)?.[0] ?? '•'}</strong>
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
