import { join } from 'node:path';
import { fillIn } from '../../contract/functions/environment.ts';
import { readParsed } from '../machine/files.ts';

/** A file that the deployment has put beside the code. @throws `InvalidInput` when it is not there or not JSON. */
export function readCodeFile(name: string): unknown {
  // Lambda says where the code is. A bundle in CommonJS has no `import.meta.dirname`.
  return readParsed(join(process.env.LAMBDA_TASK_ROOT ?? '', name), (text) =>
    JSON.parse(fillIn(text, process.env)),
  );
}
