/** Something that rollouts are held to. It has an id, which stays, and by which pages and judges name it. */
export interface Promised<Check> {
  /** The only place where its sentence stands. */
  readonly says: string;
  /** The page below `docs` that explains it, with the part of the page. */
  readonly page: string;
  /** Answers what is violated. */
  readonly check: Check;
}

/** By their ids. */
export type Promises<Check> = Readonly<Record<string, Promised<Check>>>;

/** `closes-once (Close rollout writes the outcome once.): it has 2 outcomes` */
export function describeViolation(
  id: string,
  { says }: Pick<Promised<unknown>, 'says'>,
  violation: string,
): string {
  return `${id} (${says}): ${violation}`;
}
