import { inspect } from 'node:util';
import { expect } from '@jest/globals';

/** Every kind of credential, with characters that change when they are encoded. */
export const CANARIES = {
  bearerToken: 'canary+bearer/one~==',
  mintedToken: 'canary+minted/two~==',
  clientSecret: 'canary secret&three/+é',
} as const;

export const CLIENT = { clientId: 'canary client', clientSecret: CANARIES.clientSecret };

/** The text holds no canary, in whatever form it was sent or kept. */
export function expectNoCanary(text: string): void {
  const found = FORMS.filter((form) => text.includes(form));
  expect({ found, around: found.map((form) => text.slice(text.indexOf(form) - 80)) }).toEqual({
    found: [],
    around: [],
  });
}

/** All that anybody could print of an error: message, stack, causes, hidden fields. */
export function textOfError(error: unknown): string {
  const parts = [inspect(error, { depth: 20, showHidden: true, maxStringLength: null })];
  for (let one = error; one instanceof Error; one = one.cause) {
    parts.push(one.message, String(one.stack), JSON.stringify(one));
  }
  return parts.join('\n');
}

const FORMS = formsOf();

function formsOf(): string[] {
  const formEncode = (value: string) => new URLSearchParams({ '': value }).toString().slice(1);
  const { clientId, clientSecret } = CLIENT;
  const basic = `${formEncode(clientId)}:${formEncode(clientSecret)}`;
  const forms = [...Object.values(CANARIES), basic].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    formEncode(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
  ]);
  return [...new Set(forms)];
}
