import { APPROVE, approvalsNeeded } from '../domain/signals/approval.ts';
import { Refusal } from '../loopback/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { World } from '../simulation/world.ts';
import type { Move } from './faults.ts';

interface Fleet {
  readonly world: World;
  readonly runtimeId: string;
  /** The name of the endpoint with this id, or the id. */
  readonly nameOf: (endpointId: string) => string;
}

/** Somebody else has no better luck with an endpoint that has vanished or is stopped. */
export async function carryOut(
  { atSecond, endpoint, version }: Move,
  { world, runtimeId, nameOf }: Fleet,
  clock: Clock,
): Promise<void> {
  await clock.sleep(atSecond * 1000);
  const id = world.read(runtimeId).find((one) => nameOf(one.id) === endpoint)?.id ?? '';
  try {
    if (version === null) world.stop(runtimeId, id);
    else world.roll(runtimeId, id, version);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** As many people as it takes hear that an approval is wanted, and give it after some time. */
export function approvingBus(
  rolloutId: string,
  ledger: Ledger,
  afterSeconds: number | null,
  clock: Clock,
): EventBus {
  const approve = async (wave: number) => {
    await clock.sleep((afterSeconds ?? 0) * 1000);
    const said = { kind: APPROVE.kind, wave, at: clock.now(), by: 'the rehearsal', reason: '' };
    const needed = approvalsNeeded((await ledger.read(rolloutId)).request);
    for (let person = 1; person <= needed; person += 1) {
      // Meanwhile the rollout may have ended.
      await ledger.signal(rolloutId, { ...said, key: `person-${person}` }).catch(() => undefined);
    }
  };
  return {
    async publish(event) {
      if (event.kind === 'approval-wanted' && afterSeconds !== null) void approve(event.wave - 1);
    },
  };
}
