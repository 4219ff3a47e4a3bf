import { createPrivateKey, X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { TlsSettings } from '../../contract/config/network.ts';
import type { SecretSource } from '../../contract/input/secret-source.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { ReadTls } from '../http/network.ts';
import { systemClock } from '../machine/clock.ts';
import { isReadOnce } from '../machine/files.ts';
import { openStore } from './secrets.ts';

/** What the settings name, as text in PEM. */
type TlsTexts = { readonly [Field in keyof TlsSettings]?: string };

/**
 * Files are read for each socket and secrets of AWS are kept for 5 minutes, so what was replaced is used. Where the
 * client certificate is not shown, neither it nor its key is read.
 *
 * It throws `SecretUnavailable`, and `InvalidCredential` for what is not PEM.
 */
export function openTls(settings: TlsSettings): ReadTls {
  const read = openTexts(settings);
  const openReader = (fields: readonly (keyof TlsSettings)[]) => {
    let last: { texts: TlsTexts; options: ReturnType<typeof toTlsOptions> } | undefined;
    return async () => {
      const texts = await read(fields);
      if (!isDeepStrictEqual(texts, last?.texts)) last = undefined;
      last ??= { texts, options: toTlsOptions(texts) };
      return last.options;
    };
  };
  const readAll = openReader(ALL);
  const readTrusted = openReader(['ca']);
  return (shows) => (shows ? readAll() : readTrusted());
}

const ALL = ['ca', 'cert', 'key'] as const;

/** A certificate and its key may be in one place. Then it is read once, so they always belong together. */
function openTexts(settings: TlsSettings) {
  const keyOf = (source: SecretSource) => JSON.stringify(source);
  const stores = new Map(Object.values(settings).map((one) => [keyOf(one), openStore(one)]));
  return async (fields: readonly (keyof TlsSettings)[]): Promise<TlsTexts> => {
    const named = fields.flatMap((field) => {
      const source = settings[field];
      return source === undefined ? [] : [{ field, key: keyOf(source) }];
    });
    const read = [...new Set(named.map(({ key }) => key))].map(
      async (key) => [key, await stores.get(key)?.read({ fresh: false })] as const,
    );
    const texts = new Map(await Promise.all(read));
    return Object.fromEntries(named.map(({ field, key }) => [field, texts.get(key)]));
  };
}

/** Reads what is on this machine, neither AWS nor a pipe. @throws `SecretUnavailable`, `InvalidCredential`. */
export async function tryLocalTls(settings: TlsSettings): Promise<void> {
  const isHere = (source: SecretSource) =>
    !('awsSecret' in source) && !('file' in source && isReadOnce(source.file));
  const local = Object.entries(settings).filter(([, source]) => isHere(source));
  await openTls(Object.fromEntries(local))(true);
}

/** What calls would trust and show. @throws `SecretUnavailable`, and `InvalidCredential`, if expired, too. */
export async function readCertificates(settings: TlsSettings) {
  const texts = await openTexts(settings)(ALL);
  refuse(faultsOf(texts));
  const { ca, cert } = texts;
  const [own] = cert === undefined ? [] : certificatesIn(cert);
  const isOver = own !== undefined && own.validToDate.getTime() < systemClock.now();
  refuse(isOver ? [`tls.cert: it was good until ${own.validTo}`] : []);
  return {
    authorities: ca === undefined ? 0 : certificatesIn(ca).length,
    own:
      own === undefined ? null : { name: own.subject.replaceAll('\n', ', '), until: own.validTo },
  };
}

/**
 * The same for Node's TLS. Authorities are trusted besides the usual ones, so that one setting does for a private
 * service and a public token endpoint.
 *
 * @throws `InvalidCredential` with every fault, and nothing of what was read.
 */
function toTlsOptions(texts: TlsTexts) {
  refuse(faultsOf(texts));
  const { ca, ...identity } = texts;
  return { ...(ca !== undefined && { ca: [...getCACertificates('default'), ca] }), ...identity };
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new SteprollError(ErrorName.InvalidCredential, faults.join('; '));
}

/** OpenSSL's own words do not say which of the three it means. */
function faultsOf({ ca, cert, key }: TlsTexts): string[] {
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
