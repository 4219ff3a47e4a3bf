import { checkBearerToken } from '../../contract/config/auth.ts';
import { type GateAnswer, silent } from '../../gates/gate.ts';
import type { GatePorts } from '../../gates/gates.ts';
import type { PrometheusRule } from '../../gates/prometheus-rule.ts';
import { createSecretReader } from '../credentials/secrets.ts';
import { jsonWithoutSecrets } from '../http/known-secrets.ts';
import type { OpenSockets } from '../http/network.ts';
import { postOnce } from '../http/post-once.ts';
import { whyNoAnswer } from './ask-url.ts';
import { unasked } from './silence.ts';

/** Asks Prometheus servers. Never throws. */
export function createQuerier(openSockets: OpenSockets): GatePorts['prometheus'] {
  const read = createSecretReader();
  return async (rule, query, _, signal) => {
    try {
      const secret = rule.auth && (await read(rule.auth.secret));
      return await queryPrometheus(rule, query, secret, { openSockets, signal });
    } catch (error) {
      return unasked(error);
    }
  };
}

/**
 * Asks a Prometheus server, or one that answers like it, at its own time. No redirect is followed.
 *
 * @param secret The token, or the user and the password. @default - nobody in particular asks
 */
async function queryPrometheus(
  { url, auth, timeoutSeconds }: PrometheusRule,
  query: string,
  secret: string | undefined,
  { openSockets, signal }: Pick<Parameters<typeof postOnce>[0], 'openSockets' | 'signal'>,
): Promise<{ readonly json: unknown } | GateAnswer> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(secret !== undefined && {
      authorization:
        auth?.kind === 'basic'
          ? `Basic ${Buffer.from(secret).toString('base64')}`
          : `Bearer ${checkBearerToken(secret)}`,
    }),
  };
  const result = await postOnce({
    ...{ url: `${url.replace(/\/+$/, '')}/api/v1/query`, headers, timeoutSeconds },
    ...{ openSockets, signal },
    body: new URLSearchParams({ query }).toString(),
  });
  if (result.kind === 'no-answer') return silent(whyNoAnswer(result.cause, timeoutSeconds));
  const { status } = result;
  if (status !== 200) return silent(`${status}`, MENDS[status], status !== 400);
  return { json: jsonWithoutSecrets(result.body.toString(), TOLD) };
}

/** What people are told of an answer besides numbers. */
const TOLD = ['metric', 'warnings'];

/** 422 is none of them: a query is also answered so when its server lacks memory for it, or a store of its server is away. */
const MENDS: Readonly<Record<number, string>> = {
  400: 'Correct the query: the server cannot read it.',
  401: 'Give its auth, or another one.',
  403: 'Give its auth, or another one.',
  404: 'Correct its url: /api/v1/query is not below it.',
};
