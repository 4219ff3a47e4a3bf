import { type OpenEvents, openEvents } from '../../cli/engine/events.ts';
import { type EngineOptions, openEngine } from '../../cli/engine/open-engine.ts';
import type { openHost } from '../../cli/rollout/host.ts';
import type { Prepared } from '../../cli/settings/prepare.ts';
import { type Connecting, connect } from '../../cli/settings/service.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { plainText } from '../../telling/text.ts';

type Host = Awaited<ReturnType<typeof openHost>>['host'];

/** What a rollout has that runs in the process of the console. */
interface HostedPorts {
  readonly service: EndpointService;
  readonly ledger: Ledger;
  openHost(runtimeId: string, policy: RolloutPolicy): Promise<Host>;
}

/** What is open in this process for the rollouts that run in it until the console ends. */
interface Hosted {
  /** Begins a rollout. What was opened for one that is refused is closed. */
  begin<T>(
    prepared: Connecting<EngineOptions>,
    begin: (ports: HostedPorts) => Promise<T>,
  ): Promise<T>;
  /** Hands to the webhooks what nobody has sent. */
  tellHolds(): Promise<void>;
  /** Ends the rollouts after their current steps, and closes the rest. */
  end(): Promise<void>;
}

export function createHosted({
  options,
  config,
}: Pick<Prepared<EngineOptions>, 'options' | 'config'>): Hosted {
  const ends: Ends = [];
  /** One for all: two of one process would send the same messages. */
  let events: OpenEvents | undefined;

  async function openEventsOnce(): Promise<OpenEvents> {
    if (events !== undefined) return events;
    const { engine, end } = await openEngine(options);
    const opened = await openEvents(config, engine.ledger).catch((error: unknown) => {
      end();
      throw error;
    });
    ends.push(
      async () => end(),
      () => opened.end(),
    );
    events = opened;
    return opened;
  }

  /** @param own Takes how each part is closed. */
  async function openPorts(prepared: Connecting<EngineOptions>, own: Ends): Promise<HostedPorts> {
    const service = await connect(prepared);
    own.push(() => service.close());
    // The pages may open the ledger anew, and the rollout needs its own.
    const { engine, end } = await openEngine(prepared.options);
    own.push(async () => end());
    const { ledger } = engine;
    const { bus } = await openEventsOnce();
    return {
      service,
      ledger,
      async openHost(runtimeId, policy) {
        // It is loaded here, because most nights need none of it.
        const { openHost } = await import('../../cli/rollout/host.ts');
        const { host } = await openHost({
          config: prepared.config,
          ports: { service, ledger, events: bus },
          own: { runtimeId, policy },
          log: (line) => void process.stderr.write(`${plainText(line)}\n`),
          atStop: 'end',
        });
        own.push(() => host.stop());
        return host;
      },
    };
  }

  return {
    async begin(prepared, begin) {
      const own: Ends = [];
      try {
        const begun = await begin(await openPorts(prepared, own));
        ends.push(...own);
        return begun;
      } catch (error) {
        await endAll(own);
        throw error;
      }
    },
    async tellHolds() {
      if (events === undefined) await openEventsOnce();
      else await events.takeOver();
    },
    end: () => endAll(ends),
  };
}

/** How each part is closed, in the order in which they were opened. */
type Ends = (() => Promise<void>)[];

/** A rollout ends before its ledger and its service do. */
async function endAll(ends: Ends): Promise<void> {
  for (const end of ends.toReversed()) await end();
}
