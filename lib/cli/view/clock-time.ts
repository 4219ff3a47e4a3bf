// Times are in UTC, as in the logs of everything else: whoever reads them may be anywhere.

/** `12:03:07Z`, of milliseconds since the Unix epoch. */
export function clockTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(11, 19)}Z`;
}

/** `2026-01-31 12:03:07Z` */
export function dateTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 10)} ${clockTime(milliseconds)}`;
}
