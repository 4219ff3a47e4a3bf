import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';

interface JobOptions<Job, Result> {
  readonly jobs: readonly Job[];
  /** The file that each thread runs: it calls `workOffJobs`. */
  readonly thread: URL;
  /** Does a job in this thread, for jobs that are too few to be worth a thread. */
  readonly here: (job: Job) => Promise<Result>;
  /** Called with each result when it is there, in any order, and with the place of its job. */
  readonly onResult?: (result: Result, index: number) => void;
  /** Ends the threads. @default - all jobs are done */
  readonly signal?: AbortSignal | undefined;
}

/** A thread takes longer to begin than so many jobs take. */
const LEAST_JOBS = 4;

/**
 * Does jobs on all processors of this machine and answers their results, in the order of the jobs. Jobs and results
 * are plain data.
 *
 * @throws the first error of a job, and the reason of the signal.
 */
export async function runJobs<Job, Result>(options: JobOptions<Job, Result>): Promise<Result[]> {
  const { jobs, here, onResult, signal } = options;
  signal?.throwIfAborted();
  const rest = jobs.entries();
  const results: Result[] = [];
  const workOff = async (work: (job: Job) => Promise<Result>) => {
    for (const [index, job] of rest) {
      signal?.throwIfAborted();
      const result = await work(job);
      results[index] = result;
      onResult?.(result, index);
      // Without this, Ctrl-C would not be heard before the end.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const threads = Math.min(availableParallelism(), Math.floor(jobs.length / LEAST_JOBS));
  if (threads < 2) await workOff(here);
  else await inThreads(threads, options, workOff);
  signal?.throwIfAborted();
  return results;
}

async function inThreads<Job, Result>(
  count: number,
  { thread, signal }: Pick<JobOptions<Job, Result>, 'thread' | 'signal'>,
  workOff: (work: (job: Job) => Promise<Result>) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: count }, () => new Worker(thread));
  const end = () => Promise.all(workers.map((worker) => worker.terminate()));
  signal?.addEventListener('abort', end, { once: true });
  try {
    await Promise.all(workers.map((worker) => workOff(asker(worker))));
  } finally {
    signal?.removeEventListener('abort', end);
    await end();
  }
}

/** A job that failed in its thread. Only plain data comes out of a thread. */
type Answer<Result> = { readonly result: Result } | { readonly error: Error };

/** Sends jobs to a thread, one at a time. */
function asker<Job, Result>(worker: Worker): (job: Job) => Promise<Result> {
  let asked: PromiseWithResolvers<Result> | undefined;
  worker.on('message', (answer: Answer<Result>) => {
    if ('error' in answer) asked?.reject(answer.error);
    else asked?.resolve(answer.result);
  });
  worker.on('error', (error) => asked?.reject(error));
  worker.on('exit', () => asked?.reject(new Error('A thread has ended too early.')));
  return (job) => {
    asked = Promise.withResolvers();
    worker.postMessage(job);
    return asked.promise;
  };
}

/** In a thread of `runJobs`: does every job that it is sent. */
export function workOffJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  parentPort?.on('message', async (job: Job) => {
    const answer = await work(job).then(
      (result): Answer<Result> => ({ result }),
      (error: unknown): Answer<Result> => ({
        error: error instanceof Error ? error : new Error(String(error)),
      }),
    );
    parentPort?.postMessage(answer);
  });
}
