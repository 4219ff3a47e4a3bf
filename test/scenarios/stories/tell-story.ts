import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import { nameOfOutcome, type Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { isOpeningState } from '../../../lib/domain/rollout/wait.ts';
import { isWrite, type WriteCall } from '../../../lib/rehearsal/calls.ts';
import type { Run } from '../../support/run-scenario.ts';
import type { Observed } from '../simulation/to-script.ts';

/** The course of a rollout in the order in which it happened, and of the rollouts beside it. */
export function tellStory(run: Observed): readonly string[] {
  const listed = [...run.endpoints.values()].map(({ id, name }) => [id, name ?? id] as const);
  // One that has vanished is still in the plan.
  const planned = (run.record?.plan?.endpoints ?? []).map(
    ({ endpointId, name }) => [endpointId, name ?? endpointId] as const,
  );
  const names = new Map([...planned, ...listed]);
  const nameOf = (id: string) => names.get(id) ?? id;
  const { earlier, releases, undone } = run;
  // A release that somebody else has asked for counts only by what became of it.
  const others = [
    ...(earlier === null
      ? []
      : [{ who: 'the rollout before it', outcome: earlier.record.outcome }]),
    ...releases.map(({ outcome }) => ({ who: 'another release', outcome })),
  ];
  return [
    ...waitsOf(run),
    ...actsOf(run, nameOf),
    ...(run.states.includes('Hand over') ? ['an execution handed over to the next one'] : []),
    `ended: ${tellOutcome(run.outcome)}`,
    ...others.map(
      ({ who, outcome }) => `${who} ended: ${outcome ? tellOutcome(outcome) : 'not yet'}`,
    ),
    ...(undone === null
      ? []
      : [
          'somebody undoes it',
          ...actsOf(undone.run, nameOf),
          `the undoing ended: ${tellOutcome(undone.run.outcome)}`,
        ]),
    `asked to be, in the end: ${[...run.endpoints.values()].map(tellEndpoint).join(', ')}`,
  ];
}

/** Before it begins. How often it asks there is its pace. */
function waitsOf({ states }: Run): readonly string[] {
  return states.some(isOpeningState) ? ['waits to begin'] : [];
}

interface Told {
  readonly at: number;
  readonly rank: number;
  readonly line: string;
}

/** What the service, the bus and the ledger got, without the time at which they got it. */
function actsOf({ calls, told, record }: Run, nameOf: (id: string) => string): readonly string[] {
  const once = new Map(told.map((event) => [event.eventId, event]));
  const all: readonly Told[] = [
    ...(record?.signals ?? []).map((signal) => ({
      ...{ at: signal.at, rank: 0 },
      line: tellSignal(signal),
    })),
    ...[...once.values()].flatMap((event) => {
      const line = tellEvent(event);
      return line === null ? [] : [{ at: event.at, rank: 1, line }];
    }),
    ...calls.filter(isWrite).map((call) => ({
      ...{ at: call.at, rank: 2 },
      line: tellWrite(call, nameOf),
    })),
    ...(record?.journal ?? []).filter(isNotSent).map((entry) => ({
      ...{ at: entry.at, rank: 3 },
      line: tellNotSent(entry, nameOf),
    })),
  ];
  return all.toSorted((a, b) => a.at - b.at || a.rank - b.rank).map(({ line }) => line);
}

function isNotSent({ result }: JournalEntry): boolean {
  return result === 'kept' || result === 'not-sent';
}

function tellSignal({ kind, wave, onFailure }: Signal): string {
  const which = wave === null ? '' : ` of wave ${wave + 1}`;
  return `somebody says ${kind}${which}${onFailure === undefined ? '' : `, then ${onFailure}`}`;
}

function tellEvent(event: RolloutEvent): string | null {
  switch (event.kind) {
    case 'started':
      return `started: ${event.endpoints} in ${event.waves} waves, ${event.leftOut} left out`;
    case 'failing':
      return `failing: ${event.reason}, then ${event.onFailure}`;
    case 'ended':
      return null;
    default: {
      const way = event.direction === 'back' ? ' on the way back' : '';
      return `${event.kind} ${event.wave} of ${event.waves}${way}`;
    }
  }
}

function tellWrite(
  { operation, endpointId, version, answer }: WriteCall,
  nameOf: (id: string) => string,
): string {
  const what =
    operation === 'roll'
      ? `roll ${nameOf(endpointId)} to ${version}`
      : `stop ${nameOf(endpointId)}`;
  return `${what}: ${answer ?? 'never answered'}`;
}

function tellNotSent(
  { operation, endpointId, result, reason }: JournalEntry,
  nameOf: (id: string) => string,
): string {
  return `${operation} ${nameOf(endpointId)}: ${result}${reason === undefined ? '' : `, ${reason}`}`;
}

function tellOutcome(outcome: Outcome): string {
  return `${nameOfOutcome(outcome)}, ${outcome.cleanup}`;
}

/** What it is on its way to counts, and not how far it is. */
function tellEndpoint({ name, targetVersion, status }: Endpoint): string {
  return `${name} ${status === 'STOPPED' ? 'stopped' : `at ${targetVersion}`}`;
}
