import type { AskedRollout } from '../../domain/rollout/record.ts';
import { listGates, type ToldGate } from '../../domain/story/gates.ts';
import { dateTime, plainText } from '../terminal/text.ts';

/** What the gates of each wave have answered so far, and why, one per line. */
export function describeAnswers(record: AskedRollout): string[] {
  return listGates(record).map(({ wave, kind, name, verdict, detail, at }) => {
    const gate = name === null ? kind : `${kind} ${name}`;
    const said = `Wave ${wave}: ${gate}: ${ANSWERS[verdict]}, ${detail}`;
    return `${dateTime(at)}  ${plainText(said)}`;
  });
}

const ANSWERS: Readonly<Record<ToldGate['verdict'], string>> = {
  pass: 'yes',
  fail: 'no',
  unknown: 'no answer',
};
