import type { Endpoint, EndpointPage } from '../../domain/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { createPageSweep, type PageSweep } from './page-sweep.ts';
import { readInParallel } from './read-in-parallel.ts';

const MAX_PAGES = 1_000;
const MAX_SWEEPS = 3;

/** Reads one page, 1-based. */
export type ReadPage = (page: number, signal?: AbortSignal) => Promise<EndpointPage>;

/**
 * Every endpoint, each once, in the order of the pages.
 *
 * Pages are counted by offset and shift while endpoints come and go, so a sweep that contradicts
 * itself is thrown away and made anew, up to 3 in all; then throws `ListUnstable`. It throws that at
 * once for a list of more than 1,000 pages.
 */
export async function listPages(
  readPage: ReadPage,
  maxPagesInFlight: number,
  signal?: AbortSignal,
): Promise<readonly Endpoint[]> {
  let contradiction: string | null = null;
  for (let sweeps = 1; sweeps <= MAX_SWEEPS; sweeps += 1) {
    const sweep = createPageSweep();
    await readAll(sweep, readPage, maxPagesInFlight, signal);
    contradiction = sweep.contradiction();
    if (contradiction === null) {
      return sweep.endpoints();
    }
  }
  throw unstable(`it contradicted itself in ${MAX_SWEEPS} sweeps, at last: ${contradiction}`);
}

/** Pages side by side as far as their count is known, then on until nothing more comes. */
async function readAll(
  sweep: PageSweep,
  readPage: ReadPage,
  maxPagesInFlight: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const first = await readPage(1, signal);
  sweep.add(first, 1);
  const known = Math.min(pageCount(first), MAX_PAGES + 1);
  if (known > MAX_PAGES) {
    throw tooManyPages();
  }
  const rest = await readInParallel(2, known, maxPagesInFlight, readPage, signal);
  rest.forEach((page, index) => {
    sweep.add(page, index + 2);
  });
  // The service may have a largest page size of its own, so that a short page is not the last one.
  for (let number = known + 1; !sweep.isOver(); number += 1) {
    if (number > MAX_PAGES) {
      throw tooManyPages();
    }
    sweep.add(await readPage(number, signal), number);
  }
}

/** Pages that the first one promises: by the endpoints it really holds, not by what was asked for. */
function pageCount(first: EndpointPage): number {
  const size = first.endpoints.length;
  if (size === 0) {
    return 1;
  }
  return first.totalEndpoints === null
    ? Math.max(first.totalPages ?? 1, 1)
    : Math.ceil(first.totalEndpoints / size);
}

function tooManyPages(): SteprollError {
  return unstable(`it has more than ${MAX_PAGES} pages`);
}

function unstable(reason: string): SteprollError {
  return new SteprollError(ErrorName.ListUnstable, `the list cannot be read: ${reason}`);
}
