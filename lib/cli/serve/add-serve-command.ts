import type { Command } from 'commander';
import type { Runnable } from '../invocation.ts';
import { serve } from './serve.ts';

export function addServeCommand(program: Command): Runnable[] {
  const command = program
    .command('serve')
    .description('Serve an embedded endpoint service on the loopback address, to try things out.')
    .option('--port <n>', 'port; 0 takes a free one; default 8080')
    .option('--scenario <file>', 'JSON with runtimes, endpoints and faults; default 12 endpoints')
    .option('--path-prefix <path>', 'path before /agent-runtimes, such as /runtime')
    .addHelpText('after', SERVE_HELP);
  return [[command, serve]];
}

const SERVE_HELP = `
The URL is printed to stdout, every request to stderr.

Examples:
  steproll serve
  steproll serve --port 0 --scenario rehearsal.json
  steproll serve --path-prefix /runtime

A scenario:
  {
    "runtimes": [
      { "id": "shop", "version": 1, "endpoints": 12, "rollSeconds": 2 }
    ],
    "faults": [{ "endpoint": "endpoint-03", "version": 3, "kind": "stuck" }]
  }`;
