/** Reads the arguments of a command. A mistake ends it, as it ends `steproll` itself: in a sentence, with exit code 2. */
export function readArguments<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

/**
 * @param least The smallest one. @default 1
 * @throws when it is another text.
 */
export function wholeNumber(name: string, text: string, least = 1): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`${name}: ${text} is not a whole number from ${least} to 999999999`);
}
