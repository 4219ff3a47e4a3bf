/** A person ended the command. The message says what that means. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
