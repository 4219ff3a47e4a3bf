import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Less is not worth it. */
const LEAST_BYTES = 500;

/** What is said anew each time takes some milliseconds, also the story of 10,000 endpoints. What stays the same is worth more. */
const QUALITY = { once: 5, kept: constants.BROTLI_MAX_QUALITY } as const;
type Use = keyof typeof QUALITY;

const brotli = promisify(brotliCompress);

const WAYS = {
  br: (text: string, use: Use) =>
    brotli(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: QUALITY[use],
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
  gzip: promisify<string, Buffer>(gzip),
} as const satisfies Readonly<Record<string, (text: string, use: Use) => Promise<Buffer>>>;
type Way = keyof typeof WAYS;

/** The best way that the browser can read. `null`: none. */
function wayFor({ headers }: Pick<FastifyRequest, 'headers'>): Way | null {
  const asked = String(headers['accept-encoding'] ?? '').split(',');
  const names = asked.flatMap(
    (one) => /^\s*([a-z]+)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.exec(one)?.[1] ?? [],
  );
  return (['br', 'gzip'] as const).find((way) => names.includes(way)) ?? null;
}

/** Compresses an answer as the browser can read it, because the line may be slow. A hook for `onSend`. */
export async function compress(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const way = wayFor(request);
  if (typeof payload !== 'string' || payload.length < LEAST_BYTES || way === null) return payload;
  const body = await WAYS[way](payload, 'once');
  return sent(reply, way, body);
}

/** The same for a text that does not change: it is compressed once, and as well as can be. */
export function keepCompressed(text: string) {
  const kept = new Map<Way, Promise<Buffer>>();
  return async (request: Pick<FastifyRequest, 'headers'>, reply: FastifyReply) => {
    const way = wayFor(request);
    if (way === null || text.length < LEAST_BYTES) return text;
    const body = kept.get(way) ?? WAYS[way](text, 'kept');
    kept.set(way, body);
    return sent(reply, way, await body);
  };
}

function sent(reply: FastifyReply, way: Way, body: Buffer): Buffer {
  reply.removeHeader('content-length');
  reply.headers({ 'content-encoding': way, vary: 'accept-encoding' });
  return body;
}
