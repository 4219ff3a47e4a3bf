import { readEnvironment } from '../../adapters/machine/environment.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { Engine } from '../engine/engine.ts';
import {
  type EngineOptions,
  hasHistory,
  ledgerFile,
  openAwsEngine,
  openEngine,
} from '../engine/open-engine.ts';

/** An engine that stays open for as long as the console runs. */
export interface KeptEngine {
  /** Where its rollouts run and are recorded, in words. */
  readonly place: string;
  /** Does the work with the engine. Until there is a ledger, with an empty one. */
  use<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
  end(): void;
}

/**
 * On AWS the stack is looked up at once. On this machine the ledger is opened once it is there, because only a rollout
 * creates one, and anew when it was replaced. Until then an empty one in memory answers.
 *
 * @throws `StackNotFound`, `AwsUnavailable`.
 */
export async function keepEngine(options: EngineOptions): Promise<KeptEngine> {
  if (options['--engine'] === 'aws') {
    const engine = await openAwsEngine(options);
    const { account, region } = engine;
    const place = `the stack ${options['--stack']} on AWS, account ${account}, region ${region}`;
    return { place, use: (work) => work(engine), end() {} };
  }
  // Kept before it is open, because a page asks for several things at once.
  let opened: ReturnType<typeof openEngine> | null = null;
  let openedFile = '';
  const end = () => {
    opened?.then(
      (one) => one.end(),
      () => undefined,
    );
    opened = null;
  };
  return {
    place: `this machine, the ledger in ${readEnvironment().stateDirectory}`,
    async use(work) {
      const file = hasHistory(options) ? ledgerFile() : ':memory:';
      if (file !== openedFile) end();
      openedFile = file;
      const used = opened ?? openEngine(options, file);
      opened = used;
      const { engine } = await used.catch((error) => {
        if (opened === used) opened = null;
        throw error;
      });
      try {
        return await work(engine);
      } catch (error) {
        if (opened === used && errorNameOf(error) === ErrorName.LedgerUnavailable) end();
        throw error;
      }
    },
    end,
  };
}
