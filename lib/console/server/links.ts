import { clockTime } from '../../domain/local-time.ts';
import { Refusal } from '../../loopback/refusal.ts';
import { createToken } from '../../loopback/token.ts';
import type { StepClock } from '../../ports/clock.ts';
import type { LinkAsked } from '../asked.ts';

/** Anybody on this machine may ask for a link, which only the terminal shows: no more often than this. */
const PRINT_MS = 5_000;

/**
 * The codes of the links. A page exchanges the code of its link for the session, once: what a browser keeps in its
 * history, or a screen has shown, is worth nothing after that.
 */
export interface Links {
  /** What every read and act needs, until the console ends. */
  readonly session: string;
  /** The code that nobody has used yet: the last one, or else a new one. */
  next(): string;
  /** Throws a `Refusal` of 429. */
  nextForStranger(): string;
  /** Answers the session. Throws a `Refusal` of 410 for a code that was used, or that is not of this start. */
  exchange(asked: LinkAsked): string;
}

export function createLinks(clock: Pick<StepClock, 'now' | 'elapsed'>): Links {
  const session = createToken();
  const used = new Map<string, { readonly key: string; readonly at: number }>();
  let unused: string | null = null;
  let printedAt = Number.NEGATIVE_INFINITY;

  function next(): string {
    unused ??= createToken();
    return unused;
  }

  return {
    session,
    next,
    nextForStranger() {
      const now = clock.elapsed();
      if (now - printedAt < PRINT_MS) {
        throw new Refusal(429, 'the console has just printed its link: look at its terminal');
      }
      printedAt = now;
      return next();
    },
    exchange({ code, key }) {
      if (code === unused) {
        used.set(code, { key, at: clock.now() });
        unused = null;
      }
      const use = used.get(code);
      // A page that has lost the answer asks again.
      if (use?.key === key) return session;
      throw new Refusal(410, use === undefined ? UNKNOWN : usedAt(use.at));
    },
  };
}

const UNKNOWN = 'This link is of another console, or of an earlier start of this one.';

function usedAt(at: number): string {
  return `This link was used at ${clockTime(at)}, and works once. If that was not you, end the console with Ctrl-C.`;
}
