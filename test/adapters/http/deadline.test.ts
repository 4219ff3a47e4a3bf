import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { untilAborted } from '../../../lib/adapters/http/send-request.ts';

const MODULE = fileURLToPath(
  new URL('../../../lib/adapters/http/send-request.ts', import.meta.url),
);

/** What a program that waits like this ends with: failures that nobody handles, and the answer. */
async function runProgram(wait: string): Promise<unknown> {
  const worker = new Worker(
    `import { parentPort } from 'node:worker_threads';
     import { untilAborted } from ${JSON.stringify(MODULE)};
     const unhandled = [];
     process.on('unhandledRejection', (error) => unhandled.push(error.message));
     const caught = await (${wait}).then(() => null, (error) => error.message);
     setTimeout(() => parentPort.postMessage({ caught, unhandled }), 20);`,
    { eval: true, execArgv: ['--input-type=module'] },
  );
  const [message] = await once(worker, 'message');
  await worker.terminate();
  return message;
}

test('work that fails after the signal has aborted is handled', async () => {
  const wait = `untilAborted(Promise.reject(new Error('dead')), AbortSignal.abort(new Error('enough')))`;
  expect(await runProgram(wait)).toEqual({ caught: 'enough', unhandled: [] });
});

test('work that is done at once is not answered either when the signal has aborted', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(untilAborted('done', signal)).rejects.toThrow('enough');
  await expect(untilAborted(Promise.resolve('done'), signal)).rejects.toThrow('enough');
});

test('work that goes on is no longer waited for when the signal aborts', async () => {
  const caller = new AbortController();
  const waiting = untilAborted(new Promise(() => {}), caller.signal);
  caller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
