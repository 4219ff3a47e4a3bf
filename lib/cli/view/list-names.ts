import { plainText } from './plain-text.ts';

const MAX_NAMES = 5;

/** `a, b and 3 more`, without anything that a terminal would obey. */
export function listNames(names: readonly string[], most = MAX_NAMES): string {
  const shown = names.slice(0, most).map(plainText).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
