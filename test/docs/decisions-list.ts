import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Each record by its title, in the order of their numbers. */
export function decisionsList(): string {
  const lines = globSync('contributing/decisions/[0-9]*.md')
    .toSorted()
    .map((file) => {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
      return `${number}. [${title}](${basename(file)})`;
    });
  return lines.join('\n');
}
