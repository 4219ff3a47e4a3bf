#!/usr/bin/env node

// Everything is imported after this check, because an older Node.js fails on an import before it runs a line.
const NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(`steproll needs Node.js ${NEEDED}, and this is ${process.version}.\n`);
  process.exit(2);
}

const { keepCompiled } = await import('../lib/adapters/machine/compile-cache.ts');
// The program is loaded after this call, because only code that is loaded later is kept.
keepCompiled();
const { default: packageJson } = await import('../package.json', { with: { type: 'json' } });
const { ignoreClosedPipes } = await import('../lib/cli/invocation/process.ts');
const { runProgram } = await import('../lib/cli/program.ts');

ignoreClosedPipes();
process.exitCode = await runProgram(process.argv.slice(2), packageJson.version);
