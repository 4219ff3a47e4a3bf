import { errorMessageOf, SteprollError } from '../../domain/errors.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { type Connecting, connect } from './connect.ts';
import { tellSource } from './tell-source.ts';

/**
 * Works with the endpoint service that the options name, and closes it.
 *
 * @throws what the work throws; where the service was not to be had, with where its URL is from.
 */
export async function withService<T>(
  prepared: Connecting,
  work: (service: EndpointService) => Promise<T>,
): Promise<T> {
  const service = connect(prepared);
  try {
    return await work(service);
  } catch (error) {
    throw withSource(error, prepared);
  } finally {
    await service.close();
  }
}

function withSource(error: unknown, prepared: Connecting): unknown {
  if (!(error instanceof SteprollError)) return error;
  const source = tellSource(error.name, prepared);
  if (source.length === 0) return error;
  const message = [errorMessageOf(error), ...source].join('\n');
  return new SteprollError(error.name, message, { cause: error });
}
