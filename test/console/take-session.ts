export interface Session {
  readonly origin: string;
  /** What every request needs. */
  readonly token: string;
}

/** What a browser does with the link of a console, which works once. */
export async function takeSession(link: string): Promise<Session> {
  const [, origin = '', code = ''] = /(http:\S+)\/#code=(\S+)/.exec(link) ?? [];
  const answer = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ code, key: crypto.randomUUID() }),
  });
  const { session, message } = (await answer.json()) as { session?: string; message?: string };
  if (session === undefined) throw new Error(message);
  return { origin, token: session };
}
