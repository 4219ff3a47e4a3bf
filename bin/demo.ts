import { ignoreClosedPipes } from '../lib/cli/invocation/process.ts';
import { demo } from '../lib/cli/local/demo.ts';

ignoreClosedPipes();
process.exitCode = await demo();
