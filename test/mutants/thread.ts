import { workOffJobs } from '../../lib/adapters/machine/threads.ts';
import { type Reduction, reduce } from './reduce.ts';
import { type Rehearsal, rehearse, type Trial, tryMutant } from './trial.ts';

// What each thread of `npm run mutants` runs.
workOffJobs(async (job: Rehearsal | Trial | Reduction) => {
  if (job.task === 'rehearsal') return await rehearse(job);
  return job.task === 'trial' ? await tryMutant(job) : await reduce(job);
});
