import { join } from 'node:path';
import { readEnvironment } from '../../adapters/environment.ts';
import { fileExists } from '../../adapters/file-exists.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import type { ENGINES } from '../options/global-options.ts';
import { createAwsEngine } from './aws-engine.ts';
import { createEmbeddedEngine } from './embedded-engine.ts';
import type { AwsEngine, Engine } from './engine.ts';

export interface EngineOptions {
  readonly '--engine': (typeof ENGINES)[number];
  readonly '--stack': string;
}

/**
 * Works with the engine that the options name, and closes it.
 *
 * @throws `StackNotFound`, `AwsUnavailable`, `LedgerUnavailable`, and what the work throws.
 */
export async function withEngine<T>(
  options: EngineOptions,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  if (options['--engine'] === 'aws') return work(await openAwsEngine(options));
  const { stateDirectory } = readEnvironment();
  const { ledger, end } = openSqliteLedger(ledgerFile());
  try {
    return await work(createEmbeddedEngine(ledger, stateDirectory));
  } finally {
    end();
  }
}

/** @throws `StackNotFound`, `AwsUnavailable`. */
export async function openAwsEngine({ '--stack': stack }: EngineOptions): Promise<AwsEngine> {
  // Whoever works on one machine does not pay for loading the SDK.
  const { openStack } = await import('../../adapters/aws/open-stack.ts');
  return createAwsEngine(await openStack(stack), systemClock);
}

/** Whether there is a history to look into: who only looks does not begin one. */
export function hasHistory({ '--engine': engine }: EngineOptions): boolean {
  return engine === 'aws' || fileExists(ledgerFile());
}

function ledgerFile(): string {
  return join(readEnvironment().stateDirectory, 'ledger.sqlite');
}
