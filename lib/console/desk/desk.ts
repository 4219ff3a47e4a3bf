import { whenDue } from '../../cli/config/when-due.ts';
import type { Engine } from '../../cli/engine/engine.ts';
import { type EngineOptions, engineArguments } from '../../cli/engine/open-engine.ts';
import { findStanding } from '../../cli/hold/lift.ts';
import type { Given } from '../../cli/invocation/invocation.ts';
import { readReport, SINCE, sinceOf } from '../../cli/report.ts';
import { readOpen } from '../../cli/rollout/read-open.ts';
import type { RolloutSchedule } from '../../contract/config/schedules.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { Clock } from '../../ports/clock.ts';
import { storyOf } from '../../telling/story/story.ts';
import { listComing } from '../../telling/words/coming.ts';
import { describeReport, tellReport } from '../../telling/words/report.ts';
import { LOOKED_THROUGH } from '../asked.ts';
import type { Desk } from '../desk.ts';
import { sendAct } from './act.ts';
import { lookForDrift } from './drift.ts';
import { findEndpoints } from './endpoints.ts';
import { readHistory } from './history.ts';
import { addHolds, liftHolds } from './holds.ts';
import type { KeptEngine } from './kept-engine.ts';
import { lookAtOpen } from './look.ts';
import { rehearseFor } from './rehearsal.ts';
import type { Runs } from './runs.ts';
import { tellRuntime } from './runtime.ts';
import { shellOf } from './shell.ts';
import { foreseeCourse, tellStory } from './story.ts';

interface DeskOptions {
  readonly options: EngineOptions;
  /** The runtimes of the configuration. */
  readonly configured: readonly string[];
  /** The schedules of the configuration. */
  readonly schedules: readonly RolloutSchedule[];
  /** The options of the console that other commands have, too. */
  readonly given: Given;
  readonly runs: Pick<Runs, 'start' | 'resume' | 'tellHolds'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What the pages show, from the engine that the command was started with. */
export function createDesk(
  { place, use, begin }: KeptEngine,
  { options, configured, schedules, given, runs, clock }: DeskOptions,
): Desk {
  const where = engineArguments(options);
  const isOnAws = options['--engine'] === 'aws';
  const runsHere = !isOnAws;
  const shell = shellOf(given, isOnAws);
  /** What is held is held, whoever can be told. */
  const tellHolds = () => void runs.tellHolds().catch(() => undefined);
  return {
    async look() {
      const at = clock.now();
      const open = await use((engine) => lookAtOpen(engine, at, where));
      return { at, place, shell, runsHere, ...open };
    },
    history: (query) => use(({ ledger }) => readHistory(ledger, query, clock.now(), where)),
    tell: (rolloutId) => use((engine) => tellStory(rolloutId, engine, clock.now(), where)),
    foresee: (rolloutId) => use((engine) => foreseeCourse(rolloutId, engine)),
    runtime: (id, query) => use(({ ledger }) => tellRuntime(id, query, ledger, clock.now())),
    async report({ since }) {
      const now = clock.now();
      const at = sinceOf(since, now);
      if (at === null) throw invalidInput('query', [`since: ${SINCE}`]);
      const report = await use((engine) => readReport(engine, { since: at, now }, where));
      const told = tellReport(report);
      return { ...told, text: describeReport(told).join('\n') };
    },
    drift: (id) => use((engine) => lookForDrift(id, given, engine, where)),
    async coming() {
      const now = clock.now();
      const [open, holds] = await use((engine) =>
        Promise.all([readOpen(engine), findStanding(engine.ledger)]),
      );
      const coming = listComing({
        now,
        open: open.map(({ record, isAbandoned }) => storyOf(record, now, isAbandoned)),
        schedules: schedules.map((one) => ({ name: one.name, ...whenDue(one, now) })),
        holds,
      });
      return { at: now, coming };
    },
    find: (text) => use(({ ledger }) => findEndpoints(text, ledger)),
    async act(rolloutId, act) {
      const isRun = act.act === 'retry' || act.act === 'revert' || act.act === 'resume';
      if (!isRun) return use((engine) => sendAct(rolloutId, act, engine));
      // What runs opens a ledger of its own, and must not create one where the console's is gone.
      await use(({ ledger }) => ledger.read(rolloutId));
      return act.act === 'resume'
        ? runs.resume(rolloutId)
        : runs.start(act.act, rolloutId, act.reason);
    },
    async hold(asked) {
      const add = (engine: Engine) => addHolds(asked, engine, where);
      const done = await begin(add);
      tellHolds();
      return done;
    },
    async lift(holdId, asked) {
      const done = await use((engine) => liftHolds(holdId, asked, engine));
      tellHolds();
      return done;
    },
    async runtimes() {
      const past = await use(({ ledger }) => ledger.list({ limit: LOOKED_THROUGH }));
      const all = [...configured, ...past.map(({ runtimeId }) => runtimeId)];
      return [...new Set(all)].filter((id) => groupNameOf(id) === null).toSorted();
    },
    async rehearse(asked) {
      const holds = await use(({ ledger }) => findStanding(ledger));
      return rehearseFor(asked, given, holds, clock.now());
    },
  };
}
