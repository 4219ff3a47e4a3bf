import type { CheckAnswer } from '../../../lib/gates/check-answer.ts';
import type { ListFault, WriteFault } from '../../../lib/rehearsal/faults.ts';
import type { Death } from '../../../lib/rehearsal/mortal-ledger.ts';
import { gatesIn } from '../../support/gates-in.ts';
import type { Stall } from '../../support/stalling-ledger.ts';
import {
  type Act,
  type AlarmFault,
  type ClockJump,
  type DrawnHold,
  type Exchange,
  type GateFault,
  type Ordeal,
  type Promotion,
  wasLeft,
} from './ordeal.ts';
import { QUIET } from './quiet.ts';

// What the table of a simulation calls the faults.

export const WORD = 'abort in the midst of writes';

export const BUS_DOWN = 'event bus down';
export const BAD_RELEASES = 'three bad releases after it';
export const UNDONE = 'undone after its end';
export const OCCUPIED = 'another rollout has the runtime';
export const OUTRUN = 'a newer rollout was asked for';
export const SLOW_SERVICE = 'slow service';
export const FREEZE = 'freeze at its start';
export const WINDOWS_OF_ROLLS = 'windows that bind rolls';
export const HAND_OVER = 'execution hands over early';
export const LEFT = 'nobody goes on after its death';

export function nameOfFault(fault: ListFault | WriteFault): string {
  return `${'operation' in fault ? fault.operation : 'list'}: ${fault.kind}`;
}

export function nameOfBroken({ kind }: Ordeal['broken'][number]): string {
  return `endpoint: ${kind}`;
}

export function nameOfAct({ kind, atSecond }: Act): string {
  const when = typeof atSecond === 'number' ? '' : ` ${WHEN[atSecond]}`;
  return `somebody else: ${kind}${when}`;
}

const WHEN = { before: 'before it', rolled: 'right after a roll', seen: 'soon after a roll' };

export function nameOfAlarm({ verdict }: AlarmFault): string {
  return `alarm: ${verdict}`;
}

export function nameOfCheck({ verdict, askAgainIn }: CheckAnswer): string {
  return `check: ${askAgainIn === undefined ? verdict : 'at work'}`;
}

export function nameOfReading({ gate, says }: GateFault): string {
  return `${gate}: ${says}`;
}

export function nameOfJump({ offsetMs }: ClockJump): string {
  return offsetMs > 0 ? 'clock ahead' : 'clock behind';
}

export function nameOfDeath({ error }: Death): string {
  return error === 'Killed' ? 'process killed' : 'step dies';
}

export function nameOfStall({ isRaced }: Stall): string {
  return isRaced ? 'process stands still, another one takes over' : 'process stands still';
}

export function nameOfExchange({ kind }: Exchange): string {
  return `wire: ${kind}`;
}

export function nameOfHold({ kind, on }: DrawnHold): string {
  return on.startsWith('another') ? 'hold: of something else' : `hold: ${kind} of ${on}`;
}

export function nameOfPromotion({ isFull }: Promotion): string {
  return isFull ? 'promotion of all that follow' : 'promotion of a wave';
}

/** The real client runs under it. */
export function clientNames({ wire }: Ordeal): string[] {
  return wire === null ? [] : [`client: ${wire.auth}`];
}

function checkNames({ check }: Ordeal): string[] {
  if (check === undefined) return [];
  const { faults, worksFor, delaySeconds } = check;
  const atWork = { verdict: 'unknown', detail: '', askAgainIn: delaySeconds } as const;
  const said = faults.map(({ verdict }) => ({ verdict, detail: '' }));
  return [...said, ...(worksFor > 0 ? [atWork] : [])].map(nameOfCheck);
}

/** What goes wrong between the client and the service. */
function exchangeNames({ wire }: Ordeal): string[] {
  const { reads = [], writes = [], tokens = [] } = wire ?? {};
  return [...reads, ...writes, ...tokens]
    .filter(({ kind }) => kind !== 'plain')
    .map(nameOfExchange);
}

