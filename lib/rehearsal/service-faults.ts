import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import type { ListFault, ListLie, While, WriteFault } from './faults.ts';
import type { ServiceFaults, Write } from './service.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What the faults of one rehearsal have in common. */
export interface FaultStage {
  readonly time: Pick<VirtualTime, 'seconds' | 'sleep'>;
  readonly desiredVersion: number | undefined;
  nameOf(endpointId: string): string;
  /** So many reads show how it was at the very beginning, because a write was forgotten. */
  oldReads: number;
  /** Called when a read or a write meets a fault. @default - nobody is told */
  readonly onMet?: (fault: ListFault | WriteFault) => void;
}

/** Makes reads of the list say something else than the truth. */
export function listFaults(
  faults: readonly ListFault[],
  stage: FaultStage,
): Pick<ServiceFaults, 'onList'> {
  const met = new Map<ListFault, Pick<LieContext, 'nth' | 'start'>>();
  let first: readonly Endpoint[] | undefined;
  return {
    onList(read) {
      const truth = read();
      first ??= truth;
      if (stage.oldReads > 0) {
        stage.oldReads -= 1;
        return first;
      }
      const fault = faults.find((one) => isNow(one, stage.time));
      if (fault === undefined) return truth;
      stage.onMet?.(fault);
      const lie = LIES[fault.kind];
      if (lie === undefined)
        throw new SteprollError(fault.kind as ErrorName, 'the list cannot be read');
      const nth = (met.get(fault)?.nth ?? 0) + 1;
      const { start = truth } = met.get(fault) ?? {};
      met.set(fault, { nth, start });
      return lie(truth, { nth, start, first, desiredVersion: stage.desiredVersion });
    },
  };
}

/** What a lie may know. */
interface LieContext {
  /** 1-based: which read of the while it is. */
  readonly nth: number;
  /** The truth at the start of the while, and at the very beginning. */
  readonly start: readonly Endpoint[];
  readonly first: readonly Endpoint[];
  readonly desiredVersion: number | undefined;
}

type Lie = (truth: readonly Endpoint[], known: LieContext) => readonly Endpoint[];

const LIES: Readonly<Record<string, Lie>> = {
  blind: (truth) => truth.map((one) => ({ ...one, targetVersion: null, liveVersion: null })),
  aimless: (truth) => truth.map((one) => ({ ...one, targetVersion: null })),
  lifeless: (truth) => truth.map((one) => ({ ...one, liveVersion: null })),
  mum: ([first, ...truth]) =>
    first === undefined ? [] : [{ ...first, targetVersion: null, liveVersion: null }, ...truth],
  sparse: (truth) => truth.map((one, index) => ({ ...one, ...UNTOLD[index % UNTOLD.length] })),
  bare: (truth) => truth.map((one) => ({ ...one, replicas: 0 })),
  empty: () => [],
  frozen: (_, { start }) => start,
  flash: (truth, { nth, first }) => (nth === 1 ? first : truth),
  relapse: (truth, { nth }) =>
    nth > 2
      ? truth
      : truth.map((one) => (isMoving(one) ? { ...one, status: 'CHECK_FAILED' } : one)),
  odd: (truth) =>
    truth.map((one, index) =>
      index > 0 && one.status === 'ACTIVE' ? { ...one, status: 'PAUSED' } : one,
    ),
  short: (truth) => truth.slice(1),
  some: (truth) => truth.filter((_, index) => index % 3 !== 1),
  most: (truth) => truth.slice(0, Math.max(0, Math.floor(truth.length / 2) - 1)),
  hidden: (truth) => truth.filter((one) => !isMoving(one)),
  dark: (truth, { desiredVersion }) =>
    truth.map((one) => (one.liveVersion === desiredVersion ? { ...one, replicas: 0 } : one)),
} satisfies Record<ListLie, Lie>;

/** What a service leaves out. Some say 0 when there is no version. */
const UNTOLD: readonly Partial<Endpoint>[] = [
  { targetVersion: null },
  { liveVersion: null, status: null },
  { liveVersion: 0, replicas: null },
];

function isMoving({ targetVersion, liveVersion }: Endpoint): boolean {
  return targetVersion !== liveVersion;
}

/** Makes single writes end in another way than they should. */
export function writeFaults(
  faults: readonly WriteFault[],
  stage: FaultStage,
): Pick<ServiceFaults, 'onRoll' | 'onStop'> {
  const find = (operation: WriteFault['operation'], { endpointId, nth }: Write) =>
    faults.find(
      (fault) =>
        fault.operation === operation &&
        fault.endpoint === stage.nameOf(endpointId) &&
        fault.nth === nth,
    );
  return {
    onRoll: (roll, write) => withFault(find('roll', write), roll, null, stage),
    onStop: (stop, write) => withFault(find('stop', write), stop, undefined, stage),
  };
}

function withFault<T, U>(
  fault: WriteFault | undefined,
  carryOut: () => T,
  mute: U,
  stage: FaultStage,
): T | U {
  if (fault === undefined) return carryOut();
  stage.onMet?.(fault);
  const { kind, seconds } = fault;
  const carryOutLater = () => {
    // By then the endpoint may have vanished or be stopped. Nobody hears of it.
    stage.time
      .sleep(seconds * 1000)
      .then(carryOut)
      .catch(() => undefined);
  };
  switch (kind) {
    case 'ignored':
      return mute;
    case 'mute':
      carryOut();
      return mute;
    case 'unheard':
      carryOut();
      throw noAnswer();
    case 'late':
      carryOutLater();
      throw noAnswer();
    case 'queued':
      carryOutLater();
      return mute;
    case 'forgotten':
      stage.oldReads = 2;
      throw noAnswer();
    case 'lost':
      throw noAnswer();
    default:
      throw new SteprollError(kind, 'the service says no', {
        ...(kind === ErrorName.UpstreamThrottled && { retryAfterSeconds: seconds }),
      });
  }
}

function noAnswer(): SteprollError {
  return new SteprollError(ErrorName.OutcomeUnknown, 'connection reset');
}

export function isNow({ fromSecond, seconds }: While, time: Pick<VirtualTime, 'seconds'>): boolean {
  const now = time.seconds();
  return now >= fromSecond && now < fromSecond + seconds;
}
