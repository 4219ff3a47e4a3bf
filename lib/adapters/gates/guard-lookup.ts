import type { LookupFunction } from 'node:net';
import { reachOf } from '../../contract/address.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Probe } from '../../domain/policy.ts';

/**
 * The same lookup, which fails with `InvalidInput` when a name leads to an address that must not be asked: a
 * harmless name must not lead to where a machine hands out its own credentials, nor into a private network
 * that the policy has not named.
 */
export function guardLookup(
  lookup: LookupFunction,
  probe: Pick<Probe, 'privateNetwork'>,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      callback(error ?? refusalOf(hostname, found, probe), found, family);
    });
  };
}

/** One bad address is enough: which of them is connected to is not for us to say. */
function refusalOf(
  hostname: string,
  found: Parameters<Parameters<LookupFunction>[2]>[1],
  probe: Pick<Probe, 'privateNetwork'>,
): SteprollError | null {
  const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
  for (const address of addresses) {
    const fault = faultOf(hostname, address, probe);
    if (fault !== null) {
      const message = `endpoint URL: its host leads to ${address}${fault}`;
      return new SteprollError(ErrorName.InvalidInput, message);
    }
  }
  return null;
}

function faultOf(
  hostname: string,
  address: string,
  { privateNetwork }: Pick<Probe, 'privateNetwork'>,
): string | null {
  const reach = reachOf(address);
  if (reach === 'none') return '';
  const isMeant = reach === 'public' || privateNetwork || isThisMachine(hostname, reach);
  return isMeant ? null : ', which needs verify.probe.privateNetwork';
}

/** A name that can lead nowhere else. */
function isThisMachine(hostname: string, reach: string): boolean {
  return reach === 'loopback' && /(^|\.)localhost$/i.test(hostname);
}
