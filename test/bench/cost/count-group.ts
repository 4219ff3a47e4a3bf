import { AsyncLocalStorage } from 'node:async_hooks';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { EngineInput, TaskHandler } from '../../../lib/embedded/engine.ts';
import { createVirtualTime, noMicrotasks } from '../../../lib/rehearsal/virtual-time.ts';
import { onGroupStage, withEach } from '../../support/group-stage.ts';
import type { Cost } from './cost.ts';
import { eventsOf } from './count-rollout.ts';
import { EVENTS_OF_EXECUTION } from './history-events.ts';
import { openCountedLedger } from './open-counted-ledger.ts';

const GROUP_ROLLOUT = 'release-1';

interface Counts {
  transitions: number;
  invocations: number;
  httpCalls: number;
  historyEvents: number;
  read: number;
  write: number;
}

/** A step that runs, and where its calls are counted. What it leaves running after its end is no part of it. */
interface RunningStep {
  readonly counts: Counts;
  isOver: boolean;
}

export interface GroupCost {
  /** What the rollout of the group adds to its children. */
  readonly group: Cost;
  readonly children: Cost;
}

/**
 * Releases a group of so many runtimes with the default policies, and counts what it takes. An HTTP call is a page of
 * a list or a write, so `endpoints` must fit into a page.
 *
 * @throws when it does not succeed.
 */
export async function countGroup(
  runtimes: number,
  endpoints: number,
  rollSeconds: number,
): Promise<GroupCost> {
  const counts = { group: noCounts(), children: noCounts() };
  const steps = new AsyncLocalStorage<RunningStep>();
  const findCounts = () => {
    const step = steps.getStore();
    return step === undefined || step.isOver ? null : step.counts;
  };
  const { ledger, end } = await openCountedLedger(findCounts);
  const observe = (execution: EngineInput): EngineInput => {
    const own = execution.name.startsWith(GROUP_ROLLOUT) ? counts.group : counts.children;
    own.historyEvents += EVENTS_OF_EXECUTION;
    const run = (handle: TaskHandler): TaskHandler => {
      return (parameters) => {
        own.invocations += 1;
        const step = { counts: own, isOver: false };
        return steps.run(step, () =>
          handle(parameters).finally(() => {
            step.isOver = true;
          }),
        );
      };
    };
    const { handlers, onState } = execution;
    return {
      ...execution,
      handlers: Object.fromEntries(
        Object.entries(handlers).map(([state, handle]) => [state, run(handle)]),
      ),
      onState(state) {
        own.transitions += 1;
        own.historyEvents += eventsOf(state);
        onState?.(state);
      },
    };
  };
  let calls = 0;
  const watched = withEach(ledger, (call) => {
    calls += 1;
    return call().finally(() => {
      calls -= 1;
    });
  });
  const time = createVirtualTime(Date.UTC(2026, 0, 1), async () => {
    do await noMicrotasks();
    while (calls > 0);
  });
  try {
    await onGroupStage(
      {
        runtimes: Array.from({ length: runtimes }, (_, index) => `tenant-${index + 1}`),
        endpoints,
        rollSeconds,
        ofRuntimes: { bakeSeconds: DEFAULT_POLICY.bakeSeconds },
      },
      async (stage) => {
        const { outcome, message } = await stage.createProcess().run(GROUP_ROLLOUT, 2);
        if (outcome !== 'Succeeded') throw new Error(`The group was not released: ${message}`);
      },
      {
        time,
        observe,
        ledger: watched,
        onCall() {
          const own = findCounts();
          if (own !== null) own.httpCalls += 1;
        },
      },
    );
    return { group: costOf(counts.group), children: costOf(counts.children) };
  } finally {
    end();
  }
}

function noCounts(): Counts {
  return { transitions: 0, invocations: 0, httpCalls: 0, historyEvents: 0, read: 0, write: 0 };
}

function costOf({ read: readUnits, write: writeUnits, ...counts }: Counts): Cost {
  return { ...counts, readUnits, writeUnits };
}
