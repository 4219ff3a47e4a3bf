import { isDeepStrictEqual } from 'node:util';
import type { Endpoint, EndpointPage } from '../../../domain/endpoint/endpoint.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../../domain/errors.ts';
import { inParallel } from '../../../domain/in-parallel.ts';
import type { PageQuery } from '../../../ports/endpoint-service.ts';

const MAX_PAGES = 1_000;
const MAX_SWEEPS = 3;

/**
 * Every endpoint, each once, in the order of the pages.
 *
 * Pages are counted by offset and shift while endpoints come and go. So a sweep that contradicts itself is thrown
 * away and made again, up to 3 in all; then this throws `ListUnstable`. For a list of more than 1,000 pages it throws
 * that at once.
 *
 * @param isPaged Whether there can be more than one page.
 */
export async function listPages(
  readPage: ReadPage,
  maxPagesInFlight: number,
  isPaged: boolean,
  signal?: AbortSignal,
): Promise<readonly Endpoint[]> {
  let contradiction: string | null = null;
  for (let sweeps = 1; sweeps <= MAX_SWEEPS; sweeps += 1) {
    const sweep = await sweepOnce(readPage, maxPagesInFlight, isPaged, signal);
    contradiction = sweep.contradiction();
    if (contradiction === null) return sweep.endpoints();
  }
  throw unstable(`it contradicted itself in ${MAX_SWEEPS} sweeps, at last: ${contradiction}`);
}

/** Reads pages in parallel as far as their number is known, and then one by one until nothing more comes. */
async function sweepOnce(
  readPage: ReadPage,
  maxPagesInFlight: number,
  isPaged: boolean,
  signal: AbortSignal | undefined,
): Promise<PageSweep> {
  const first = await readPage(1, signal);
  const sweep = createPageSweep();
  sweep.add(first, 1);
  if (!isPaged) return sweep;
  const counted = pageCount(first);
  const known = Math.min(counted ?? 1, MAX_PAGES + 1);
  if (known > MAX_PAGES) throw tooManyPages();
  const read: ReadPage =
    counted === null ? readPage : (...page) => emptyWhenNotFound(readPage(...page));
  const rest = await readInParallel(2, known, maxPagesInFlight, read, signal);
  rest.forEach((page, index) => {
    sweep.add(page, index + 2);
  });
  // The service may have its own largest page size, so a short page is not always the last one.
  for (let number = known + 1; !sweep.isOver(); number += 1) {
    if (number > MAX_PAGES) throw tooManyPages();
    sweep.add(await read(number, signal), number);
  }
  return sweep;
}

/**
 * The number of pages that the first page promises, counted by the endpoints that it really has and not by the size
 * that was asked for. `null` when it promises nothing.
 */
function pageCount({ endpoints, totalEndpoints, totalPages }: EndpointPage): number | null {
  if (totalEndpoints === null) return totalPages === null ? null : Math.max(totalPages, 1);
  return endpoints.length === 0 ? 1 : Math.ceil(totalEndpoints / endpoints.length);
}

/** After the last page some services answer 404. The totals show whether it was the last one. */
async function emptyWhenNotFound(page: Promise<EndpointPage>): Promise<EndpointPage> {
  try {
    return await page;
  } catch (error) {
    if (errorNameOf(error) !== ErrorName.UpstreamNotFound) throw error;
    return { endpoints: [], page: null, size: null, totalPages: null, totalEndpoints: null };
  }
}

function tooManyPages(): SteprollError {
  return unstable(`it has more than ${MAX_PAGES} pages`);
}

function unstable(reason: string): SteprollError {
  return new SteprollError(ErrorName.ListUnstable, `the list cannot be read: ${reason}`);
}

/** The page size in the interface's description: the only one that every service accepts. */
const STATED_PAGE_SIZE = 10;

/** Reads one page, 1-based. */
type ReadPage = (page: number, signal?: AbortSignal) => Promise<EndpointPage>;

export type QueryPage = (
  listPath: string,
  query: PageQuery,
  signal?: AbortSignal,
) => Promise<EndpointPage>;

/**
 * Readers of pages that all have the same size. The largest size that a service accepts is not known: a service that
 * refuses `pageSize` is asked for pages of 10 from then on.
 */
export function createPageReaders(
  queryPage: QueryPage,
  pageSize: number,
): (listPath: string) => ReadPage {
  let accepted = pageSize;
  return (listPath) => {
    let size = accepted;
    return async (page, signal) => {
      try {
        return await queryPage(listPath, { page, size }, signal);
      } catch (error) {
        if (page !== 1 || size <= STATED_PAGE_SIZE || !isRefusal(error)) throw error;
        size = STATED_PAGE_SIZE;
        const first = await queryPage(listPath, { page, size }, signal);
        accepted = STATED_PAGE_SIZE;
        return first;
      }
    };
  };
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof SteprollError &&
    error.name === ErrorName.UpstreamRejected &&
    (error.httpStatus === 400 || error.httpStatus === 422)
  );
}

/**
 * Reads the pages `first` to `last` (inclusive), at most `limit` at a time, and answers them in order. The first
 * failure aborts the others and is thrown: a pool of a library would leave their requests under way.
 */
export async function readInParallel<T>(
  first: number,
  last: number,
  limit: number,
  read: (index: number, signal: AbortSignal) => Promise<T>,
  callerSignal?: AbortSignal,
): Promise<T[]> {
  const failed = new AbortController();
  const signal =
    callerSignal === undefined ? failed.signal : AbortSignal.any([failed.signal, callerSignal]);
  const pages = Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index);
  const readOne = (page: number) => read(page, signal);
  try {
    const results = await inParallel(pages, limit, readOne, () => signal.aborted);
    callerSignal?.throwIfAborted();
    return results;
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

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
function createPageSweep(): PageSweep {
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

/** Pages have the size that was asked for, or that of the service. If the last one is full, nobody knows which. */
function isLastShorter(pages: readonly (readonly Endpoint[])[]): boolean {
  return (pages.at(-1)?.length ?? 0) < (pages[0]?.length ?? 0);
}

function haveSameIds(some: readonly Endpoint[], others: readonly Endpoint[]): boolean {
  return some.length === others.length && some.every(({ id }, index) => id === others[index]?.id);
}
