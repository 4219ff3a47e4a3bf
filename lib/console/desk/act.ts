import type { Engine } from '../../cli/engine/engine.ts';
import { keyHere, ownerHere } from '../../cli/engine/who-is-here.ts';
import { NEVER_BEGUN, policyOfAbort, sendAbort } from '../../cli/rollout/abort.ts';
import { sendAsked, tellSent } from '../../cli/rollout/signal.ts';
import { clockTime } from '../../domain/local-time.ts';
import { ABORT } from '../../domain/signals/abort.ts';
import { PERSONAL_SIGNALS, type PersonalKind } from '../../domain/signals/signals.ts';
import { plainText } from '../../telling/text.ts';
import type { Act } from '../asked.ts';
import type { Done } from '../desk.ts';

const NOBODY_FOLLOWS =
  ' Its process seems to be dead: nobody carries the abort out until somebody resumes the rollout.';

/**
 * Sends the signal that a person has asked for, as the command of the same name does it. Answers what follows.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `ApprovalNotWanted`, `NothingBakes`, `NotUnderstood`, `InvalidInput`,
 *   `LedgerUnavailable`.
 */
export async function sendAct(rolloutId: string, act: Act, engine: Engine): Promise<Done> {
  if (act.act === ABORT.kind) return abort(rolloutId, act, engine);
  const kind = PERSONAL_SIGNALS.find((one) => one.kind === act.act);
  if (kind === undefined) throw new TypeError(`There is no signal ${act.act}.`);
  const said = await saidAlready(kind, rolloutId, act, engine);
  if (said !== null) return { message: said, rolloutId: null };
  const signal = await sendAsked(kind, rolloutId, act, engine);
  const { sentence } = await tellSent(rolloutId, signal, engine);
  return { message: sentence, rolloutId: null, toldAt: signal.at };
}

/** Who says the same of a wave once more, as in another window, is told so. `null`: this person has not said it yet. */
async function saidAlready(
  kind: PersonalKind,
  rolloutId: string,
  { wave, isFull, onFailure }: Act,
  engine: Engine,
): Promise<string | null> {
  if (wave === undefined) return null;
  const [{ signals }, key, by] = await Promise.all([
    engine.ledger.read(rolloutId),
    keyHere(engine),
    ownerHere(engine),
  ]);
  const said = signals.find(
    (one) =>
      (one.key ?? one.by) === (key ?? by) &&
      one.kind === kind.kind &&
      one.wave === wave - 1 &&
      (isFull !== true || one.isFull === true) &&
      (onFailure === undefined || one.onFailure === onFailure),
  );
  if (said === undefined) return null;
  const when = clockTime(said.at);
  return plainText(
    `This was said already, and not a second time: at ${when} ${kind.describe(said)}.`,
  );
}

async function abort(rolloutId: string, { onFailure, reason }: Act, engine: Engine): Promise<Done> {
  const policy = await policyOfAbort(rolloutId, onFailure, engine.ledger);
  const signal = await sendAbort(rolloutId, { onFailure: policy.onFailure, reason }, engine);
  if (signal === null) return { message: NEVER_BEGUN, rolloutId: null };
  const isDead = await engine.isAbandoned(rolloutId).catch(() => false);
  const { sentence } = await tellSent(rolloutId, signal, engine);
  const message = `${sentence}${isDead ? NOBODY_FOLLOWS : ''}`;
  return { message, rolloutId: null, toldAt: signal.at };
}
