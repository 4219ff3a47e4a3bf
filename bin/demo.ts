import { ignoreClosedPipes } from '../lib/cli/ignore-closed-pipes.ts';
import { demo } from '../lib/cli/serve/demo.ts';

ignoreClosedPipes();
process.exitCode = await demo();
