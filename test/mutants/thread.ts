import { workOffJobs } from '../../lib/adapters/machine/threads.ts';
import { isShown, type Reduction, reduce, type Showing } from './reduce.ts';
import { type Rehearsal, rehearse, type Trial, tryMutant } from './trial.ts';

// A mutant may leave an error to nobody. Only the thread of a hunt lives on after that.
process.on('unhandledRejection', () => {});

// What each thread of `npm run mutants` runs.
workOffJobs(async (job: Rehearsal | Trial | Reduction | Showing) => {
  switch (job.task) {
    case 'rehearsal':
      return await rehearse(job);
    case 'trial':
      return await tryMutant(job);
    case 'reduction':
      return await reduce(job);
    case 'showing':
      return await isShown(job);
    default:
      return job satisfies never;
  }
});
