import type { OpenRollouts } from '../desk.ts';
import { ANSWER_MS, type Looked, learn, lookOf, NOTHING_KNOWN } from '../server/looks.ts';
import { type BrowserMoment, before, momentNow } from './moment.ts';

// What the pages ask their server for. The code that stands behind the # of the link is exchanged for the session, which
// goes out in a header.

const KEY = 'steproll-session';
const JSON_TYPE = { 'content-type': 'application/json' };

/** What is not exchanged yet. The key says to the server that it is this page which asks again. */
let link: { readonly code: string; readonly key: string } | null = null;
let exchanging: Promise<void> | null = null;
/** Why the link that was opened here gives no session. */
let refusal: string | null = null;

/** Takes the code out of the address, so that nobody copies it with a link or sees it on the screen. */
function takeCode(): void {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (code === undefined) return;
  link = { code, key: crypto.randomUUID() };
  history.replaceState(null, '', location.pathname + location.search);
}

async function exchange(signal: AbortSignal | null | undefined): Promise<void> {
  const response = await fetch('/api/session', {
    ...{ method: 'POST', headers: JSON_TYPE, signal: signal ?? null },
    body: JSON.stringify(link),
  });
  const { session, message } = (await response.json()) as { session?: string; message?: string };
  link = null;
  refusal = message ?? null;
  if (session !== undefined) localStorage.setItem(KEY, session);
}

/** The server does not know the session: the console was started again, or no link was opened here. */
export class NoSession extends Error {
  override readonly message = 'The console needs its link.';
  readonly why = refusal;
}

/** Asks the console for another link, which it shows to the person at its terminal. @throws as `read`. */
export async function printLink(): Promise<void> {
  await post('/api/link', {});
}

/** The server has said nothing, so nobody knows what it has done. */
class NoAnswer extends Error {
  override readonly message = 'The console does not answer.';
}

/** Three times as long as the console takes for an answer, and nothing has come. */
const SILENT_MS = 3 * ANSWER_MS + 500;
/** A slow line may bring little, but not nothing. */
const READ_MS = 10_000;
/** A start looks at the service before it answers. */
const ACT_MS = 30_000;

/** Gives up after so long without a word. */
function limitSilence(limitMs: number, signal?: AbortSignal) {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const hear = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new NoAnswer()), limitMs);
  };
  hear();
  const signals = [silence.signal, ...(signal === undefined ? [] : [signal])];
  return { signal: AbortSignal.any(signals), hear, end: () => clearTimeout(timer) };
}

/** @throws `NoSession`, and an error with a sentence: the server's own one, or that it does not answer. */
export function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, {}, READ_MS, signal);
}

/** Asks for something to be done, and answers what was. @throws as `read`. */
export async function post<T>(path: string, said: object): Promise<T> {
  try {
    return await ask<T>(
      path,
      { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(said) },
      ACT_MS,
    );
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new Error(
      'The console has not answered. This may have been done: ask again here, and it is not done a second time.',
    );
  } finally {
    // Who did something sees at once what came of it.
    askAtOnce();
  }
}

async function ask<T>(
  path: string,
  init: RequestInit,
  limitMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const limit = limitSilence(limitMs, signal);
  try {
    const { body } = await send(path, { ...init, signal: limit.signal });
    let text = '';
    for await (const part of partsOf(body)) {
      limit.hear();
      text += part;
    }
    return JSON.parse(text) as T;
  } catch (error) {
    // A connection that breaks is an error of this type.
    throw error instanceof TypeError ? new NoAnswer() : error;
  } finally {
    limit.end();
  }
}

async function send(path: string, init: RequestInit): Promise<Response> {
  takeCode();
  if (link !== null) {
    exchanging ??= exchange(init.signal).finally(() => {
      exchanging = null;
    });
    await exchanging;
  }
  const session = localStorage.getItem(KEY) ?? '';
  const headers = { ...init.headers, authorization: `Bearer ${session}` };
  const response = await fetch(path, { ...init, headers });
  if (response.status === 401) throw new NoSession();
  if (response.ok) return response;
  const { message } = (await response.json().catch(() => ({}))) as { readonly message?: string };
  throw new Error(message ?? `The console answered with ${response.status}.`);
}

async function* partsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value as string;
  }
}

/** After so long a console is asked again that has not answered. */
const AGAIN_MS = 2_000;

/** A look, and the latest moment at which it can have begun. */
export interface Seen {
  readonly look: OpenRollouts;
  readonly began: BrowserMoment;
}

/** What the page hears. `isLost`: the console does not know the session. */
export type ConsoleNews =
  | {
      readonly isLost: true;
      /** Why the link that was opened gives none. `null`: none was. */
      readonly why: string | null;
    }
  | {
      /** `null`: there is no newer one. */
      readonly seen: Seen | null;
      /** Why there is none now. `''`: the console says nothing. `null`: no trouble. */
      readonly trouble: string | null;
    };

/** Ends the pause between two questions. */
let askAtOnce = () => {};

/**
 * Asks for looks until the signal aborts, each when the last one is there: what is on its way on a slow line is never
 * taken for the present.
 */
export async function follow(
  tell: (heard: ConsoleNews) => void,
  signal: AbortSignal,
): Promise<void> {
  let known = NOTHING_KNOWN;
  while (!signal.aborted) {
    let pauseMs = AGAIN_MS;
    const asked = momentNow();
    try {
      const query = known.seen === null ? '' : `?seen=${encodeURIComponent(known.seen)}`;
      const answer = await ask<Looked>(`/api/look${query}`, {}, SILENT_MS, signal);
      known = learn(known, answer);
      const look = lookOf(known);
      const seen = look && { look, began: before(asked, answer.ageMs) };
      tell({ seen, trouble: answer.trouble });
      pauseMs = answer.againMs;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NoSession) return tell({ isLost: true, why: error.why });
      // What was known may be what a console before this one has said.
      known = NOTHING_KNOWN;
      tell({ seen: null, trouble: error instanceof NoAnswer ? '' : (error as Error).message });
    }
    await new Promise<void>((resolve) => {
      askAtOnce = resolve;
      setTimeout(resolve, pauseMs);
    });
  }
}
