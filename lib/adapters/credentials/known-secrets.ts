import { hideSecrets } from '../http/excerpt.ts';
import { TOKEN_VARIABLE } from '../machine/environment.ts';

/** The secrets that this process has read. Others may repeat them, in whatever they answer. */
const known = new Set<string>();

/** From now on the secret is hidden in whatever others have said, and so are its parts that work alone. */
export function rememberSecret(secret: string): void {
  for (const one of [secret, ...partsOf(secret)]) known.add(one);
}

/** The password of `user:password`, and the key of a webhook without its prefix. */
function partsOf(secret: string): string[] {
  const parts = [secret.replace(/^whsec_/, ''), /^[^:\s]+:(.+)$/.exec(secret)?.[1] ?? ''];
  return parts.filter((part) => part !== '');
}

/** The words of others without any secret that this process knows, in any spelling. */
export function hideKnownSecrets(text: string): string {
  const token = process.env[TOKEN_VARIABLE] ?? '';
  return hideSecrets(text, [...known, token]);
}
