import { differenceOf } from '../simulation/corpus.ts';
import { tryOrdeal } from '../simulation/try-ordeal.ts';
import { STORIES } from './stories.ts';
import { tellStory } from './tell-story.ts';

export const STORIES_FILE = new URL('./stories.md', import.meta.url);

/** All stories as they go today, as the text of their file. @throws when one of them breaks a promise. */
export async function tellStories(): Promise<string> {
  const lines = [
    '# Stories',
    '',
    'Written by `npm run stories`, from `stories.ts`. A change of this file is a change of what a rollout does.',
  ];
  for (const [about, stories] of Object.entries(STORIES)) {
    lines.push('', `## Of ${about}`);
    for (const { name, ordeal } of stories) {
      const told = tellStory(await tryOrdeal(ordeal));
      const drawn = JSON.stringify(differenceOf(ordeal));
      lines.push(
        '',
        `### ${name}`,
        '',
        `drawn: \`${drawn}\``,
        '',
        ...told.map((line) => `- ${line}`),
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
