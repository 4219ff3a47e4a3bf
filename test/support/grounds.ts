import { createMemoryLedger } from '../../lib/adapters/ledger/memory/ledger.ts';
import type { WorkflowEngine } from '../../lib/embedded/engine.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { createVirtualTime } from '../../lib/rehearsal/virtual-time.ts';
import { START, type Time } from './scenario-time.ts';

/** What a scenario runs on. */
export interface Grounds {
  readonly time: Time;
  readonly ledger: Ledger;
  readonly engine: WorkflowEngine;
  end(): void;
}

/** What a rehearsal runs on, too. */
export function rehearsalGrounds(): Grounds {
  const time = createVirtualTime(START);
  return {
    time,
    ledger: createMemoryLedger(),
    // All waits before a retry are half of the longest one.
    engine: createInterpreter({ clock: time, random: () => 0.5 }),
    end: () => undefined,
  };
}
