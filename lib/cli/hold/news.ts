import type { OpenConfig } from '../../contract/config/config.ts';
import { errorMessageOf } from '../../domain/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { openEvents } from '../engine/events.ts';
import type { EngineOptions } from '../engine/open-engine.ts';
import { plainText } from '../terminal/text.ts';

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
