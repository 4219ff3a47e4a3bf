import { join } from 'node:path';
import { systemClock } from '../../adapters/machine/clock.ts';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import { ledgerExists } from '../../adapters/machine/state-folder.ts';
import { commandOf, quoted } from '../../domain/command.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { plainText } from '../../telling/text.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { DEFAULT_STACK, type ENGINES } from '../options/global-options.ts';
import { settingsBeforeConfig } from '../settings/load-settings.ts';
import type { AwsEngine, Engine } from './engine.ts';

/** The engine from the options, a variable or a profile. It is not checked. */
export function engineOf({ given }: Invocation): EngineOptions {
  const settings = settingsBeforeConfig(given, readEnvironment());
  return {
    '--engine': settings.get('--engine')?.value === 'aws' ? 'aws' : 'embedded',
    '--stack': String(settings.get('--stack')?.value ?? DEFAULT_STACK),
  };
}

/** Whether the engine is AWS. Some commands take other options there. */
export function isOnAws(invocation: Invocation): boolean {
  return engineOf(invocation)['--engine'] === 'aws';
}

export interface EngineOptions {
  readonly '--engine': (typeof ENGINES)[number];
  readonly '--stack': string;
  /** Prints on stderr which ledger is used. @default - no */
  readonly '--debug'?: boolean;
}

/**
 * Opens the engine that the options name, does the work, and closes the engine.
 *
 * @throws `StackNotFound`, `AwsUnavailable`, `LedgerUnavailable`, and what the work throws.
 */
export async function withEngine<T>(
  options: EngineOptions,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const { engine, end } = await openEngine(options);
  try {
    return await work(engine);
  } finally {
    end();
  }
}

/**
 * Opens the engine until `end` is called.
 *
 * @param named The file of the ledger on this machine, or `:memory:`. @default - the one in the state directory
 * @param patientForMs How long it waits while that file is locked. Nothing else is done meanwhile. @default 30 s
 * @throws `StackNotFound`, `AwsUnavailable`, `LedgerUnavailable`.
 */
export async function openEngine(
  options: EngineOptions,
  named?: string,
  patientForMs?: number,
): Promise<{ readonly engine: Engine; end(): void }> {
  if (options['--engine'] === 'aws') return { engine: await openAwsEngine(options), end() {} };
  const file = named ?? ledgerFile();
  printLedger(`${file}${ledgerExists(file) ? '' : ', new'}`, options);
  // The ledger is loaded here, so that a mistake in the arguments is told without it.
  const { openSqliteLedger } = await import('../../adapters/ledger/sqlite/ledger.ts');
  const { ledger, isAbandoned, now, end } = openSqliteLedger(file, {
    patience: patientForMs === undefined ? {} : { giveUpAfterMs: patientForMs },
  });
  // The rollouts of this machine: those of `rollout start`, and those of the listener that runs here.
  const engine: Engine = {
    ledger,
    listens: true,
    clockAheadMs: () => now() - systemClock.now(),
    describeWaiting: async () => null,
    describeExecution: async () => null,
    endWaiting: async () => false,
    isAbandoned: (rolloutId) => isAbandoned(rolloutId, systemClock.now()),
  };
  return { engine, end };
}

/**
 * Does the work with a ledger that is there already: only a rollout that starts creates one.
 *
 * @throws `RolloutNotFound` when there is no ledger, and what `withEngine` throws.
 */
export async function withHistory<T>(
  options: EngineOptions,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  assertHistory(options);
  return withEngine(options, work);
}

/** @throws `RolloutNotFound` when there is no ledger. */
export function assertHistory(options: EngineOptions): void {
  if (hasHistory(options)) return;
  const message = `There is no ledger in ${readEnvironment().stateDirectory} yet, and so no rollout.`;
  throw new SteprollError(ErrorName.RolloutNotFound, message);
}

/** @throws `StackNotFound`, `AwsUnavailable`. */
export async function openAwsEngine(options: EngineOptions): Promise<AwsEngine> {
  // The SDK is loaded here, so that work on one machine does not pay for it.
  const { openStack } = await import('../../adapters/aws/stack.ts');
  const { createAwsEngine } = await import('./aws-engine.ts');
  const stack = await openStack(options['--stack']);
  const { tableName, account, region } = stack;
  printLedger(`table ${tableName}, account ${account}, region ${region}`, options);
  return createAwsEngine(stack, systemClock);
}

/**
 * Whether there is a history. A command that only reads must not create one.
 *
 * @throws `LedgerUnavailable` where this account may not read it, or may not know.
 */
export function hasHistory({ '--engine': engine }: EngineOptions): boolean {
  return engine === 'aws' || ledgerExists(ledgerFile());
}

function printLedger(which: string, { '--debug': isDebug = false }: EngineOptions): void {
  if (isDebug) process.stderr.write(`${plainText(`ledger ${which}`)}\n`);
}

/** The ledger of this machine. */
export function ledgerFile(): string {
  return join(readEnvironment().stateDirectory, 'ledger.sqlite');
}

/** The command to follow a rollout, wherever its engine was named. */
export function watchCommand(rolloutId: string, engine: EngineOptions): string {
  return commandOf(['rollout', 'watch', rolloutId], engineArguments(engine));
}

/** The arguments with which a command finds the engine. The text begins with a space, or is empty. */
export function engineArguments({ '--engine': engine, '--stack': stack }: EngineOptions): string {
  return engine === 'aws' ? ` --engine aws --stack ${quoted(stack)}` : '';
}
