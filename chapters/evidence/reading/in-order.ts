/** How much is done at once: `size` says how much an item is. One item is always taken, however large. */
interface Room<I> {
  readonly most: number;
  readonly size: (item: I) => number;
}

interface UnderWay<O> {
  readonly result: Promise<O>;
  readonly size: number;
  done: boolean;
}

/**
 * Works on several items at once, as they come, and gives the results in the items' order. No item is taken while
 * there is no room. What fails first in that order is thrown, after all results before it; an item that could not be
 * had comes after those that could.
 */
export async function* inOrder<I, O>(
  items: AsyncIterable<I>,
  work: (item: I) => Promise<O>,
  { most, size }: Room<I>,
): AsyncGenerator<O> {
  const given = items[Symbol.asyncIterator]();
  const underWay: UnderWay<O>[] = [];
  let taken = 0;
  const begin = (item: I) => {
    const begun: UnderWay<O> = { result: work(item), size: size(item), done: false };
    taken += begun.size;
    underWay.push(begun);
    const settled = () => {
      begun.done = true;
    };
    begun.result.then(settled, settled);
  };
  const finish = (first: UnderWay<O>): Promise<O> => {
    underWay.shift();
    taken -= first.size;
    return first.result;
  };
  let failure: { readonly cause: unknown } | undefined;
  try {
    for (;;) {
      let next: IteratorResult<I>;
      try {
        next = await given.next();
      } catch (cause) {
        failure = { cause };
        break;
      }
      if (next.done) break;
      begin(next.value);
      for (let first = underWay[0]; first && (first.done || taken >= most); first = underWay[0])
        yield await finish(first);
    }
    for (let first = underWay[0]; first; first = underWay[0]) yield await finish(first);
    if (failure) throw failure.cause;
  } finally {
    await given.return?.();
  }
}
