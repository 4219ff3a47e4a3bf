import { demo } from '../lib/cli/demo.ts';
import { ignoreClosedPipes } from '../lib/cli/ignore-closed-pipes.ts';

ignoreClosedPipes();
process.exitCode = await demo();
