import type { Endpoint, EndpointPage } from '../../../domain/endpoint/endpoint.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../../domain/errors.ts';
import type { PageQuery } from '../../../ports/endpoint-service.ts';
import { createPageSweep, type PageSweep } from './page-sweep.ts';

const MAX_PAGES = 1_000;
const MAX_SWEEPS = 3;

/**
 * Every endpoint, each once, in the order of the pages.
 *
 * Pages are counted by offset and shift while endpoints come and go. So a sweep that contradicts itself is thrown
 * away and made again, up to 3 in all; then this throws `ListUnstable`. For a list of more than 1,000 pages it throws
 * that at once.
 */
export async function listPages(
  source: PageSource,
  maxPagesInFlight: number,
  signal?: AbortSignal,
): Promise<readonly Endpoint[]> {
  let contradiction: string | null = null;
  for (let sweeps = 1; sweeps <= MAX_SWEEPS; sweeps += 1) {
    const sweep = await sweepOnce(source, maxPagesInFlight, signal);
    contradiction = sweep.contradiction();
    if (contradiction === null) return sweep.endpoints();
  }
  throw unstable(`it contradicted itself in ${MAX_SWEEPS} sweeps, at last: ${contradiction}`);
}

/** Reads pages in parallel as far as their number is known, and then one by one until nothing more comes. */
async function sweepOnce(
  source: PageSource,
  maxPagesInFlight: number,
  signal: AbortSignal | undefined,
): Promise<PageSweep> {
  const first = await source.read(1, signal);
  const sweep = createPageSweep();
  sweep.add(first, 1);
  if (!source.isPaged) return sweep;
  const counted = pageCount(first);
  const known = Math.min(counted ?? 1, MAX_PAGES + 1);
  if (known > MAX_PAGES) throw tooManyPages();
  const read =
    counted === null
      ? source.read
      : (page: number, aborted?: AbortSignal) => emptyWhenNotFound(source.read(page, aborted));
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

interface PageSource {
  /** Reads one page, 1-based. */
  read(page: number, signal?: AbortSignal): Promise<EndpointPage>;
  /** Whether there can be more than one page. */
  readonly isPaged: boolean;
}

export type QueryPage = (
  listPath: string,
  query: PageQuery,
  signal?: AbortSignal,
) => Promise<EndpointPage>;

/**
 * Sources of pages that all have the same size. The largest size that a service accepts is not known: a service that
 * refuses `pageSize` is asked for pages of 10 from then on.
 */
export function createPageSources(
  queryPage: QueryPage,
  pageSize: number,
  isPaged: boolean,
): (listPath: string) => PageSource {
  let accepted = pageSize;
  return (listPath) => {
    let size = accepted;
    return {
      async read(page, signal) {
        try {
          return await queryPage(listPath, { page, size }, signal);
        } catch (error) {
          if (page !== 1 || size <= STATED_PAGE_SIZE || !isRefusal(error)) throw error;
          size = STATED_PAGE_SIZE;
          const first = await queryPage(listPath, { page, size }, signal);
          accepted = STATED_PAGE_SIZE;
          return first;
        }
      },
      isPaged,
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
  const results: T[] = [];
  let next = first;

  async function readOn(): Promise<void> {
    while (next <= last && !signal.aborted) {
      const index = next;
      next += 1;
      results[index - first] = await read(index, signal);
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(limit, last - first + 1) }, readOn));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
  callerSignal?.throwIfAborted();
  return results;
}
