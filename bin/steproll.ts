#!/usr/bin/env node
import { keepCompiled } from '../lib/adapters/machine/compile-cache.ts';
import packageJson from '../package.json' with { type: 'json' };

// The program is loaded after this call, because only code that is loaded later is kept.
keepCompiled();
const { ignoreClosedPipes } = await import('../lib/cli/invocation/process.ts');
const { runProgram } = await import('../lib/cli/program.ts');

ignoreClosedPipes();
process.exitCode = await runProgram(process.argv.slice(2), packageJson.version);
