import type { AskedRollout } from '../../domain/rollout.ts';
import { mayWrite } from '../../domain/signal.ts';
import type { Phase } from '../../domain/story/phase.ts';
import { quietSince } from '../../domain/story/quiet.ts';
import { clockTime } from './clock-time.ts';

/**
 * What a rollout wants of people, or what they should know of it, with the commands to type: line by line.
 *
 * @param where What a command needs behind it to find the engine; begins with a space, or is empty.
 */
export function describeWants(
  record: AskedRollout,
  { phase }: Phase,
  now: number,
  where: string,
): string[] {
  if (phase === 'ended') return [];
  return [
    ...(phase === 'approval' ? approvalLines(record, where) : []),
    ...abortLines(record),
    ...quietLines(record, now, where),
  ];
}

function approvalLines({ request, progress }: AskedRollout, where: string): string[] {
  const wave = (progress?.wave ?? 0) + 1;
  const behind = `${request.rolloutId} --wave ${wave}${where}`;
  return [
    `Wave ${wave} waits for a word of yours:`,
    `  steproll rollout approve ${behind}`,
    `  steproll rollout reject ${behind}`,
  ];
}

/** An abort that was followed already is told with what follows. */
function abortLines({ signals, rollback, events }: AskedRollout): string[] {
  const abort = signals.findLast(({ kind }) => kind === 'abort');
  const failing = events.find(({ kind }) => kind === 'failing');
  if (abort === undefined || (failing !== undefined && failing.at >= abort.at)) return [];
  const goesOn = rollback !== null && mayWrite('roll-back', signals);
  const what = goesOn ? 'the way back is gone to its end' : 'it ends at its next look';
  return [`${abort.by === '' ? 'Somebody' : abort.by} asked to abort: ${what}.`];
}

/** On AWS the janitor closes what has died; elsewhere somebody has to take it on. */
function quietLines(record: AskedRollout, now: number, where: string): string[] {
  const since = quietSince(record, now);
  if (since === null) return [];
  const words = `Nothing was heard of it since ${clockTime(since)}.`;
  if (where !== '') return [`${words} Where its execution has ended, it is closed within minutes.`];
  return [
    `${words} Where its process has died, this goes on:`,
    `  steproll rollout resume ${record.request.rolloutId}`,
  ];
}
