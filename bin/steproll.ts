#!/usr/bin/env node
import { runProgram } from '../lib/cli/program.ts';
import packageJson from '../package.json' with { type: 'json' };

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runProgram(process.argv.slice(2), packageJson.version);
