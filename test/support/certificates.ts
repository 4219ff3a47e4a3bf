import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate with its key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Signs certificates that nobody trusts who was not told to. Everything is made anew, so nothing expires. */
export interface Authority {
  readonly cert: string;
  /** @param hosts Names and IPv4 addresses that a server has. @default - none: it is a client's */
  issue(name: string, hosts?: readonly string[]): Identity;
}

export function createAuthority(name = 'steproll test CA'): Authority {
  const keys = createKeys();
  const cert = certify({
    subject: name,
    issuer: name,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    extensions: [CA],
  });
  return {
    cert,
    issue(subject, hosts = []) {
      const { publicKey, privateKey } = createKeys();
      const extensions = hosts.length === 0 ? [] : [hostsOf(hosts)];
      return {
        cert: certify({ subject, issuer: name, publicKey, signer: keys.privateKey, extensions }),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

interface ToCertify {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
}

let serial = 0;

/** X.509 version 3, RFC 5280 section 4.1. */
function certify({ subject, issuer, publicKey, signer, extensions }: ToCertify): string {
  serial += 1;
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([serial])),
    ECDSA_SHA256,
    nameOf(issuer),
    sequence(timeOf(Date.now() - DAY_MS), timeOf(Date.now() + DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [tagged(0xa3, sequence(...extensions))]),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, signer)]);
  const der = sequence(body, ECDSA_SHA256, tagged(0x03, signature)).toString('base64');
  const lines = der.match(/.{1,64}/g)?.join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

const DAY_MS = 24 * 3_600_000;
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const TRUE = tagged(0x01, Buffer.from([0xff]));
const CA = sequence(oid('551d13'), TRUE, tagged(0x04, sequence(TRUE)));

function hostsOf(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host)
      ? tagged(0x87, Buffer.from(host.split('.').map(Number)))
      : tagged(0x82, Buffer.from(host)),
  );
  return sequence(oid('551d11'), tagged(0x04, sequence(...names)));
}

function nameOf(commonName: string): Buffer {
  const part = sequence(oid('550403'), tagged(0x0c, Buffer.from(commonName)));
  return sequence(tagged(0x31, part));
}

function timeOf(time: number): Buffer {
  const text = new Date(time).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(text));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

/** DER: the tag, the length and the content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...long]), content]);
}
