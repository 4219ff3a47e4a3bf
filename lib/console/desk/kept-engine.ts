import { readEnvironment } from '../../adapters/machine/environment.ts';
import type { Engine } from '../../cli/engine/engine.ts';
import {
  type EngineOptions,
  hasHistory,
  ledgerFile,
  openAwsEngine,
  openEngine,
  withEngine,
} from '../../cli/engine/open-engine.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../domain/errors.ts';

/** An engine that stays open for as long as the console runs. */
export interface KeptEngine {
  /** Where its rollouts run and are recorded, in words. */
  readonly place: string;
  /** Does the work with the engine. Until there is a ledger, with an empty one. */
  use<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
  /** Does work that may come before the first rollout, and must not get lost with an empty ledger: it creates one. */
  begin<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
  end(): void;
}

/** Nobody gets an answer while the console waits for a ledger that is locked, and a page asks again. */
const PATIENT_FOR_MS = 5_000;

/**
 * On AWS the stack is looked up at once. On this machine the ledger is opened once it is there, because only a rollout
 * creates one, and anew when it was replaced. Until then an empty one in memory answers, but not once there was one: what
 * is gone is no quiet night.
 *
 * @throws `StackNotFound`, `AwsUnavailable`.
 */
export async function keepEngine(options: EngineOptions): Promise<KeptEngine> {
  if (options['--engine'] === 'aws') {
    const engine = await openAwsEngine(options);
    const { account, region } = engine;
    const place = `the stack ${options['--stack']} on AWS, account ${account}, region ${region}`;
    return { place, use: (work) => work(engine), begin: (work) => work(engine), end() {} };
  }
  // Kept before it is open, because a page asks for several things at once.
  let opened: ReturnType<typeof openEngine> | null = null;
  let openedFile = '';
  let wasThere = false;
  /** Whether there is a ledger by now. @throws `LedgerUnavailable` when it is gone. */
  const isThere = () => {
    const isNow = hasHistory(options);
    if (wasThere && !isNow) {
      end();
      throw gone(ledgerFile());
    }
    wasThere = isNow;
    return isNow;
  };
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
      const file = isThere() ? ledgerFile() : ':memory:';
      if (file !== openedFile) end();
      openedFile = file;
      const used = opened ?? openEngine(options, file, PATIENT_FOR_MS);
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
    async begin(work) {
      isThere();
      return withEngine(options, work);
    },
    end,
  };
}

function gone(file: string): SteprollError {
  const message = `The ledger ${file} is gone: somebody has moved it away, or deleted it, while this console was showing it. Nothing is known of its rollouts and holds, and nothing is done. Put it back, or start the console anew for a new history.`;
  return new SteprollError(ErrorName.LedgerUnavailable, message);
}
