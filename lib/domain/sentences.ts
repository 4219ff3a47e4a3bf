import { describeDuration } from './durations.ts';

// The parts that sentences for people are made of.

/** `1 wave`, `3 waves`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function nameOf({
  name,
  endpointId,
}: {
  readonly name: string | null;
  readonly endpointId: string;
}): string {
  return name ?? endpointId;
}

export function describeSeconds(seconds: number): string {
  return describeDuration(seconds * 1000);
}

/** The messages of services and of the network end as they like. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
