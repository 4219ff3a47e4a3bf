import { workOffJobs } from '../../../lib/adapters/machine/threads.ts';
import { simulate } from './simulate.ts';

// What each thread of `npm run simulate` runs.
workOffJobs(simulate);
