import { untilAborted } from '../adapters/http/send-request.ts';
import type { StepContext } from '../steps/io/ports.ts';

/** The steps that look and ask: whatever they have not finished can be begun anew. No other step is ever given up. */
export const GIVEN_UP: ReadonlySet<string> = new Set(['Open rollout', 'Look']);

/** So often a step that looks asks whether it is told to end: half of the 2 seconds within which it hears that. */
const ASK_EVERY_MS = 1_000;

/**
 * Runs a step that looks. Once the rollout is told to end, what the step reads or asks is given up, and the step runs
 * again, to follow that without another look. What it was told just before is no reason to wait for a look, either. Only
 * reads of the service, questions of gates and waits are given up; whatever the step does with the ledger goes on to its
 * end.
 *
 * @param isToldToEnd Whether something was said that the step would follow: all of it, or what the step has not read.
 */
export async function untilTold<T>(
  look: (context: StepContext) => Promise<T>,
  context: StepContext,
  isToldToEnd: (isNews: boolean) => Promise<boolean>,
): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    const told = new AbortController();
    const isOver = new AbortController();
    const listen = async () => {
      do await context.clock.sleep(ASK_EVERY_MS, isOver.signal);
      while (!(await isToldToEnd(isTold)));
      told.abort(new Error('It is given up, because the rollout was told to end.'));
    };
    // It rejects once the step is over.
    listen().catch(() => undefined);
    try {
      return await look({ ...endingWith(told.signal, context), ...(isTold && { isTold }) });
    } catch (error) {
      if (!told.signal.aborted || error !== told.signal.reason) throw error;
    } finally {
      isOver.abort(null);
    }
  }
}

/** The same, but its reads, questions and waits end with the signal. */
function endingWith(signal: AbortSignal, context: StepContext): StepContext {
  const { service, gates, clock } = context;
  const orGiveUp = async <T>(begin: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const answer = await untilAborted(begin(), signal);
    // A call that ends with the signal may have had an answer of its own for that.
    signal.throwIfAborted();
    return answer;
  };
  const either = (given?: AbortSignal) =>
    given === undefined ? signal : AbortSignal.any([given, signal]);
  return {
    ...context,
    service: {
      ...service,
      list: (id, given, of) => orGiveUp(() => service.list(id, either(given), of)),
      listVersions: (id, given) => orGiveUp(() => service.listVersions(id, either(given))),
    },
    clock: {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      sleep: (ms, given) => orGiveUp(() => clock.sleep(ms, either(given))),
    },
    gates: {
      check: (...asked) => orGiveUp(() => gates.check(asked[0], asked[1], signal)),
      ...(gates.hasProgram && {
        hasProgram: (program) => orGiveUp(async () => gates.hasProgram?.(program)),
      }),
      probe: (...asked) => orGiveUp(() => gates.probe(asked[0], asked[1], signal)),
      prometheus: (...asked) =>
        orGiveUp(() => gates.prometheus(asked[0], asked[1], asked[2], signal)),
      alarm: (name) => orGiveUp(() => gates.alarm(name, signal)),
      metrics: (questions) => orGiveUp(() => gates.metrics(questions, signal)),
    },
  };
}
