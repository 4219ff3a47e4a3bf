import { createLocalBus } from '../../adapters/events/local-bus.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import type { LifecycleEvent } from '../../contract/event.ts';
import { errorMessageOf } from '../../domain/errors.ts';
import { unsentEvents } from '../../domain/events/events.ts';
import { untoldOf } from '../../domain/holds/news.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { plainText } from '../../telling/text.ts';
import type { Engine } from './engine.ts';
import { type EngineOptions, ledgerFile } from './open-engine.ts';

/** Where the events of this process go: to whoever listens here, and to the webhooks of the configuration. */
export interface OpenEvents {
  readonly bus: OpenBus;
  /** Hands to the webhooks what the ledger has and nobody has sent, such as the news of a hold. */
  takeOver(): Promise<void>;
  /** Gives webhooks the time that is left, and says what they did not get. @param signal @default - nobody ends it */
  end(signal?: AbortSignal): Promise<void>;
}

interface Told {
  /** Gets each event. @default - nobody listens */
  readonly listen?: (event: LifecycleEvent) => void;
  /** Gets a line about each trouble with a webhook. @default - only the end says what is left */
  readonly log?: (line: string) => void;
}

/** Opens it for rollouts of this machine. What earlier processes have left for the webhooks is delivered first. */
export async function openEvents(
  config: Pick<OpenConfig, 'notifications' | 'tls' | 'allowHttp'>,
  ledger: Pick<Ledger, 'listUnsent' | 'read' | 'listHolds'>,
  { listen, log }: Told = {},
): Promise<OpenEvents> {
  const local = createLocalBus(listen);
  const { webhooks = [] } = config.notifications ?? {};
  if (webhooks.length === 0)
    return { bus: local, takeOver: async () => undefined, end: async () => undefined };
  // Most rollouts have no webhooks.
  const { createMessenger } = await import('../../adapters/webhooks/messenger.ts');
  const { openOutbox } = await import('../../adapters/webhooks/outbox.ts');
  const { createDeliverer } = await import('../../adapters/webhooks/deliver.ts');
  const { createSecretReader } = await import('../../adapters/credentials/secrets.ts');
  const { openNetwork } = await import('../../adapters/services/open-service.ts');
  const messenger = createMessenger({
    webhooks,
    outbox: openOutbox(ledgerFile()),
    deliver: createDeliverer({
      openSockets: await openNetwork(config),
      readSecret: createSecretReader(),
      allowHttp: config.allowHttp,
    }),
    clock: systemClock,
    log,
  });
  /** A process that died may not have come to hand them over. The ledger still calls them unsent: others hear them, too. */
  const takeOver = async () => {
    for (const rolloutId of await ledger.listUnsent()) {
      for (const event of unsentEvents(await ledger.read(rolloutId)))
        await messenger.publish(event);
    }
    for (const hold of await ledger.listHolds()) {
      for (const event of untoldOf(hold, systemClock.now())) await messenger.publish(event);
    }
  };
  // A rollout must not fail only because of what an earlier one has left.
  await takeOver().catch(() => undefined);
  return {
    bus: {
      async publish(event) {
        await messenger.publish(event);
        await local.publish(event);
      },
    },
    takeOver,
    async end(signal) {
      await takeOver().catch(() => undefined);
      for (const line of await messenger.end(signal)) {
        if (log === undefined) process.stderr.write(`${plainText(line)}\n`);
        else log(line);
      }
    },
  };
}

/**
 * Hands to the webhooks of this machine what the ledger has of holds, and nobody has sent. A listener that runs here writes
 * it down later. On AWS the sweep sends it: a person who may hold need not have a right to the bus.
 */
export async function tellWebhooks(
  config: OpenConfig,
  { '--engine': kind }: Pick<EngineOptions, '--engine'>,
  { ledger }: Pick<Engine, 'ledger'>,
): Promise<void> {
  if (kind === 'aws') return;
  try {
    const events = await openEvents(config, ledger);
    await events.end();
  } catch (error) {
    // What is held is held, and the next process with these webhooks tells it.
    process.stderr.write(`${plainText(`The webhooks were not told: ${errorMessageOf(error)}`)}\n`);
  }
}
