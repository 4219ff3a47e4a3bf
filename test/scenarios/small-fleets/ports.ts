import { REST_ABILITIES } from '../../../lib/contract/service/services.ts';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../../lib/domain/errors.ts';
import type { EndpointService } from '../../../lib/ports/endpoint-service.ts';
import type { EventBus } from '../../../lib/ports/event-bus.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import type { WriteCall } from '../../../lib/rehearsal/calls.ts';
import { createFleet, type Fleet, roll, stop } from './fleet.ts';
import { mayAbort, mayDie, mayMove, mayPause, refuseDead, type Scene } from './scene.ts';
import { ROLLOUT_ID } from './situation.ts';

/** What of the ledger tells a step that somebody aborted. */
const HEARS: ReadonlySet<string> = new Set(['read', 'hear', 'saveWaiting', 'open', 'close']);

/** What of the ledger tells a step what is held. */
const READS_HOLDS: ReadonlySet<string> = new Set(['hear', 'renew']);

const READS: ReadonlySet<string> = new Set(['read', 'hear', 'findLatestRequest']);

/** The ledger of the scene that goes on, with whatever may happen before each of its calls. */
export function ledgerOf(sceneNow: () => Scene): Ledger {
  type Method = (...args: readonly unknown[]) => Promise<unknown>;
  const call =
    (name: string): Method =>
    async (...args) => {
      const scene = sceneNow();
      if (!READS.has(name)) mayDie(scene, `before ${name}`);
      refuseDead(scene);
      await mayBeTold(scene, name);
      const method = scene.ledger[name as keyof Ledger] as Method;
      const answer = await method(...args);
      if (!READS.has(name) && name !== 'renew') scene.savedCalls = scene.calls.length;
      if (name === 'close' && answer !== null) {
        scene.calls.push({ rolloutId: ROLLOUT_ID, at: scene.now, operation: 'close' });
      }
      return answer;
    };
  return new Proxy({} as Ledger, { get: (_, name) => call(String(name)) });
}

/** Somebody says something just before the call that tells it. */
async function mayBeTold(scene: Scene, call: string): Promise<void> {
  if (HEARS.has(call)) await mayAbort(scene, `before ${call}`);
  if (READS_HOLDS.has(call)) await mayPause(scene, `before ${call}`);
}

/** The event bus. What was told twice because of a death counts once, as its readers count it. */
export function busOf(sceneNow: () => Scene): EventBus {
  return {
    async publish(event) {
      const scene = sceneNow();
      mayDie(scene, 'before an event is told');
      refuseDead(scene);
      if (!scene.told.some(({ eventId }) => eventId === event.eventId)) scene.told.push(event);
    },
  };
}

/** The service, which somebody else writes to as well, and which may show an old list and lose an answer. */
export function serviceOf(sceneNow: () => Scene, url: string): EndpointService {
  const write = async (
    call: Omit<WriteCall, 'rolloutId' | 'at'>,
    change: (endpoint: Endpoint) => Endpoint,
  ): Promise<Endpoint> => {
    const scene = sceneNow();
    const { operation, endpointId } = call;
    const what = `${operation} of ${endpointId}`;
    mayDie(scene, `before the ${what}`);
    refuseDead(scene);
    mayMove(scene, `before the ${what}`);
    const noted: WriteCall = { ...call, rolloutId: ROLLOUT_ID, at: scene.now };
    scene.calls.push(noted);
    const fate = scene.left.has('lost') ? scene.chooser.choose(what, FATES) : 'it is answered';
    if (fate !== 'it is answered') scene.left.delete('lost');
    try {
      if (fate === 'it never arrives') throw noAnswer();
      const changed = change(find(scene.fleet, endpointId));
      scene.fleet = scene.fleet.map((one) => (one.id === endpointId ? changed : one));
      if (fate === 'its answer is lost') throw noAnswer();
      noted.answer = 'accepted';
      return changed;
    } catch (error) {
      noted.answer = errorNameOf(error);
      throw error;
    }
  };
  return {
    url,
    abilities: REST_ABILITIES,
    async list() {
      const scene = sceneNow();
      refuseDead(scene);
      mayMove(scene, 'before a list');
      const endpoints = look(scene);
      scene.calls.push({ rolloutId: ROLLOUT_ID, at: scene.now, operation: 'list', endpoints });
      scene.shown = endpoints;
      return endpoints;
    },
    roll: (_, endpointId, version) =>
      write({ operation: 'roll', endpointId, version }, (endpoint) => roll(endpoint, version)),
    stop: async (_, endpointId) => void (await write({ operation: 'stop', endpointId }, stop)),
    listPage: () => Promise.reject(new Error('No step of a rollout reads a single page.')),
    listVersions: () => Promise.reject(new Error('No step of a rollout lists versions here.')),
    create: () => Promise.reject(new Error('No step of a rollout creates an endpoint.')),
  };
}

const FATES = ['it is answered', 'its answer is lost', 'it never arrives'] as const;

/** What a list shows: the truth, or once what the list before showed, or how it was at the very beginning. */
function look({ chooser, fleet, shown, left }: Scene): Fleet {
  if (!left.has('stale')) return fleet;
  const first = createFleet(fleet.length);
  const old = [
    { says: 'it shows what the list before showed', endpoints: shown },
    { says: 'it shows how it was at first', endpoints: first },
  ].filter(({ endpoints }) => !isSame(endpoints, fleet));
  const isTwice = old.length === 2 && isSame(shown, first);
  const lies = isTwice ? old.slice(1) : old;
  const says = chooser.choose('a list', ['it shows the truth', ...lies.map((lie) => lie.says)]);
  const lie = lies.find((one) => one.says === says);
  if (lie === undefined) return fleet;
  left.delete('stale');
  return lie.endpoints;
}

function isSame(one: Fleet, other: Fleet): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function find(fleet: Fleet, id: string): Endpoint {
  const endpoint = fleet.find((one) => one.id === id);
  if (endpoint === undefined) throw new SteprollError(ErrorName.UpstreamNotFound, 'it is gone');
  return endpoint;
}

function noAnswer(): SteprollError {
  return new SteprollError(ErrorName.OutcomeUnknown, 'connection reset');
}
