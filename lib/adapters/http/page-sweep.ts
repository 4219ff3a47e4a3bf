import { isDeepStrictEqual } from 'node:util';
import type { Endpoint, EndpointPage } from '../../domain/endpoint.ts';

/** What one reading of all pages finds. Pages are added in their order. */
export interface PageSweep {
  add(page: EndpointPage, pageNumber: number): void;
  /** No further page is needed: all are there, or the sweep proves nothing already. */
  isOver(): boolean;
  /** Why the pages do not make one list; `null` when they do. */
  contradiction(): string | null;
  endpoints(): readonly Endpoint[];
}

/**
 * An endpoint that shifts onto the next page while the list is read comes twice and counts once.
 * What a single list can never show is a contradiction: two different rows of one endpoint, totals
 * that change or are not met, a page with nothing new, a page after the end.
 */
export function createPageSweep(): PageSweep {
  const endpoints: Endpoint[] = [];
  const ids = new Set<string>();
  let total: number | null = null;
  let ended = false;
  let fault: string | null = null;

  // Repeated rows are rare: a set of ids costs half of a map of endpoints.
  const known = (id: string) => endpoints.find((endpoint) => endpoint.id === id);

  function faultOf(page: EndpointPage, pageNumber: number): string | null {
    if (ended) {
      return `page ${pageNumber} comes after an empty one`;
    }
    if (page.totalEndpoints !== null && total !== null && page.totalEndpoints !== total) {
      return `the total went from ${total} to ${page.totalEndpoints}`;
    }
    const before = ids.size;
    for (const endpoint of page.endpoints) {
      if (ids.size < ids.add(endpoint.id).size) {
        endpoints.push(endpoint);
      } else if (!isDeepStrictEqual(endpoint, known(endpoint.id))) {
        return `two rows of ${JSON.stringify(endpoint.id)} differ`;
      }
    }
    return ids.size === before ? `page ${pageNumber} holds nothing new` : null;
  }

  return {
    add(page, pageNumber) {
      const empty = page.endpoints.length === 0;
      // Past the end, some services count nothing any more.
      if (pageNumber === 1 || !empty) {
        total ??= page.totalEndpoints;
      }
      if (empty) {
        ended = true;
      } else {
        fault ??= faultOf(page, pageNumber);
      }
    },
    isOver() {
      return fault !== null || ended || (total !== null && ids.size >= total);
    },
    contradiction() {
      return total !== null && ids.size !== total
        ? (fault ?? `the total is ${total}, and ${ids.size} were read`)
        : fault;
    },
    endpoints() {
      return endpoints;
    },
  };
}
