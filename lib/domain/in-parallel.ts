/**
 * Works on each item, on so many of them at once, and answers the results in the order of the items. After a failure
 * it goes on with the others unless `isOver` says that no further item is to be begun. Those have no result.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
  isOver = () => false,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const workOff = async () => {
    for (const [index, item] of left) {
      if (isOver()) return;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, workOff));
  return results;
}
