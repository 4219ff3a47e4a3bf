import { writeFileSync } from 'node:fs';
import { STORIES_FILE, tellStories } from './tell-stories.ts';

// npm run stories
//
// Writes down how the stories go today. What the change shows is what the rollouts do in another way than before.

writeFileSync(STORIES_FILE, await tellStories());
