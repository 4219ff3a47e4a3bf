import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { ServiceFaults, Write } from '../../../lib/rehearsal/service.ts';
import { secondsSinceStart } from '../../support/virtual-time.ts';
import type { ListFault, WriteFault } from './ordeal.ts';

/** What a lost write leaves behind. */
export interface Memory {
  /** So many reads show how it was at the very beginning. */
  oldReads: number;
}

export function listFaults(
  faults: readonly ListFault[],
  memory: Memory,
): Pick<ServiceFaults, 'onList'> {
  const frozen = new Map<ListFault, readonly Endpoint[]>();
  const hasFlashed = new Set<ListFault>();
  const relapses = new Map<ListFault, number>();
  let first: readonly Endpoint[] | undefined;
  return {
    onList(read) {
      const truth = read();
      first ??= truth;
      if (memory.oldReads > 0) {
        memory.oldReads -= 1;
        return first;
      }
      const fault = faults.find(isNow);
      if (fault === undefined) return truth;
      switch (fault.kind) {
        case 'frozen': {
          const shown = frozen.get(fault) ?? truth;
          frozen.set(fault, shown);
          return shown;
        }
        case 'flash':
          if (hasFlashed.has(fault)) return truth;
          hasFlashed.add(fault);
          return first;
        case 'blind':
          return truth.map((one) => ({ ...one, targetVersion: null, liveVersion: null }));
        case 'empty':
          return [];
        case 'relapse': {
          const nth = (relapses.get(fault) ?? 0) + 1;
          relapses.set(fault, nth);
          const isOnItsWay = (one: Endpoint) => one.targetVersion !== one.liveVersion;
          return nth > 2
            ? truth
            : truth.map((one) => (isOnItsWay(one) ? { ...one, status: 'CHECK_FAILED' } : one));
        }
        case 'odd':
          return truth.map((one, index) =>
            index > 0 && one.status === 'ACTIVE' ? { ...one, status: 'PAUSED' } : one,
          );
        case 'short':
          return truth.slice(1);
        case 'some':
          return truth.filter((_, index) => index % 3 !== 1);
        case 'most':
          return truth.slice(0, Math.max(0, Math.floor(truth.length / 2) - 1));
        case 'hidden':
          return truth.filter((one) => one.targetVersion === one.liveVersion);
        case 'dark':
          return truth.map((one) => (one.liveVersion === 2 ? { ...one, replicas: 0 } : one));
        default:
          throw new SteprollError(fault.kind as ErrorName, 'the list cannot be read');
      }
    },
  };
}

export function writeFaults(
  faults: readonly WriteFault[],
  nameOf: (endpointId: string) => string,
  memory: Memory,
): ServiceFaults {
  const find = (operation: WriteFault['operation'], { endpointId, nth }: Write) =>
    faults.find(
      (fault) =>
        fault.operation === operation && fault.endpoint === nameOf(endpointId) && fault.nth === nth,
    );
  return {
    onRoll: (roll, write) => withFault(find('roll', write), roll, null, memory),
    onStop: (stop, write) => withFault(find('stop', write), stop, undefined, memory),
  };
}

function withFault<T, U>(
  fault: WriteFault | undefined,
  carryOut: () => T,
  mute: U,
  memory: Memory,
): T | U {
  if (fault === undefined) return carryOut();
  switch (fault.kind) {
    case 'ignored':
      return mute;
    case 'mute':
      carryOut();
      return mute;
    case 'unheard':
      carryOut();
      throw noAnswer();
    case 'late':
      setTimeout(() => attempt(carryOut), fault.seconds * 1000);
      throw noAnswer();
    case 'queued':
      setTimeout(() => attempt(carryOut), fault.seconds * 1000);
      return mute;
    case 'forgotten':
      memory.oldReads = 2;
      throw noAnswer();
    case 'lost':
      throw noAnswer();
    default:
      throw new SteprollError(fault.kind as ErrorName, 'the service says no', {
        ...(fault.kind === 'UpstreamThrottled' && { retryAfterSeconds: fault.seconds }),
      });
  }
}

function attempt(carryOut: () => unknown): void {
  try {
    carryOut();
  } catch {
    // Too late: it has vanished, or is stopped. Nobody hears of it.
  }
}

function noAnswer(): SteprollError {
  return new SteprollError(ErrorName.OutcomeUnknown, 'connection reset');
}

export function isNow({ fromSecond, seconds }: Pick<ListFault, 'fromSecond' | 'seconds'>): boolean {
  const now = secondsSinceStart();
  return now >= fromSecond && now < fromSecond + seconds;
}
