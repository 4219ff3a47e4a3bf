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
  const endpoints = new Map<string, Endpoint>();
  let total: number | null = null;
  let ended = false;
  let fault: string | null = null;

  function faultOf(page: EndpointPage, pageNumber: number): string | null {
    if (ended) {
      return `page ${pageNumber} comes after an empty one`;
    }
    if (page.totalEndpoints !== null && total !== null && page.totalEndpoints !== total) {
      return `the total went from ${total} to ${page.totalEndpoints}`;
    }
    const before = endpoints.size;
    for (const endpoint of page.endpoints) {
      const known = endpoints.get(endpoint.id);
      if (known !== undefined && !isDeepStrictEqual(known, endpoint)) {
        return `two rows of ${JSON.stringify(endpoint.id)} differ`;
      }
      endpoints.set(endpoint.id, endpoint);
    }
    return endpoints.size === before ? `page ${pageNumber} holds nothing new` : null;
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
      return fault !== null || ended || (total !== null && endpoints.size >= total);
    },
    contradiction() {
      return total !== null && endpoints.size !== total
        ? (fault ?? `the total is ${total}, and ${endpoints.size} were read`)
        : fault;
    },
    endpoints() {
      return [...endpoints.values()];
    },
  };
}
