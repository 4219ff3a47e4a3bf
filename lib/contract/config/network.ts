import * as z from 'zod';
import type { Stored } from '../../domain/stored.ts';
import { checkAlways } from '../input/checks.ts';
import { secretSourceSchema } from '../input/secret-source.ts';
import { allowHttpSchema, faultOfPlainHttp } from '../service/endpoint-url.ts';

const tlsSchema = z
  .strictObject({
    ca: secretSourceSchema
      .describe('Certificates of authorities that are trusted besides the usual ones: PEM.')
      .exactOptional(),
    /** It is shown to the service and its token endpoint. */
    cert: secretSourceSchema
      .describe('The client certificate, with its chain: PEM.')
      .exactOptional(),
    key: secretSourceSchema
      .describe('The private key of the client certificate, without a passphrase: PEM.')
      .exactOptional(),
  })
  .check(
    checkAlways<{ cert?: unknown; key?: unknown }>(({ cert, key }, report) => {
      if ((cert === undefined) === (key === undefined)) return;
      const [missing, given] = cert === undefined ? ['cert', 'key'] : ['key', 'cert'];
      report([missing], undefined, `use it with "${given}": one is of no use without the other`);
    }),
  );
/** Each is in PEM. */
export type TlsSettings = Stored<typeof tlsSchema>;

export const networkShape = {
  tls: tlsSchema
    .optional()
    .describe(
      'Whom calls trust, and the client certificate for the service. Default: the usual authorities, and none.',
    ),
  allowHttp: allowHttpSchema
    .optional()
    .describe(
      'Hosts that may be called over plain http, where everybody on the way can read and change it: names, or *. before the end of names, such as *.svc.cluster.local. Default: this machine alone.',
    ),
};

export const networkSchema = z.strictObject(networkShape);
/** How calls leave this machine. Proxies are named in the environment and not here. */
export type NetworkSettings = Stored<typeof networkSchema>;

/** Checks that a token endpoint with plain http is one that the same configuration allows. */
export const checkTokenUrl = checkAlways<object>((config, report) => {
  const { auth, allowHttp } = config as Readonly<Record<string, unknown>>;
  const { tokenUrl } = Object(auth) as { readonly tokenUrl?: unknown };
  if (typeof tokenUrl !== 'string') return;
  const fault = faultOfPlainHttp(tokenUrl, allowHttpSchema.safeParse(allowHttp).data);
  if (fault !== undefined) report(['auth', 'tokenUrl'], tokenUrl, fault);
});
