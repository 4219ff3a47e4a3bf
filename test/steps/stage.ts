import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { type Batch, POSITION_VERSION, type Position } from '../../lib/contract/flow/position.ts';
import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { HoldEvent } from '../../lib/domain/holds/news.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import type { Lease } from '../../lib/domain/rollout/lease.ts';
import { acceptedAt } from '../../lib/domain/rollout/opening.ts';
import type { RolloutPlan } from '../../lib/domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../../lib/domain/rollout/record.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { EndpointService } from '../../lib/ports/endpoint-service.ts';
import type { OpenBus } from '../../lib/ports/event-bus.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { PolicyOf, VerifyPorts } from '../../lib/steps/io/ports.ts';
import type { OpeningPorts } from '../../lib/steps/opening/condition.ts';
import { recordOf } from '../domain/examples.ts';
import { beginWith } from '../support/begin-with.ts';
import { gatePortsOf } from '../support/gate-ports.ts';
import { openedOf } from '../support/record-at.ts';
import { skippingSleep } from '../support/skipping-sleep.ts';

/** One rollout under way: a ledger in memory, a clock that stands still, a service that is told what to say. */
export interface Stage {
  readonly ports: VerifyPorts & { readonly clock: Clock; readonly events: OpenBus };
  readonly lease: Lease;
  /** Until when each renewal extended the lease, in milliseconds. */
  readonly renewals: number[];
  /** Writes that the service got, as `roll web-1 3`. */
  readonly writes: string[];
  /** What the event bus got. */
  readonly told: RolloutEvent[];
  readonly toldOfHolds: HoldEvent[];
  isBusDown: boolean;
  now: number;
  /** What the service lists, or why it cannot. */
  list: readonly Endpoint[] | Error;
  read(): Promise<RolloutRecord>;
  /** A position of this rollout. */
  position(said?: Partial<Position>): Position;
  batch(said?: Partial<Batch>): Batch;
}

export interface Given {
  readonly plan?: RolloutPlan;
  readonly progress?: WaveProgress;
  readonly policy?: Partial<RolloutPolicy>;
  /** It was asked for, and has not begun. @default - it was opened */
  readonly isNew?: boolean;
}

export const NOW = Date.UTC(2026, 10, 21);
const LEASE_UNTIL = NOW + 300_000;

/** Opens a rollout at `NOW`, with this plan and progress, and ends the ledger when `work` is done. */
export async function onStage<T>(
  { plan, progress, policy, isNew = false }: Given,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { ledger, end } = openSqliteLedger(':memory:');
  try {
    const begin = plan && beginWith(plan, progress ?? null);
    const { request } = recordOf([], policy);
    if (isNew) await ledger.enlist(request, acceptedAt(NOW), NOW);
    const lease = isNew
      ? { rolloutId: request.rolloutId, runtimeId: request.runtimeId, epoch: 1 }
      : await ledger.open(request, NOW, LEASE_UNTIL, begin);
    return await work(stageOf(ledger, lease));
  } finally {
    end();
  }
}

/** A newer rollout that waits for its turn: whoever asks others to give way must be one. */
export async function enlistNewer(rolloutId: string, ledger: Ledger): Promise<void> {
  const { wait, opening } = acceptedAt(NOW);
  const waiting = {
    opening,
    wait: wait && ({ ...wait, for: 'turn', lookAt: NOW + 3_600_000 } as const),
  };
  await ledger.enlist({ ...recordOf([]).request, rolloutId }, waiting, NOW);
}

function stageOf(ledger: Ledger, lease: Lease): Stage {
  const common = { schemaVersion: POSITION_VERSION, ...lease, direction: 'forward' } as const;
  const renewals: number[] = [];
  const writes: string[] = [];
  const told: RolloutEvent[] = [];
  const toldOfHolds: HoldEvent[] = [];
  const never = () => Promise.reject(new Error('Nothing here calls it.'));
  const service: EndpointService = {
    url: 'https://endpoints.example.com',
    abilities: REST_ABILITIES,
    async list() {
      if (stage.list instanceof Error) throw stage.list;
      return stage.list;
    },
    async roll(_runtimeId, endpointId, version) {
      writes.push(`roll ${endpointId} ${version}`);
      return null;
    },
    async stop(_runtimeId, endpointId) {
      writes.push(`stop ${endpointId}`);
    },
    listPage: never,
    create: never,
    listVersions: never,
  };
  const stage: Stage = {
    ports: {
      service,
      ledger: {
        ...ledger,
        async renew(held, until) {
          const holds = await ledger.renew(held, until);
          renewals.push(until);
          return holds;
        },
      },
      clock: {
        now: () => stage.now,
        elapsed: () => stage.now,
        sleep: skippingSleep((milliseconds) => {
          stage.now += milliseconds;
        }),
      },
      gates: gatePortsOf({ probe: never, alarm: never, metrics: never }),
      events: {
        async publish(event) {
          if (stage.isBusDown) throw new SteprollError(ErrorName.EventsUnavailable, 'Down.');
          if ('hold' in event) toldOfHolds.push(event);
          else told.push(event);
        },
      },
    },
    told,
    toldOfHolds,
    isBusDown: false,
    lease,
    renewals,
    writes,
    now: NOW,
    list: [],
    read: async () => openedOf(await ledger.read(lease.rolloutId)),
    position: (said = {}) => ({
      ...common,
      wave: 0,
      next: 'look-roll',
      waitSeconds: 0,
      looks: 0,
      batches: [],
      oldEndpoints: 0,
      ending: null,
      execution: { number: 1, startedAt: NOW, events: 0 },
      handOver: null,
      ...said,
    }),
    batch: (said = {}) => ({ ...common, from: 0, to: 1, ...said }),
  };
  return stage;
}

/** What the conditions of an opening need. */
export function openingPorts(
  ports: VerifyPorts,
  policyOf: PolicyOf = () => recordOf([]).request.policy,
): OpeningPorts {
  const settleGroup = () => Promise.reject(new Error('Nothing here is a group.'));
  return { ...ports, policyOf, settleGroup };
}
