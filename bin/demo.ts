import { demo } from '../lib/cli/demo.ts';

process.exitCode = await demo();
