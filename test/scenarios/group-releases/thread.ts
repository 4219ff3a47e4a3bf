import { workOffJobs } from '../../../lib/adapters/machine/threads.ts';
import { simulateRelease } from './simulate.ts';

// What each thread of `npm run group-releases` runs.

workOffJobs(simulateRelease);
