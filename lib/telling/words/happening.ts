import { ANSWER_UNREADABLE } from '../../domain/endpoint/rolls.ts';
import { meaningOf } from '../../domain/error-meanings.ts';
import { describeHold } from '../../domain/holds/hold.ts';
import type { RolloutEvent } from '../../domain/rollout/event.ts';
import type { GateLine } from '../../domain/rollout/gates.ts';
import type { LogLine } from '../../domain/rollout/record.ts';
import { WAITS } from '../../domain/rollout/wait.ts';
import { asSentence, capitalized } from '../../domain/sentences.ts';
import { kindOf } from '../../domain/signals/signals.ts';
import type { Happening } from '../story/happenings.ts';
import type { WriteGroup } from '../story/write-groups.ts';
import { listNames, plainText } from '../text.ts';
import { reasonInWords } from './fates.ts';

/** Describes something that happened in a rollout, in a sentence for people who know which rollout it is. */
export function describeHappening(happening: Happening): string {
  switch (happening.kind) {
    case 'event':
      return plainText(sentencesOf(happening.event));
    case 'signal':
      return plainText(kindOf(happening.signal).describe(happening.signal));
    case 'writes':
      return describeWrites(happening.writes);
    case 'gate':
      return plainText(describeGateLine(happening));
    case 'waits':
      return plainText(asSentence(happening.of ?? capitalized(WAITS[happening.for].means)));
    case 'held':
      return plainText(happening.holds.map(describeHold).join(' '));
    case 'free':
      return plainText(describeFree(happening));
    default:
      return happening satisfies never;
  }
}

const SAYS = { pass: 'says yes again', fail: 'says no', unknown: 'gives no answer' } as const;

function describeGateLine({ gate, verdict, detail, isWatching, isOneOfMany }: GateLine): string {
  const only = isWatching ? ', and only watches' : '';
  const often = isOneOfMany ? ', after many changes' : '';
  return asSentence(`The gate ${gate} ${SAYS[verdict]}${only}${often}: ${detail}`);
}

function describeFree({ lifted }: Extract<LogLine, { kind: 'free' }>): string {
  const who = lifted.map(({ by, reason }) => `${by} has lifted it: ${reason}`);
  return asSentence(`Held no longer: ${who.length === 0 ? 'it was over' : who.join('; ')}`);
}

/** Every command that shows a rollout also prints its result, so the end need not be shown. */
export function isEnd(happening: Happening): boolean {
  return happening.kind === 'event' && happening.event.kind === 'ended';
}

/** The sentences of an event for people who know which rollout it is. For others they contain the runtime's name. */
export function sentencesOf({ runtimeId, message }: RolloutEvent): string {
  const prefix = `${runtimeId}: `;
  const told = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return capitalized(told);
}

function describeWrites(writes: WriteGroup): string {
  const { operation, wave, waves, names, times } = writes;
  const where = operation === 'roll-back' ? 'Rollback' : `Wave ${wave} of ${waves}`;
  const what = operation === 'stop' ? describeStop(writes) : describeRoll(writes);
  const often = times > names.length ? ` (${times} times)` : '';
  return `${where}: ${listNames(names)} ${what}${often}`;
}

function describeRoll(writes: WriteGroup): string {
  const { operation, result, version, isRepeat, names } = writes;
  if (result === 'accepted') {
    const rolls = names.length === 1 ? 'rolls' : 'roll';
    const back = operation === 'roll-back' ? ' back' : '';
    return `${rolls}${back} to version ${version}${isRepeat ? ' once more' : ''}`;
  }
  if (result === 'rejected' && meaningOf(writes.reason ?? '').roll === 'later') {
    return `${names.length === 1 ? 'is' : 'are'} busy, and asked to roll again later${becauseOf(writes)}`;
  }
  if (writes.reason === ANSWER_UNREADABLE) return `${wereOf(names)} asked to roll, ${UNREADABLE}`;
  const answer = result === 'unknown' ? 'no answer' : 'refused';
  return `${wereOf(names)} asked to roll, ${answer}${becauseOf(writes)}`;
}

const UNREADABLE =
  'with a yes that cannot be read: the list tells whether it arrived, and wire.endpoint in the configuration how to read it, also in an envelope';

function describeStop(writes: WriteGroup): string {
  const { result, names } = writes;
  const were = wereOf(names);
  if (result === 'accepted') return `${were} stopped`;
  if (result === 'kept') return `${were} not stopped${becauseOf(writes)}`;
  return result === 'unknown'
    ? `${were} asked to stop, no answer${becauseOf(writes)}`
    : `could not be stopped${becauseOf(writes)}`;
}

function wereOf(names: readonly string[]): string {
  return names.length === 1 ? 'was' : 'were';
}

function becauseOf({ reason }: WriteGroup): string {
  return reason === undefined ? '' : `: ${plainText(reasonInWords(reason))}`;
}
