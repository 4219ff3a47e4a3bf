import { describe, expect, test } from '@jest/globals';
import { classifyExchange, codeOf } from '../../../lib/adapters/http/classify-exchange.ts';
import { rememberSecret } from '../../../lib/adapters/http/known-secrets.ts';
import { SteprollError } from '../../../lib/domain/errors.ts';
import { clientOf, startHttpServer, startTlsServer, thrownBy } from './fault-server.ts';
import { SELF_SIGNED } from './self-signed.ts';

const STOP = 'POST /agent-runtimes/r1/endpoints/e1/stop';

/** What the message says of why no answer came. */
function reasonOf(cause: unknown): string {
  const asked = { method: 'GET', path: '/x', writes: false };
  const context = { now: 0, abortReason: undefined };
  const result = classifyExchange(asked, { kind: 'no-answer', sent: false, cause }, context);
  if (result.kind === 'fault' && result.error instanceof SteprollError) {
    return result.error.message.replace(/^GET \/x: /, '');
  }
  throw new TypeError('no fault');
}

describe('H30: a TLS failure is told in words, on one line:', () => {
  test('a server that speaks no TLS', async () => {
    const server = await startHttpServer((_request, response) => response.end());
    const client = clientOf(server.url.replace('http:', 'https:'));
    expect((await thrownBy(client.stop('r1', 'e1'))).message).toBe(
      `${STOP}: TLS failed: wrong version number`,
    );
  });

  test('a certificate that nobody vouches for', async () => {
    const client = clientOf(await startTlsServer(SELF_SIGNED));
    expect((await thrownBy(client.stop('r1', 'e1'))).message).toMatch(
      /^POST \S+: TLS failed: .*self-signed certificate[^\n]*$/,
    );
  });

  test('a handshake that the server ends', () => {
    const message =
      'write EPROTO 40AD8152BF7F0000:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert ' +
      'handshake failure:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:916:SSL alert number 40\n';
    const cause = Object.assign(new Error(message), { code: 'EPROTO' });
    expect(reasonOf(cause)).toBe('TLS failed: ssl/tls alert handshake failure');
  });
});

describe('any other cause is told', () => {
  test('on one line, without secrets', () => {
    rememberSecret('canary-of-classify');
    expect(reasonOf(new Error('read\nECONNRESET canary-of-classify'))).toBe(
      'read ECONNRESET [hidden]',
    );
  });

  test('by its code when it has no message', () => {
    const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(reasonOf(cause)).toBe('ECONNREFUSED');
  });
});

test.each([
  [{ code: 'EPIPE' }, 'EPIPE'],
  [{ code: undefined }, ''],
  [{ code: null }, ''],
  [{ code: 20 }, ''],
  [{}, ''],
  [null, ''],
  ['EPIPE', ''],
])('the code of %j is %j', (cause, code) => {
  expect(codeOf(cause)).toBe(code);
});
