import { expect, test } from '@jest/globals';
import { createProgram } from '../../lib/commands/program.ts';
import { cliReference } from './cli-reference.ts';

const reference = cliReference();

test('every command that runs has a section with all of its options', () => {
  const { runnables } = createProgram('');
  const headings = [...reference.matchAll(/^## `steproll (.+)`$/gm)];
  expect(headings).toHaveLength(runnables.length);
  for (const option of runnables.flatMap(([command]) => command.options)) {
    expect(reference).toContain(`| \`${option.flags}\` |`);
  }
});

test('a section has arguments, choices and examples, and not what all have', () => {
  const [, section = ''] = /^## `steproll rollout abort`\n(.*?)^## /ms.exec(reference) ?? [];
  expect(section).toContain(
    '- `rollout-id`: the rollout: its id, the beginning of that, or of its hash (required)',
  );
  expect(section).toMatch(/`--on-abort <policy>` \|.*: `stop-old`, `roll-back`, `hold`/);
  expect(section).toContain('steproll rollout abort');
  expect(section).not.toContain('--endpoint-url');
  expect(section).not.toContain('Exit codes');
});
