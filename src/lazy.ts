/** Makes a thing at its first use, once; `made` is what stands so far, so that nothing is made only to be ended. */
export function lazy<T>(make: () => Promise<T>): { get(): Promise<T>; made(): Promise<T> | undefined } {
  let made: Promise<T> | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    made: () => made,
  };
}
