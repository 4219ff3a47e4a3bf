import type { Position } from '../../contract/flow/position.ts';
import { containAsTold, waitAfter, waitFor } from '../../domain/decision/decision.ts';
import { decideInterruption } from '../../domain/decision/interruption.ts';
import { decideUnreadable, isWorthWaiting } from '../../domain/decision/unreadable.ts';
import { progressOn } from '../../domain/rollout/record.ts';
import { countHeard } from '../../domain/wave/hearing.ts';
import { beginWave, countedMs, withPause } from '../../domain/wave/progress.ts';
import type { StepPorts } from './ports.ts';
import { readList } from './read-list.ts';
import type { TakenUp } from './take-up.ts';

/**
 * Reads the list for the wave that the ledger is at. When the answer of an earlier step got lost, the position may name
 * an earlier wave than the ledger. Then no list is read now, and the decision is to wait: the next position names the
 * wave of the ledger. Once the rollout has told that it fails, no list can change that, and none is read; so it is when the
 * step was given up for what it was told. Answers a complete list, and when it was complete, or what follows without one.
 *
 * @throws errors of the list that waiting does not mend, such as `IncompatibleState`.
 */
export async function readWave({ wave, direction }: Position, taken: TakenUp, ports: StepPorts) {
  const { lease, record, plan, clock: begun, now } = taken;
  const { policy } = record.request;
  const before = progressOn(record, plan) ?? beginWave(plan, 0, begun);
  const told = containAsTold(record, plan, before);
  if (told !== undefined) return { before, decision: told };
  if (before.direction !== direction || before.wave !== wave) {
    const again = waitFor('second-look', before, { seconds: policy.pollSeconds });
    return { before, decision: again };
  }
  if (ports.isTold) {
    const looked = { ...withPause(record, before), clock: now(), looks: before.looks + 1 };
    const decision = decideInterruption({ record, plan, progress: looked });
    if (decision !== undefined) {
      await ports.ledger.saveProgress(lease, looked, waitAfter(decision, looked, record.wait));
      return { before: looked, decision };
    }
  }
  try {
    const endpoints = await readList(taken, ports);
    return { before, endpoints, clock: now() };
  } catch (error) {
    if (!isWorthWaiting(error)) throw error;
    const clock = now();
    // Up to the first read that fails, the list of the last look was there.
    const isFirst = before.heard !== 'silence';
    const readMs = countedMs(record, { ...before, clock: begun }, clock);
    const passedMs = countedMs(record, before, clock);
    const counted = countHeard(before, 'silence', passedMs);
    const looked = {
      ...withPause(record, before),
      clock,
      ...counted,
      silentMs: counted.silentMs + (isFirst ? readMs : 0),
      readFault: error.name,
      looks: before.looks + 1,
    };
    const decision =
      decideInterruption({ record, plan, progress: looked }) ??
      decideUnreadable(error, looked, policy);
    await ports.ledger.saveProgress(lease, looked, waitAfter(decision, looked, record.wait));
    return { before: looked, decision };
  }
}
