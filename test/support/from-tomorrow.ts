/** The same, as a newer steproll might write it: every object has one more field. */
export function fromTomorrow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromTomorrow);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, fromTomorrow(field)]);
  return { ...Object.fromEntries(fields), tomorrow: { is: true } };
}

/** The text of a record, with more fields in every object. */
export function textFromTomorrow(text: string): string {
  return JSON.stringify(fromTomorrow(JSON.parse(text)));
}

/** A signal and an event of kinds that this version does not know. */
export const PAUSE = { kind: 'pause', at: 0, minutes: 5 };
export const PAUSED = { kind: 'paused', eventId: 'paused', at: 0, minutes: 5 };
