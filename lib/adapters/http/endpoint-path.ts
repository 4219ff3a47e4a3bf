import { faultOfId } from '../../domain/endpoint-id.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

const LONGEST_QUOTE = 256;

/**
 * The only way for ids to get into a path: the path of a runtime's endpoints, of one endpoint, or of
 * its `stop`, below the base URL.
 *
 * An id is opaque, but `..` stays `..` when encoded and would address something else, so what cannot
 * stand as one path segment is refused, and the URL that comes out is compared with what was built.
 * Throws `InvalidEndpointId`.
 */
export function endpointPath(
  baseUrl: string,
  runtimeId: string,
  endpointId?: string,
  action?: 'stop',
): string {
  const segments = ['agent-runtimes', encodeId(runtimeId), 'endpoints'];
  if (endpointId !== undefined) {
    segments.push(encodeId(endpointId));
  }
  if (action !== undefined) {
    segments.push(action);
  }
  const base = new URL(baseUrl);
  const path = `${base.pathname.replace(/\/+$/, '')}/${segments.join('/')}`;
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path) {
    throw new SteprollError(ErrorName.InvalidEndpointId, `the ids do not make the path ${path}`);
  }
  return path;
}

/** The id as one path segment. Throws `InvalidEndpointId`. */
function encodeId(id: string): string {
  const fault = faultOfId(id);
  if (fault !== null) {
    throw new SteprollError(
      ErrorName.InvalidEndpointId,
      `${JSON.stringify(id.slice(0, LONGEST_QUOTE))} cannot be an id in a path: ${fault}`,
    );
  }
  return encodeURIComponent(id);
}
