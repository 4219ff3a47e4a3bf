/** How often the console says that it is alive, in milliseconds, whether there is news or not. */
export const BEAT_MS = 2_000;

/** A comment in the stream of news: it is no news. */
export const BEAT = ': beat\n\n';
