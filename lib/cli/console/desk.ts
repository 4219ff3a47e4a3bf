import type { Desk } from '../../console/desk.ts';
import { rolloutNotFound } from '../../ledger/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import { type EngineOptions, engineArguments } from '../engine/open-engine.ts';
import type { Given } from '../invocation/invocation.ts';
import { sendAct } from './act.ts';
import { readHistory } from './history.ts';
import type { KeptEngine } from './kept-engine.ts';
import { lookAtOpen } from './look.ts';
import { rehearseFor } from './rehearsal.ts';
import type { Retries } from './retries.ts';
import { tellRuntime } from './runtime.ts';
import { foreseeCourse, tellStory } from './story.ts';

interface DeskOptions {
  readonly options: EngineOptions;
  /** The options of the console that other commands have, too. */
  readonly given: Given;
  readonly retries: Pick<Retries, 'start'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What the pages show, from the engine that the command was started with. */
export function createDesk(
  { place, use }: KeptEngine,
  { options, given, retries, clock }: DeskOptions,
): Desk {
  const where = engineArguments(options);
  return {
    async look() {
      const at = clock.now();
      const open = await use((engine) => lookAtOpen(engine, at, where));
      return { at, place, ...(open ?? { rollouts: [], newest: null }) };
    },
    async history(query) {
      const found = await use(({ ledger }) => readHistory(ledger, query));
      return found ?? { rollouts: [], found: 0, runtimes: [] };
    },
    async tell(rolloutId) {
      const story = await use((engine) => tellStory(rolloutId, engine, clock.now(), where));
      if (story === null) throw rolloutNotFound(rolloutId);
      return story;
    },
    foresee: (rolloutId) => use((engine) => foreseeCourse(rolloutId, engine)),
    async runtime(runtimeId, query) {
      const story = await use(({ ledger }) => tellRuntime(runtimeId, query, ledger, clock.now()));
      return story ?? { versions: [], versionsFound: 0, newest: [], endpoints: [] };
    },
    async act(rolloutId, act) {
      if (act.act === 'retry') return retries.start(rolloutId, act.reason);
      const message = await use((engine) => sendAct(rolloutId, act, engine));
      if (message === null) throw rolloutNotFound(rolloutId);
      return { message, rolloutId: null };
    },
    rehearse: (asked) => rehearseFor(asked, given),
  };
}
