import {
  createMemoryLedger,
  type LedgerMemory,
} from '../../../lib/adapters/ledger/memory/ledger.ts';
import { FAILURE_POLICIES } from '../../../lib/domain/rollout/policy.ts';
import { withdrawn } from '../../../lib/domain/signals/signals.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { isList } from '../../../lib/rehearsal/calls.ts';
import { named } from '../../../lib/rehearsal/mortal-ledger.ts';
import type { Chooser } from './chooser.ts';
import type { Event } from './configuration.ts';
import { type Fleet, isRolling, OTHER_VERSIONS, PROGRESS, progress, roll } from './fleet.ts';
import { type Past, ROLLOUT_ID, rolloutIn, type Situation } from './situation.ts';

/** A situation in which something goes on. */
export interface Scene extends Past {
  readonly chooser: Chooser;
  readonly memory: LedgerMemory;
  readonly ledger: Ledger;
  readonly left: Set<Event>;
  readonly calls: Past['calls'][number][];
  readonly states: string[];
  readonly told: Past['told'][number][];
  now: number;
  fleet: Fleet;
  shown: Fleet;
  abortedAfter: number | null;
  moved: string | null;
  paused: Past['paused'];
  isDisturbed: boolean;
  wasSlow: boolean;
  /** How many calls there were when the ledger was written to last. */
  savedCalls: number;
  /** What has died. Until it is noticed, nothing can be called any more. */
  dead: 'process' | 'function' | null;
}

export function openScene({ past, memory, left, now, fleet }: Situation, chooser: Chooser): Scene {
  const own = new Map(memory);
  return {
    ...past,
    calls: [...past.calls],
    states: [...past.states],
    told: [...past.told],
    chooser,
    memory: own,
    ledger: createMemoryLedger(own),
    left: new Set(left),
    now,
    fleet,
    savedCalls: past.calls.length,
    dead: null,
  };
}

export function closeScene(
  scene: Scene,
  { state, input }: Pick<Situation, 'state' | 'input'>,
  before: Situation,
): Situation {
  const { states, told, abortedAfter, moved, paused, shown, isDisturbed, wasSlow } = scene;
  const { memory, left, now, fleet } = scene;
  // Without a new call it is the same list of calls, so that nobody looks at the old ones once more.
  const isQuiet = scene.calls.length === before.past.calls.length;
  const { calls } = isQuiet ? before.past : scene;
  const past = { calls, states, told, abortedAfter, moved, paused, shown, isDisturbed, wasSlow };
  return { state, input, memory, left, now, fleet, past };
}

/** The name of a function's death on AWS. The definition does not know this name, as it knows few of them. */
export const CRASH = 'Lambda.Unknown';

/** Before each write, and when a step has its answer: the process dies, or on AWS the function does. */
export function mayDie(scene: Scene, when: string): void {
  if (scene.dead !== null || !scene.left.has('crash')) return;
  const fate = scene.chooser.choose(when, [
    'nothing dies',
    'the process dies',
    'the function dies',
  ]);
  if (fate === 'nothing dies') return;
  scene.left.delete('crash');
  scene.dead = fate === 'the process dies' ? 'process' : 'function';
}

/** Goes on after a death. A list that was read and of which nothing was written down is known to nobody. */
export function bury(scene: Scene): void {
  const { calls, savedCalls } = scene;
  const kept = calls.slice(savedCalls).filter((call) => !isList(call));
  calls.splice(savedCalls, calls.length, ...kept);
  scene.dead = null;
}

export function refuseDead({ dead }: Scene): void {
  if (dead !== null) throw named(CRASH);
}

