import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { matchesGlob } from '../../domain/glob.ts';
import { parseEndpointUrl } from './endpoint-url.ts';

/**
 * Scheme, host and port of an endpoint's URL, if they may be asked.
 *
 * @param hosts Patterns of which the host must match one: `*` stands for any run of characters without a dot. The
 *   port does not matter.
 * @throws `InvalidInput` for a URL that `parseEndpointUrl` refuses, and for any other host.
 */
export function originToProbe(url: string, hosts: readonly string[]): string {
  // The query and the fragment are not sent, so they need not be checked.
  const whole = parseEndpointUrl(url.replace(/[?#].*$/s, ''), { allowLocalNames: true });
  const { origin, hostname } = new URL(whole);
  if (!hosts.some((pattern) => matchesHost(pattern.toLowerCase(), hostname))) {
    const allowed = hosts.length > MAX_HOSTS ? `${hosts.length} patterns` : hosts.join(', ');
    throw new SteprollError(
      ErrorName.InvalidInput,
      `endpoint URL: the host ${hostname} is not in verify.probe.hosts (${allowed})`,
    );
  }
  return origin;
}

const MAX_HOSTS = 3;

/** The names are compared part by part, so that `*` cannot match a dot. */
function matchesHost(pattern: string, host: string): boolean {
  const patterns = pattern.split('.');
  const labels = host.split('.');
  return (
    patterns.length === labels.length &&
    labels.every((label, index) => matchesGlob(patterns[index] ?? '', label))
  );
}
