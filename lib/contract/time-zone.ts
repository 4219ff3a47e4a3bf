import { textWithout } from './text-without.ts';

/** The name of a time zone, as the clocks of people are set: no offset, which knows no summer. */
export const timeZoneSchema = textWithout(faultOfTimeZone);

function faultOfTimeZone(name: string): string | null {
  const fault = 'use a time zone of the IANA database: "Europe/Berlin"';
  if (!/^[A-Za-z]/.test(name)) return fault;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return null;
  } catch {
    return fault;
  }
}
