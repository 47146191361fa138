/**
 * Makes a thing at its first use, once; where that fails the next use tries again. `made` is what stands so far, so that
 * nothing is made only to be ended.
 */
export function lazy<T>(make: () => Promise<T>): { get(): Promise<T>; made(): Promise<T> | undefined } {
  let made: Promise<T> | undefined;
  return {
    get() {
      made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return made;
    },
    made: () => made,
  };
}
