import { readFileSync } from 'node:fs';
import { type KeepReason, keptBecause } from '../../lib/domain/containment/decide-stop.ts';

/** What is asked before a stop, and the answer that keeps the stop back. */
const QUESTIONS: Readonly<Record<KeepReason, readonly [question: string, keeps: 'yes' | 'no']>> = {
  'cannot-stop': ['Can its service stop any endpoint?', 'no'],
  'list-unreadable': ['Can the list be read?', 'no'],
  vanished: ['Is the endpoint in the list?', 'no'],
  'went-live': ['Is it live on the version?', 'yes'],
  'stopped-already': ['Is it stopped?', 'yes'],
  'live-unknown': ['Does the list tell what is live there, and where it goes?', 'no'],
  moved: ['Was it moved, and not by this rollout?', 'yes'],
  'not-rolled': ['Did this rollout roll it?', 'no'],
  'never-seen-moving': ['Has a list shown the roll?', 'no'],
  recovering: ['Does it still show why the rollout failed?', 'no'],
  protected: ['Does the policy protect it?', 'yes'],
  pinned: ['Is it pinned, or was it meanwhile?', 'yes'],
  'min-serving': ['Would enough others be left serving?', 'no'],
};

/** Rows so close together that all of the tree fits on a page. */
const SPACING =
  '%%{init: {"flowchart": {"rankSpacing": 18, "padding": 6, "wrappingWidth": 320}}}%%';

/** What has to be there before the decision can ask anything. */
const BEFORE: readonly KeepReason[] = ['cannot-stop', 'list-unreadable'];

/** The questions before a stop as a Mermaid flowchart, in the order in which the code asks them. */
export function stopTree(source = decisionSource()): string {
  const reasons = [...new Set([...BEFORE, ...reasonsIn(source)])];
  const lines = reasons.flatMap((reason, index) => {
    const [question, keeps] = QUESTIONS[reason];
    const next = index + 1 < reasons.length ? `row${index + 1}` : 'stopped';
    return [
      // A row for each question, which Mermaid sets one below the other. Without rows they go down in a diagonal.
      `subgraph row${index} [" "]`,
      '  direction LR',
      `  q${index}{{"${question}"}} -->|${keeps}| k${index}["kept: ${keptBecause(reason)}"]`,
      'end',
      `row${index} -->|${keeps === 'yes' ? 'no' : 'yes'}| ${next}`,
    ];
  });
  const text = [
    SPACING,
    'flowchart TD',
    ...lines.map((line) => `  ${line}`),
    '  stopped([stop it])',
  ];
  return `\`\`\`mermaid\n${text.join('\n')}\n\`\`\``;
}

function reasonsIn(source: string): KeepReason[] {
  const [, body = ''] = /\nfunction reasonToKeep\b(.*?)\n}\n/s.exec(source) ?? [];
  return [...body.matchAll(/(?:return|\?) '([a-z-]+)'/g)].map(([, reason]) => reason as KeepReason);
}

function decisionSource(): string {
  const file = new URL('../../lib/domain/containment/decide-stop.ts', import.meta.url);
  return readFileSync(file, 'utf8');
}
