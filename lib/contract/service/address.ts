import ipaddr from 'ipaddr.js';

/**
 * Where an address leads.
 * - `public`: to a host of the internet.
 * - `private`: at most to a host of a private network.
 * - `loopback`: to this machine.
 * - `none`: to no host that a service could have. These are addresses from which a machine hands out its own
 *   credentials, link-local addresses, and tunnels, which may lead to any of them.
 */
export type Reach = 'public' | 'private' | 'loopback' | 'none';

/** @param text An IPv4 or IPv6 address. Any other text leads nowhere. */
export function reachOf(text: string): Reach {
  const zoneless = text.replace(/%.*$/s, '');
  if (!ipaddr.isValid(zoneless)) return 'none';
  const address = ipaddr.parse(zoneless);
  const inner = embeddedIn(address);
  if (inner === null) return METADATA.has(address.toString()) ? 'none' : reachOfRange(address);
  const reach = reachOf(inner);
  // A gateway of the network would not take a loopback address to this machine.
  return reach === 'loopback' && isNat64(address) ? 'none' : reach;
}

type Address = ReturnType<typeof ipaddr.parse>;

/** The IPv4 address that a network takes an IPv6 address for. */
function embeddedIn(address: Address): string | null {
  if (address instanceof ipaddr.IPv4) return null;
  if (!address.isIPv4MappedAddress() && !isNat64(address)) return null;
  return ipaddr.fromByteArray(address.toByteArray().slice(-4)).toString();
}

function isNat64(address: Address): boolean {
  return address instanceof ipaddr.IPv6 && address.match(NAT64);
}

const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

function reachOfRange(address: Address): Reach {
  switch (address.range()) {
    case 'unicast':
      return isAssigned(address) ? 'public' : 'none';
    case 'private':
    case 'uniqueLocal':
    case 'carrierGradeNat':
    case 'benchmarking':
    case 'reserved':
      return 'private';
    case 'loopback':
      return 'loopback';
    default:
      return 'none';
  }
}

/** Only this range has IPv6 addresses of hosts. An old notation of IPv4 addresses is outside. */
const ASSIGNED = ipaddr.IPv6.parseCIDR('2000::/3');

function isAssigned(address: Address): boolean {
  return address instanceof ipaddr.IPv4 || address.match(ASSIGNED);
}

/** Metadata addresses of Azure, Alibaba, Oracle, AWS and Google that no range covers. */
const METADATA: ReadonlySet<string> = new Set([
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);
