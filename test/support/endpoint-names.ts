/** `endpoint-01` and so on, from `first` to `last`, as a scenario names them. */
export function endpointNames(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => endpointName(first + index));
}

export function endpointName(number: number): string {
  return `endpoint-${String(number).padStart(2, '0')}`;
}
