import * as z from 'zod';

/** Where a base URL takes the region. */
const PLACEHOLDER = '{region}';

/** A region's name. Nothing in it can change the meaning of a URL that it is filled into. */
export const regionSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'use lower-case letters, digits and hyphens: eu-central-1',
  );

/**
 * The base URL with the region filled in, not checked yet. Without a region it stays as it is, and
 * `parseEndpointUrl` says what is missing.
 */
export function fillRegion(url: string, region: unknown): string {
  if (region === undefined) return url;
  // A region that is none is a mistake of its own: it is said once, and never part of a URL.
  const { success, data } = regionSchema.safeParse(region);
  return url.replaceAll(PLACEHOLDER, success ? data : 'region');
}
