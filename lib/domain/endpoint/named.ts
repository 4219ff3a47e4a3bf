import { asSaid, type Endpoint } from './endpoint.ts';

/** Before an id, it says that the text is no name. */
export const ID_PREFIX = 'id:';

type Named = { readonly endpoint: Endpoint } | { readonly found: number; readonly fault: string };

/**
 * The one endpoint that a person means by its name or its id. `id:ID` is only ever an id. When the text fits no
 * endpoint, or more than one, it answers how many, and why that is not enough.
 *
 * @param endpoints All endpoints of the runtime: in a part of them, a name may look as if only one had it.
 */
export function endpointNamed(endpoints: readonly Endpoint[], said: string): Named {
  const isMeant = said.startsWith(ID_PREFIX)
    ? ({ id }: Endpoint) => id === said.slice(ID_PREFIX.length)
    : (endpoint: Endpoint) => [endpoint.id, endpoint.name, asSaid(endpoint).name].includes(said);
  const found = endpoints.filter(isMeant);
  const [endpoint] = found;
  if (endpoint === undefined) return { found: 0, fault: 'the runtime has no such endpoint' };
  if (found.length === 1) return { endpoint };
  const which = found.map(({ id }) => JSON.stringify(`${ID_PREFIX}${id}`)).join(' and ');
  return { found: found.length, fault: `${found.length} endpoints are called so, ${which}` };
}

/** A sentence names at most this many endpoints, and counts the others. */
const MOST_NAMES = 3;

/** `web-03`, `web-03, web-04`, `web-03, web-04, web-05 and 7 more`. */
export function listNames(names: readonly string[], most = MOST_NAMES): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
