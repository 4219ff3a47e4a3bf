import type { Ordeal } from './ordeal.ts';

/** What may be the only thing that goes wrong. */
export type Ailment =
  | 'broken'
  | 'lists'
  | 'writes'
  | 'people'
  | 'word'
  | 'alarms'
  | 'clock'
  | 'death'
  | 'stall';

/** None of it does. */
export const HALE: Pick<Ordeal, Ailment> = {
  broken: [],
  lists: [],
  writes: [],
  people: [],
  word: null,
  alarms: [],
  clock: null,
  death: null,
  stall: null,
};

/** A rollout in which nothing goes wrong. */
export const QUIET: Ordeal = {
  ...HALE,
  endpoints: [
    { name: 'endpoint-01', version: 1 },
    { name: 'endpoint-02', version: 1 },
  ],
  rollSeconds: 5,
  policy: {
    waves: [{ percent: 100 }],
    maxUnavailable: { percent: 25 },
    failureThreshold: { endpoints: 0 },
    onFailure: 'stop-old',
    bakeSeconds: 0,
    pollSeconds: 5,
    maxPollSeconds: 15,
    progressDeadlineSeconds: 90,
    minServing: 0,
    selection: { names: [], ids: [], exclude: [] },
    protect: [],
    maxVersionStep: 1_000,
    allowDowngrade: true,
    onConflict: 'refuse',
    verify: { probe: null, alarms: [], metrics: [], approval: null },
  },
  busDown: null,
  resumesAfter: 0,
  badReleases: 0,
  undo: null,
  earlier: null,
  ahead: null,
  guises: [],
  latencyMs: 0,
  opensAfter: 0,
  executionEvents: 10_000,
  executionSeconds: 10 * 24 * 3600,
  cannotStop: false,
  asked: null,
  hours: null,
  readings: [],
  wire: null,
};
