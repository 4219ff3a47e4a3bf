import type { HowToPrint } from '../view/print-result.ts';

/** Whether a result is read as it is printed: then it is told in sentences. */
export function isForPeople({ '--output': output, '--query': query }: HowToPrint): boolean {
  return output === 'table' && query === undefined;
}
