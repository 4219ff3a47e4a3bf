/** What no function can be below. */
export async function handler(): Promise<object> {
  return {};
}
