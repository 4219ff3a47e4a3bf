import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Probe } from '../../domain/rollout/policy.ts';

/** 64 KiB: what comes after them changes nothing. */
const MAX_BODY_BYTES = 64 * 1_024;

/** Time for a second address where the first one is silent. */
const ADDRESS_TIMEOUT_MS = 1_000;

/**
 * The status of one GET, on a socket of its own that is closed afterwards. An answer with the wanted status
 * counts when it has ended, or when 64 KiB of it have come.
 *
 * @throws what kept a complete answer from coming: the signal's reason, or an error with a code.
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
    // The signal is the only clock; it ends a socket that is still connecting too.
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
        // Required, though there is nothing to do yet.
        onRequestStart() {},
        // Also called for the answers before the answer, such as 103.
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
