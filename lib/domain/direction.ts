/** `forward` to the desired version, or `back` to the versions before. */
export const DIRECTIONS = ['forward', 'back'] as const;
export type Direction = (typeof DIRECTIONS)[number];
