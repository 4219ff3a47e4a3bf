/** No leading zero: what has one is a date or a commit, not a version. */
const VERSION_TEXT = /^v?([1-9]\d{0,15})$/;

/**
 * The version in a value from somebody else's event, where it may be text: `7`, `"7"` and `"v7"` are 7.
 * `null` for anything else.
 */
export function versionIn(value: unknown): number | null {
  const version = typeof value === 'string' ? Number(VERSION_TEXT.exec(value)?.[1]) : value;
  return Number.isSafeInteger(version) && (version as number) >= 1 ? (version as number) : null;
}
