import type { Probe } from '../../gates/probe.ts';
import type { Sockets } from '../http/network.ts';

/** 64 KiB of the body are read; anything after that changes nothing. */
const MAX_BODY_BYTES = 64 * 1_024;

/**
 * The status of one GET, on the sockets that are closed afterwards. An answer with the wanted status counts when it
 * has ended, or when 64 KiB of it have come.
 *
 * @throws the reason why no complete answer came: the signal's reason, or an error with a code.
 */
export async function requestStatus(
  sockets: Sockets,
  wanted: Pick<Probe, 'path' | 'status'>,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await exchange(sockets, wanted, signal);
  } finally {
    await sockets.destroy();
  }
}

function exchange(
  sockets: Sockets,
  { path, status: wantedStatus }: Pick<Probe, 'path' | 'status'>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    let status = 0;
    let bytes = 0;
    sockets.dispatch(
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
