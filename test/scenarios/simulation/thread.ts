import { workOffJobs } from '../../../lib/adapters/machine/threads.ts';
import { simulate } from './simulate.ts';

// What each thread of `npm run simulate` runs.

// Rollouts survive many errors, and nobody reads where those were thrown. To note it takes a fifteenth of the time.
Error.stackTraceLimit = 0;

workOffJobs(simulate);
