#!/usr/bin/env node
import { runProgram } from '../lib/cli/program.ts';
import packageJson from '../package.json' with { type: 'json' };

process.exitCode = await runProgram(process.argv.slice(2), packageJson.version);
