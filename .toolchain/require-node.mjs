// Says in one line what is wrong where no package has brought Node.js along and the installed one is too old.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = Number(engines.node.replace('>=', ''));
if (Number(process.versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    `steproll needs Node.js ${needed}, and this is ${process.version}. Install it, and run npm ci again.\n`,
  );
  process.exitCode = 1;
}
