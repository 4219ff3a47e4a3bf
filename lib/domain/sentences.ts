import { describeDuration } from './durations.ts';

// The parts that sentences for people are made of.

/** `1 wave`, `3 waves`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

type Named = {
  readonly name: string | null;
  /** Its name alone does not say which one it is. */
  readonly sharesName?: true | undefined;
} & ({ readonly endpointId: string } | { readonly id: string });

/** What people are told of an endpoint: its name, with the id where others have the same name, or else the id. */
export function nameOf(one: Named): string {
  const id = 'endpointId' in one ? one.endpointId : one.id;
  if (one.name === null) return id;
  return one.sharesName ? `${one.name} (${id})` : one.name;
}

export function describeSeconds(seconds: number): string {
  return describeDuration(seconds * 1000);
}

/** At most so many characters of a text. One that is cut in half becomes U+FFFD. */
export function cutShort(text: string, longest: number): string {
  return (text.length > longest ? `${text.slice(0, longest - 1)}…` : text).toWellFormed();
}

/** The words of a stranger as one line of plain text. */
export function oneLine(text: string, longest: number): string {
  return cutShort(text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim(), longest);
}

/** The messages of services and of the network end as they like. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
