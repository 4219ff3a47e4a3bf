import { createHash, createHmac } from 'node:crypto';
import type { DoubleRequest } from './double.ts';

/** The credentials that the double knows. */
export const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'the-secret-key-of-the-double',
  sessionToken: 'the-session-token-of-the-double',
};

const SERVICE = 'bedrock-agentcore';
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/**
 * Why a request is not signed as Signature Version 4 asks for, as the name of AWS's error; `null` when it is. The
 * signature is computed again from what arrived, so nothing may have changed on the way.
 */
export function faultOfSignature(request: DoubleRequest): string | null {
  const { headers, body, method } = request;
  const parts = AUTHORIZATION.exec(headers.authorization ?? '');
  if (parts === null) return 'MissingAuthenticationTokenException';
  const [, key, date = '', region = '', service, signed = '', signature] = parts;
  if (key !== CREDENTIALS.accessKeyId) return 'UnrecognizedClientException';
  if (headers['x-amz-security-token'] !== CREDENTIALS.sessionToken) return 'ExpiredTokenException';
  if (service !== SERVICE || headers['x-amz-date']?.slice(0, 8) !== date) {
    return 'InvalidSignatureException';
  }
  const names = signed.split(';');
  if (!['host', 'x-amz-date'].every((name) => names.includes(name))) {
    return 'InvalidSignatureException';
  }
  const [path = '', query = ''] = request.path.split('?');
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...names.map((name) => `${name}:${headers[name]?.trim().replaceAll(/ +/g, ' ')}`),
    '',
    signed,
    sha256(body),
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const signing = [date, region, SERVICE, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${CREDENTIALS.secretAccessKey}`,
  );
  return hmac(signing, text).toString('hex') === signature ? null : 'InvalidSignatureException';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
