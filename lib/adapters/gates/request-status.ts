import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Probe } from '../../gates/probe.ts';

/** 64 KiB of the body are read; anything after that changes nothing. */
const MAX_BODY_BYTES = 64 * 1_024;

/** The time for one address, so that a second one can be tried when the first is silent. */
const ADDRESS_TIMEOUT_MS = 1_000;

/**
 * The status of one GET, on its own socket that is closed afterwards. An answer with the wanted status counts when it
 * has ended, or when 64 KiB of it have come.
 *
 * @throws the reason why no complete answer came: the signal's reason, or an error with a code.
 */
export async function requestStatus(
  origin: string,
  wanted: Pick<Probe, 'path' | 'status'>,
  lookup: LookupFunction,
  signal: AbortSignal,
): Promise<number> {
  const pool: Dispatcher = new Pool(origin, {
    connections: 1,
    allowH2: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    // Only the signal limits the time. It also ends a socket that is still connecting.
    connectTimeout: 0,
    connect: { lookup, signal },
  });
  try {
    return await exchange(pool, wanted, signal);
  } finally {
    await pool.destroy();
  }
}

function exchange(
  pool: Dispatcher,
  { path, status: wantedStatus }: Pick<Probe, 'path' | 'status'>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    let status = 0;
    let bytes = 0;
    pool.dispatch(
      {
        method: 'GET',
        path,
        headers: { 'user-agent': 'steproll' },
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        // The method is required, but there is nothing to do yet.
        onRequestStart() {},
        // This is also called for interim answers, such as 103.
        onResponseStart(_controller, statusCode) {
          status = statusCode;
          if (status >= 200 && status !== wantedStatus) resolve(status);
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length;
          if (bytes >= MAX_BODY_BYTES) resolve(status);
        },
        onResponseEnd() {
          resolve(status);
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}
