import { createPrivateKey, X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { SecretSource } from '../../contract/config/auth.ts';
import type { NetworkSettings, TlsSettings } from '../../contract/config/network.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { createNetwork, type OpenSockets, type ReadTls } from '../http/network.ts';
import { isReadOnce } from '../machine/files.ts';
import { openSecret } from './secrets.ts';

/** Opens the sockets of all calls, in the way that the settings say. Nothing is read before the first call needs it. */
export function openNetwork({ tls }: NetworkSettings = {}): OpenSockets {
  return createNetwork(tls === undefined ? undefined : openTls(tls));
}

/** What the settings name, as text in PEM. */
export type TlsMaterial = { readonly [Field in keyof TlsSettings]?: string };

/**
 * Files are read for each socket and secrets of AWS are kept for 5 minutes, so what was replaced is used. Where the
 * client certificate is not shown, neither it nor its key is read.
 *
 * It throws `SecretUnavailable`, and `InvalidCredential` for what is not PEM.
 */
export function openTls(settings: TlsSettings): ReadTls {
  const stores = Object.entries(settings).map(([field, source]) => ({
    field,
    store: openSecret(source),
  }));
  const openReader = (fields: readonly string[]) => {
    let last: { material: TlsMaterial; options: ReturnType<typeof toTlsOptions> } | undefined;
    return async () => {
      const needed = stores.filter(({ field }) => fields.includes(field));
      const texts = needed.map(async ({ field, store }) => [
        field,
        await store.read({ fresh: false }),
      ]);
      const material: TlsMaterial = Object.fromEntries(await Promise.all(texts));
      if (!isDeepStrictEqual(material, last?.material)) last = undefined;
      last ??= { material, options: toTlsOptions(material) };
      return last.options;
    };
  };
  const readAll = openReader(['ca', 'cert', 'key']);
  const readTrusted = openReader(['ca']);
  return (shows) => (shows ? readAll() : readTrusted());
}

/**
 * Reads what is on this machine. What is on AWS or in a pipe is not tried.
 *
 * @throws `SecretUnavailable`, `InvalidCredential`.
 */
export async function tryLocalTls(settings: TlsSettings): Promise<void> {
  const isHere = (source: SecretSource) =>
    !('awsSecret' in source) && !('file' in source && isReadOnce(source.file));
  const local = Object.entries(settings).filter(([, source]) => isHere(source));
  await openTls(Object.fromEntries(local))(true);
}

/**
 * The same for Node's TLS. Authorities are trusted besides the usual ones, so that one setting does for a private
 * service and a public token endpoint.
 *
 * @throws `InvalidCredential` with every fault, and nothing of what was read.
 */
function toTlsOptions(material: TlsMaterial) {
  const faults = faultsOf(material);
  if (faults.length > 0) throw new SteprollError(ErrorName.InvalidCredential, faults.join('; '));
  const { ca, ...identity } = material;
  return { ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }), ...identity };
}

/** OpenSSL's own words do not say which of the three it means. */
function faultsOf({ ca, cert, key }: TlsMaterial): string[] {
  const authorities = ca === undefined ? undefined : tryTo(() => certificatesIn(ca));
  const own = cert === undefined ? undefined : tryTo(() => certificatesIn(cert)[0]);
  const privateKey = key === undefined ? undefined : tryTo(() => createPrivateKey(key));
  const isForeign = own && privateKey && !own.checkPrivateKey(privateKey);
  return [
    ...(authorities === null ? [`tls.ca: ${NO_CERTIFICATE}`] : []),
    ...(own === null ? [`tls.cert: ${NO_CERTIFICATE}`] : []),
    ...(privateKey === null ? [`tls.key: ${NO_KEY}`] : []),
    ...(isForeign ? [`tls.key: ${FOREIGN_KEY}`] : []),
  ];
}

const NO_CERTIFICATE = 'use certificates in PEM: -----BEGIN CERTIFICATE-----';
const NO_KEY = 'use a private key in PEM without a passphrase: -----BEGIN PRIVATE KEY-----';
const FOREIGN_KEY = 'use the key of the first certificate in tls.cert, this is another one';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

/** @throws when there is none, or one that is broken. */
function certificatesIn(pem: string): X509Certificate[] {
  const found = pem.match(CERTIFICATE)?.map((one) => new X509Certificate(one)) ?? [];
  if (found.length === 0) throw new Error(NO_CERTIFICATE);
  return found;
}

function tryTo<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
