import { workOffJobs } from '../../lib/adapters/machine/threads.ts';
import { type Rehearsal, rehearse, type Trial, tryMutant } from './trial.ts';

// What each thread of `npm run mutants` runs.
workOffJobs(async (job: Rehearsal | Trial) =>
  job.task === 'rehearsal' ? await rehearse(job) : await tryMutant(job),
);
