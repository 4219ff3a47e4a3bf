import { listNames } from '../domain/endpoint/named.ts';
import type { NamedAnswer } from './gate.ts';

/** What a person has to do before a gate can be answered, in a sentence for each reason. */
export function whatToMend(field: string, answers: readonly NamedAnswer[]): string[] {
  const namesOf = new Map<string, string[]>();
  for (const { name, detail, mend } of answers) {
    if (mend === undefined) continue;
    const fault = `${detail}. ${mend}`;
    namesOf.set(fault, [...(namesOf.get(fault) ?? []), name]);
  }
  return [...namesOf].map(
    ([fault, concerned]) => `verify.${field}, ${listNames(concerned)}: ${fault}`,
  );
}
