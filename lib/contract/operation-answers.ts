import * as z from 'zod';
import type { Endpoint, EndpointPage } from '../domain/endpoint.ts';

const versionNumber = z.int().min(0).nullable();
const count = z.int().min(0).nullable();

/** An endpoint; `null` is what the service did not say. */
export const endpointAnswerSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  version: versionNumber.describe('The version that the service calls its own.'),
  targetVersion: versionNumber.describe('What the endpoint is moving to.'),
  liveVersion: versionNumber.describe('What is serving now.'),
  replicas: count,
  url: z.string().nullable(),
  status: z.string().nullable().describe('In the words of the service.'),
}) satisfies z.ZodType<Endpoint>;

/** One page of a list. */
export const pageAnswerSchema = z.object({
  endpoints: z.array(endpointAnswerSchema),
  page: count.describe('Counted from 1.'),
  size: count,
  totalPages: count,
  totalEndpoints: count,
}) satisfies z.ZodType<EndpointPage>;

/** What became of each endpoint that was asked for, in the order of the input. */
export const rowsAnswerSchema = z.array(
  z.object({
    endpointId: z.string(),
    result: z
      .enum(['accepted', 'rejected', 'unknown', 'not-sent'])
      .describe(
        'accepted: the service said yes. rejected: certainly not carried out, and the reason says why. unknown: sent, and no answer; a list tells. not-sent: nothing was sent.',
      ),
    reason: z
      .string()
      .exactOptional()
      .describe(
        'Name of an error; "at-version", or "not-live" where the target is the version and more is not.',
      ),
    message: z.string().exactOptional().describe('For people.'),
    retryAfterSeconds: count
      .unwrap()
      .exactOptional()
      .describe('How long the service asked us to wait.'),
  }),
);
