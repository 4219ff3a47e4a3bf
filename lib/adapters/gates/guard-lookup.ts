import type { LookupFunction } from 'node:net';
import { parseEndpointUrl } from '../../contract/endpoint-url.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

/**
 * The same lookup, which fails with `InvalidInput` when a name leads to an address that no URL may have:
 * a harmless name must not lead to where a machine hands out its own credentials.
 */
export function guardLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      callback(error ?? refusalOf(found), found, family);
    });
  };
}

/** One bad address is enough: which of them is connected to is not for us to say. */
function refusalOf(found: Parameters<Parameters<LookupFunction>[2]>[1]): SteprollError | null {
  const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
  const refused = addresses.find((address) => !isAllowed(address));
  return refused === undefined
    ? null
    : new SteprollError(ErrorName.InvalidInput, `endpoint URL: its host leads to ${refused}`);
}

function isAllowed(address: string): boolean {
  try {
    parseEndpointUrl(`https://${address.includes(':') ? `[${address}]` : address}`);
    return true;
  } catch {
    return false;
  }
}
