import { isDeepStrictEqual } from 'node:util';
import type { Endpoint, EndpointPage } from '../../../domain/endpoint/endpoint.ts';

/** The result of one sweep over all pages. Pages are added in their order. */
export interface PageSweep {
  add(page: EndpointPage, pageNumber: number): void;
  /** No further page is needed: either all pages are there, or the sweep proves nothing already. */
  isOver(): boolean;
  /** Why the pages do not make one list; `null` when they do. */
  contradiction(): string | null;
  endpoints(): readonly Endpoint[];
}

/**
 * Collects the pages of one sweep. An endpoint may move to the next page while the list is read; then it comes twice
 * and counts once. Everything else that a single list can never show is a contradiction: two different rows of one
 * endpoint, totals that change or are not met, a page with nothing new, a page after the end.
 *
 * When the service sends two totals, neither is believed alone: the list goes on until both are met or a page is
 * empty.
 */
export function createPageSweep(): PageSweep {
  const endpoints: Endpoint[] = [];
  const ids = new Set<string>();
  /** The pages that have endpoints. */
  const pages: (readonly Endpoint[])[] = [];
  let total: number | null = null;
  let totalPages: number | null = null;
  let ended = false;
  let fault: string | null = null;

  // Repeated rows are rare, and a set of ids costs half as much as a map of endpoints.
  const known = (id: string) => endpoints.find((endpoint) => endpoint.id === id);

  function faultOf(page: EndpointPage, pageNumber: number): string | null {
    if (ended) return `page ${pageNumber} comes after an empty one`;
    if (hasChanged(total, page.totalEndpoints)) {
      return `the total went from ${total} to ${page.totalEndpoints}`;
    }
    if (hasChanged(totalPages, page.totalPages)) {
      return `the number of pages went from ${totalPages} to ${page.totalPages}`;
    }
    const before = ids.size;
    const moved = page.endpoints.find((endpoint) => !take(endpoint));
    if (moved !== undefined) return `two rows of ${JSON.stringify(moved.id)} differ`;
    return ids.size === before ? `page ${pageNumber} holds nothing new` : null;
  }

  /** Answers whether this is the first row of the endpoint. */
  function take(endpoint: Endpoint): boolean {
    if (ids.size < ids.add(endpoint.id).size) {
      endpoints.push(endpoint);
      return true;
    }
    return isDeepStrictEqual(endpoint, known(endpoint.id));
  }

  /** After the last page, some services send that page again. */
  function repeatsTheEnd(page: EndpointPage, pageNumber: number): boolean {
    const isPastTheEnd = totalPages !== null && pageNumber > totalPages;
    return isPastTheEnd && haveSameIds(page.endpoints, pages.at(-1) ?? []);
  }

  return {
    add(page, pageNumber) {
      const isEmpty = page.endpoints.length === 0;
      // After the end, some services no longer send totals.
      if (pageNumber === 1 || !isEmpty) {
        total ??= page.totalEndpoints;
        totalPages ??= page.totalPages;
      }
      if (isEmpty || repeatsTheEnd(page, pageNumber)) {
        ended = true;
      } else {
        fault ??= faultOf(page, pageNumber);
        pages.push(page.endpoints);
      }
    },
    isOver() {
      if (fault !== null || ended) return true;
      return total === null
        ? pages.length === totalPages && isLastShorter(pages)
        : ids.size >= total && pages.length >= (totalPages ?? 0);
    },
    contradiction() {
      if (fault !== null) return fault;
      if (total !== null) {
        return ids.size === total ? null : `the total is ${total}, and ${ids.size} were read`;
      }
      // An empty list may have one page or none.
      return (totalPages ?? 0) > Math.max(pages.length, 1)
        ? `the number of pages is ${totalPages}, and page ${pages.length + 1} is empty`
        : null;
    },
    endpoints() {
      return endpoints;
    },
  };
}

function hasChanged(before: number | null, now: number | null): boolean {
  return before !== null && now !== null && before !== now;
}

/**
 * Pages are counted by the size that was asked for, or by the size that the service uses instead. When the last page
 * is full, it is not clear which one it was.
 */
function isLastShorter(pages: readonly (readonly Endpoint[])[]): boolean {
  return (pages.at(-1)?.length ?? 0) < (pages[0]?.length ?? 0);
}

function haveSameIds(some: readonly Endpoint[], others: readonly Endpoint[]): boolean {
  return some.length === others.length && some.every(({ id }, index) => id === others[index]?.id);
}
