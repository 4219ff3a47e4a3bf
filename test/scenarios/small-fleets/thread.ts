import { workOffJobs } from '../../../lib/adapters/machine/threads.ts';
import { walk } from './walk.ts';

// What each thread of `npm run small-fleets` runs.
workOffJobs(walk);
