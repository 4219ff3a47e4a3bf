import type { News } from '../console/watcher.ts';

// What the pages ask their server for. The token comes behind the # of the link, and goes out in a header.

const KEY = 'steproll-token';

/** Takes the token out of the address, so that nobody copies it with a link or sees it on the screen. */
export function takeToken(): void {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (found === null) return;
  localStorage.setItem(KEY, found[1] ?? '');
  history.replaceState(null, '', location.pathname + location.search);
}

/** The server does not know the token: the console was started anew, or the link was never opened here. */
export class NoToken extends Error {}

/** @throws `NoToken`, and an error with the server's own sentence. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send(path, { signal: signal ?? null });
  return (await response.json()) as T;
}

/** Asks for something to be done, and answers what was. @throws as `read`. */
export async function post<T>(path: string, said: object): Promise<T> {
  const response = await send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(said),
  });
  return (await response.json()) as T;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const token = localStorage.getItem(KEY) ?? '';
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...init, headers });
  if (response.status === 401) throw new NoToken();
  if (response.ok) return response;
  const { message } = (await response.json().catch(() => ({}))) as { readonly message?: string };
  throw new Error(message ?? `The console answered with ${response.status}.`);
}

const AGAIN_MS = 2_000;

/** Tells the news of the rollouts until the signal aborts, and comes back after an interruption. */
export async function listen(
  tell: (news: News | { readonly isLost: true }) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = await send('/api/live', { signal });
      if (body !== null) await readNews(body, tell);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof NoToken) return tell({ isLost: true });
    }
    if (signal.aborted) return;
    tell({ trouble: 'The console does not answer. Trying again.' });
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

const DATA = 'data: ';

async function readNews(body: ReadableStream<Uint8Array>, tell: (news: News) => void) {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    // Each event says everything, so the last one is enough.
    const last = events.findLast((event) => event.startsWith(DATA));
    if (last !== undefined) tell(JSON.parse(last.slice(DATA.length)) as News);
  }
}
