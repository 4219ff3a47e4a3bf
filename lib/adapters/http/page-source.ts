import type { EndpointPage } from '../../domain/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { PageQuery } from '../../ports/endpoint-service.ts';

/** The page size that the interface states, and therefore the only one that every service takes. */
const STATED_PAGE_SIZE = 10;

/** The pages of one list. */
export interface PageSource {
  /** Reads one page, 1-based. */
  read(page: number, signal?: AbortSignal): Promise<EndpointPage>;
  /** Whether there can be more than one. */
  readonly isPaged: boolean;
}

export type QueryPage = (
  listPath: string,
  query: PageQuery,
  signal?: AbortSignal,
) => Promise<EndpointPage>;

/**
 * Sources of pages that are all of one size. The largest that a service takes is not known: one that
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
          if (page !== 1 || size <= STATED_PAGE_SIZE || !isRefusal(error)) {
            throw error;
          }
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
