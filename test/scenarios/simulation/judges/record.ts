import * as z from 'zod';
import { LIFECYCLE_EVENTS, toLifecycleEvent } from '../../../../lib/contract/event.ts';
import { eventRecord, signalRecord } from '../../../../lib/contract/ledger/records.ts';
import { journalEntry } from '../../../../lib/domain/endpoint/stored.ts';
import type { RolloutEvent } from '../../../../lib/domain/rollout/event.ts';
import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';
import * as stored from '../../../../lib/domain/rollout/stored.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';

/**
 * Every event has the shape of its published schema, everything that is stored can be read by the next process, and
 * reasons are short names for programs.
 */
export function shapesAreKept({ told, record, outcome }: ScenarioResult): string[] {
  return [
    ...told.flatMap((event) => faultsOf(event.kind, schemaOf(event), detailOf(event))),
    ...faultsOf('the outcome', stored.outcome, outcome),
    ...(NAME.test(outcome.reason) ? [] : [`the reason "${outcome.reason}" is no name`]),
    ...(record === null ? [] : faultsOfRecord(record)),
  ];
}

function faultsOfRecord({ plan, rollback, progress, journal, signals, events }: AskedRollout) {
  return [
    ...(plan === null ? [] : faultsOf('the plan', stored.rolloutPlan, plan)),
    ...(rollback === null ? [] : faultsOf('the rollback', stored.rollback, rollback)),
    ...(progress === null ? [] : faultsOf('the progress', stored.waveProgress, progress)),
    ...faultsOf('the journal', z.array(journalEntry), journal),
    ...signals.flatMap((signal) => faultsOf('a signal', signalRecord, signal)),
    ...events.flatMap((event) => faultsOf('an event', eventRecord, event)),
    ...journal.flatMap(({ reason = 'none' }) =>
      NAME.test(reason) ? [] : [`the reason "${reason}" in the journal is no name`],
    ),
  ];
}

const NAME = /^[A-Za-z][\w.-]*$/;

function schemaOf({ kind }: RolloutEvent): z.ZodType {
  return LIFECYCLE_EVENTS[kind].detail;
}

function detailOf(event: RolloutEvent): unknown {
  return toLifecycleEvent(event).detail;
}

function faultsOf(what: string, schema: z.ZodType, value: unknown): string[] {
  const { success, error } = schema.safeParse(value);
  return success ? [] : [`${what} has not its shape: ${error.issues[0]?.path}: ${error.message}`];
}
