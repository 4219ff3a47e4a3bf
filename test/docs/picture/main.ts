import { writeFileSync } from 'node:fs';
import { demo } from '../../../lib/cli/local/demo.ts';
import { recordScreen, type Shot } from './record-screen.ts';
import { THEMES, toSvg } from './to-svg.ts';

/** Records `npm start` and writes its pictures for the README, one for light pages and one for dark ones. */
const SIZE = { columns: 88, rows: 24 };
const TITLE = 'A rollout of 12 endpoints to a good version, and one to a version that is broken';

/** Pictures that follow one another faster are left out. */
const SHORTEST_MS = 900;

const { screen, shots } = recordScreen(SIZE.columns, SIZE.rows);
process.exitCode = await demo(screen);
const kept: Shot[] = [];
for (const shot of shots) {
  const last = kept.at(-1);
  const isSoon = last !== undefined && shot.at - last.at < SHORTEST_MS;
  if (isSoon) kept.pop();
  kept.push(isSoon ? { ...shot, at: last.at } : shot);
}
for (const [name, theme] of Object.entries(THEMES)) {
  writeFileSync(`docs/pictures/rollout-${name}.svg`, toSvg(kept, SIZE, theme, TITLE));
}