/** Somebody else moves an endpoint. Nobody notices before the next call of the service, so that is when it happens. */
export function mayMove(scene: Scene, before: string): void {
  if (scene.dead !== null || !scene.left.has('move')) return;
  const moves = scene.fleet.flatMap((endpoint) =>
    OTHER_VERSIONS.filter(
      (version) => version !== endpoint.targetVersion && endpoint.status !== 'STOPPED',
    ).map((version) => ({ endpoint, version, name: `${endpoint.id} is moved to ${version}` })),
  );
  const name = scene.chooser.choose(before, ['nobody moves', ...moves.map((move) => move.name)]);
  const move = moves.find((one) => one.name === name);
  if (move === undefined) return;
  scene.left.delete('move');
  scene.moved = move.endpoint.id;
  scene.isDisturbed = true;
  scene.fleet = scene.fleet.map((one) => (one === move.endpoint ? roll(one, move.version) : one));
}

/** Somebody aborts. The rollout hears of it when it asks the ledger, so that is when it happens. */
export async function mayAbort(scene: Scene, before: string): Promise<void> {
  const { ledger, now, memory } = scene;
  const known = rolloutIn(memory);
  if (scene.dead !== null || !scene.left.has('abort') || !known || known.outcome !== null) return;
  const words = known.epoch === 0 ? (['hold'] as const) : FAILURE_POLICIES;
  const names = words.map((word) => [`an abort: ${word}`, word] as const);
  const name = scene.chooser.choose(before, ['nobody aborts', ...names.map(([each]) => each)]);
  const onFailure = new Map<string, (typeof words)[number]>(names).get(name);
  if (onFailure === undefined) return;
  scene.left.delete('abort');
  scene.isDisturbed = true;
  scene.abortedAfter = scene.calls.length;
  const said = { at: now, wave: null, onFailure, by: 'ada', reason: '' };
  // As the command line does it.
  const outcome = { ...withdrawn(said), cleanup: 'none' } as const;
  if ((await ledger.withdraw(ROLLOUT_ID, outcome, now)) === null) {
    await ledger.signal(ROLLOUT_ID, { kind: 'abort', ...said });
  }
}

/** Somebody pauses everything. The rollout hears of it when it asks for its holds, so that is when it happens. */
export async function mayPause(scene: Scene, before: string): Promise<void> {
  const { ledger, now, memory } = scene;
  if (scene.dead !== null || !scene.left.has('pause') || rolloutIn(memory)?.outcome !== null)
    return;
  const what = scene.chooser.choose(before, ['nobody pauses', 'somebody pauses everything']);
  if (what === 'nobody pauses') return;
  scene.left.delete('pause');
  scene.paused = { after: scene.calls.length, waits: 0, liftedAfter: null };
  const until = now + LONG_MS;
  const said = { id: HOLD_ID, scope: {}, by: 'ann', reason: 'an incident', at: now, until };
  await ledger.addHold({ kind: 'pause', ...said }, now);
}

const HOLD_ID = 'pause';
const LONG_MS = 7 * 24 * 3_600_000;

/** So many waits are longer than the deadline. */
const MOST_PAUSED_WAITS = 4;

/** While the workflow waits under a pause, somebody lifts it, sooner or later. */
export async function mayLift(scene: Scene): Promise<void> {
  const { paused } = scene;
  if (paused === null || paused.liftedAfter !== null) return;
  const waits = paused.waits + 1;
  const says = ['the pause is lifted', 'the pause stays'] as const;
  const stays = waits < MOST_PAUSED_WAITS && scene.chooser.choose('the pause', says) === says[1];
  scene.paused = { ...paused, waits, liftedAfter: stays ? null : scene.calls.length };
  const lifted = { by: 'ann', reason: 'done', at: scene.now };
  if (!stays) await scene.ledger.liftHold({ id: HOLD_ID, scope: {} }, lifted);
}

/** While the workflow waits, every endpoint in mid-roll gets further, or does not. */
export function letFleetProgress(scene: Scene): void {
  const { chooser, wasSlow } = scene;
  scene.wasSlow = false;
  scene.fleet = scene.fleet.map((endpoint) => {
    if (!isRolling(endpoint)) return endpoint;
    const how = chooser.choose(endpoint.id, PROGRESS);
    const isSlow = how === 'is not there yet';
    scene.isDisturbed ||= how === 'fails' || (isSlow && wasSlow);
    scene.wasSlow ||= isSlow;
    return progress(endpoint, how);
  });
}
