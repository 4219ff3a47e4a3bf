#!/usr/bin/env node

const NEEDED = 24;

/** Everything is imported after the check, because an older Node.js fails on an import before it runs a line. */
async function start(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) < NEEDED) {
    process.stderr.write(`steproll needs Node.js ${NEEDED}, and this is ${process.version}.\n`);
    process.exit(2);
  }
  const { default: packageJson } = await import('../package.json', { with: { type: 'json' } });
  // Scripts ask for this often, and on its own it needs nothing of the program.
  if (process.argv.length === 3 && process.argv[2] === '--version') {
    process.stdout.write(`${packageJson.version}\n`);
    return;
  }
  const { keepCompiled, leaveOutLanguages } = await import(
    '../lib/adapters/machine/quick-start.ts'
  );
  // The program is loaded after these calls, because they count only for code that is loaded later.
  keepCompiled();
  leaveOutLanguages();
  const { main } = await import('../lib/commands/program.ts');
  await main(packageJson.version);
}

// The package has this file as CommonJS, where nothing can be awaited here.
start();
