import { workOffJobs } from '../adapters/machine/threads.ts';
import { rehearseChunk } from './many.ts';

// What each thread of many rehearsals runs.
workOffJobs(rehearseChunk);
