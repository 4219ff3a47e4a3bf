import type { styleText } from 'node:util';

/** What sentences are laid out for. */
export interface Page {
  /** Whether frames can be redrawn. Otherwise there are only lines, as where the size of the terminal is not known. */
  readonly isLive: boolean;
  readonly columns: number;
  /** Adds colours only for people: on a terminal, and without NO_COLOR. */
  style(format: Parameters<typeof styleText>[0], text: string): string;
}

/** A page that breaks its lines and has its colours by itself, as one of a browser does. */
export const WEB_PAGE: Page = {
  isLive: false,
  columns: Number.POSITIVE_INFINITY,
  style: (_format, text) => text,
};
