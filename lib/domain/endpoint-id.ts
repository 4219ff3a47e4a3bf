const LONGEST_ID = 256;

/**
 * Why an id, of a runtime or an endpoint, cannot stand as one segment of a path; `null` when it can.
 * Ids are opaque, but `..` stays `..` when encoded and would address something else.
 */
export function faultOfId(id: string): string | null {
  if (id === '') {
    return 'it is empty';
  }
  if (id.length > LONGEST_ID) {
    return `it is longer than ${LONGEST_ID} characters`;
  }
  if (id === '.' || id === '..') {
    return 'it would address another path';
  }
  if (/\p{Cc}/u.test(id)) {
    return 'it has control characters';
  }
  return id.isWellFormed() ? null : 'it has half a surrogate pair';
}
