/**
 * What a look at the list has heard of a wave: what keeps it from going on, if anything does.
 * - `well`: all of it is converged, and nothing speaks against it. What it waits for now has a time of its own: its bake, a
 *   check that is at work, a person.
 * - `work`: endpoints are on their way, or something speaks against the wave.
 * - `proof`: what the look says needs more looks that agree, or time, to be believed.
 * - `silence`: what has to be heard was not: the list, or how an endpoint is.
 */
export const HEARINGS = ['well', 'work', 'proof', 'silence'] as const;
export type Hearing = (typeof HEARINGS)[number];
