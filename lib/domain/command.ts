/**
 * A command for people to copy. Every command that anything prints is made here, so that it is whole.
 *
 * @param engine The arguments with which its reader reaches the engine: ` --engine aws --stack NAME`. Empty: none are needed.
 */
export function commandOf(words: readonly string[], engine = ''): string {
  const where = WITH_ENGINE.includes(words[0] ?? '') ? engine : '';
  return `steproll ${words.map(quoted).join(' ')}${where}`;
}

/** The commands that find what they are about in the ledger of an engine. */
const WITH_ENGINE = ['rollout', 'hold', 'release'];

/** One word of a shell, whatever is in it. */
export function quoted(word: string): string {
  return /^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
