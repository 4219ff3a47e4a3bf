import * as z from 'zod';

/** A time as programs get it. */
export const time = z.iso.datetime();

/** @param milliseconds Since the Unix epoch. */
export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
