#!/usr/bin/env node
import { ignoreClosedPipes } from '../lib/cli/invocation/process.ts';
import { runProgram } from '../lib/cli/program.ts';
import packageJson from '../package.json' with { type: 'json' };

ignoreClosedPipes();
process.exitCode = await runProgram(process.argv.slice(2), packageJson.version);
