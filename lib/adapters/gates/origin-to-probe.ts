import { parseEndpointUrl } from '../../contract/endpoint-url.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { matchesGlob } from '../../domain/glob.ts';

/**
 * Scheme, host and port of an endpoint's URL, when they may be asked.
 *
 * @param hosts what the host must match one of: `*` stands for any run of characters but a dot, and the
 * port does not matter.
 * @throws `InvalidInput` for a URL that `parseEndpointUrl` refuses, and for any other host.
 */
export function originToProbe(url: string, hosts: readonly string[]): string {
  // Query and fragment are not asked for, so they need no opinion.
  const { origin, hostname } = new URL(parseEndpointUrl(url.replace(/[?#].*$/s, '')));
  if (!hosts.some((pattern) => matchesHost(pattern.toLowerCase(), hostname))) {
    throw new SteprollError(
      ErrorName.InvalidInput,
      `endpoint URL: the host ${hostname} is not in verify.probe.hosts`,
    );
  }
  return origin;
}

/** Label by label, so that `*` cannot cross a dot. */
function matchesHost(pattern: string, host: string): boolean {
  const patterns = pattern.split('.');
  const labels = host.split('.');
  return (
    patterns.length === labels.length &&
    labels.every((label, index) => matchesGlob(patterns[index] ?? '', label))
  );
}
