import { type Endpoint, SAID } from '../../../domain/endpoint/endpoint.ts';
import { hideCredentials, hideSecrets } from '../../http/excerpt.ts';

/** A shorter secret may be a part of any word, and names would be unreadable. */
const SHORTEST_SECRET = 8;

/**
 * The endpoints without the credentials that the service repeats in their names, URLs, statuses and reasons. This is the
 * one place where they are hidden: whatever is stored, told or shown of an endpoint comes from here. Ids stay as they
 * are, because writes need them.
 *
 * @param secrets What was sent to the service, and it alone.
 */
export function withoutCredentials(
  endpoints: readonly Endpoint[],
  secrets: readonly string[],
): readonly Endpoint[] {
  const known = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  const hide = (text: string) => hideCredentials(hideSecrets(text, known));
  // One pass over all, because hardly any service does this.
  let names = '';
  let told = '';
  for (const { name, url, status, statusReason } of endpoints) {
    names += `${name}\n${status}\n`;
    told += `${url}\n${statusReason}\n`;
  }
  if (hideSecrets(names, known) === names && hide(told) === told) return endpoints;
  return endpoints.map((endpoint) => {
    const { name, url, status } = endpoint;
    const shown = {
      // A name such as "basic web" is no credential.
      name: name && hideSecrets(name, known),
      status: status && hideSecrets(status, known),
      url: url && hide(url),
      statusReason: endpoint.statusReason && hide(endpoint.statusReason),
    };
    const isSame = name === shown.name && url === shown.url && status === shown.status;
    return { ...endpoint, ...shown, ...(!isSame && { [SAID]: { name, url, status } }) };
  });
}