/** Every fault that was drawn, each once. Whether it is met depends on how the rollout goes. */
export function drawnFaults(ordeal: Ordeal): ReadonlySet<string> {
  const { broken, lists, writes, people, alarms, clock, death, stall } = ordeal;
  return new Set([
    ...broken.map(nameOfBroken),
    ...lists.map(nameOfFault),
    ...writes.map(nameOfFault),
    ...people.map(nameOfAct),
    ...alarms.map(nameOfAlarm),
    ...(clock === null ? [] : [nameOfJump(clock)]),
    ...(death === null ? [] : [nameOfDeath(death)]),
    ...(stall === null ? [] : [nameOfStall(stall)]),
    ...(wasLeft(ordeal) ? [LEFT] : []),
    ...requestNames(ordeal),
    ...clientNames(ordeal),
    ...ordeal.readings.map(nameOfReading),
    ...checkNames(ordeal),
    ...exchangeNames(ordeal),
    ...(ordeal.held?.holds ?? []).map(nameOfHold),
    ...(ordeal.promotions ?? []).map(nameOfPromotion),

    ...(ordeal.word === null ? [] : [WORD]),
    ...(ordeal.busDown === null ? [] : [BUS_DOWN]),
    ...(ordeal.badReleases === 0 ? [] : [BAD_RELEASES]),
    ...(ordeal.earlier === null ? [] : [OCCUPIED]),
    ...(ordeal.ahead === null ? [] : [OUTRUN]),
    ...(ordeal.undo === null ? [] : [UNDONE]),
    ...(ordeal.latencyMs === 0 ? [] : [SLOW_SERVICE]),
    ...(ordeal.opensAfter === 0 ? [] : [FREEZE]),
    ...windowNames(ordeal.policy),
    ...(handsOver(ordeal) ? [HAND_OVER] : []),
  ]);
}

/** What the rollout is asked for beside a version. Whoever asks for it has met it. */
export function requestNames({ cannotStop, asked, hours, policy, guises }: Ordeal): string[] {
  const { selection, protect } = policy;
  const { probe, metrics } = gatesIn(policy);
  const isNarrow = Object.values(selection).some((names) => names.length > 0);
  return [
    ...(cannotStop ? ['service without stops'] : []),
    ...(asked === null ? [] : [`asked: ${asked.kind}`]),
    ...(asked?.kind === 'plan' && asked.since.kind !== 'nothing' ? ['asked: another plan'] : []),
    ...(asked?.kind === 'listed' && asked.version === 'latest' ? ['asked: latest'] : []),
    ...(guises.length === 0 ? [] : ['list: unusual fleet']),
    ...(hours === null ? [] : ['windows and freezes']),
    ...(isNarrow ? ['selection'] : []),
    ...(protect.length === 0 ? [] : ['protected endpoints']),
    ...waveNames(policy),
    ...(policy.allowDowngrade ? [] : ['no downgrade allowed']),
    ...(policy.maxVersionStep === 1 ? ['steps of one version'] : []),
    ...(probe === null ? [] : ['probe']),
    ...(metrics.length === 0 ? [] : ['metrics']),
  ];
}

function waveNames({ waves }: Pick<Ordeal['policy'], 'waves'>): string[] {
  return [
    ...(waves.some((wave) => 'names' in wave) ? ['waves of names'] : []),
    ...(waves.some((wave) => 'where' in wave) ? ['waves of rings'] : []),
  ];
}

/** Events of an execution that no simulated rollout uses up. */
function handsOver({ executionEvents, executionSeconds }: Ordeal): boolean {
  return executionEvents < QUIET.executionEvents || executionSeconds < QUIET.executionSeconds;
}

function windowNames({ windowsBind, waves }: Ordeal['policy']): string[] {
  const isBound = windowsBind === 'rolls' || waves.some(({ windows }) => windows !== undefined);
  return isBound ? [WINDOWS_OF_ROLLS] : [];
}
