/** Work that goes one after another for each key. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once what was given for this key before has ended, however it ended. */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const next = (this.#last.get(key) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#last.set(key, next);
    const forget = () => {
      if (this.#last.get(key) === next) this.#last.delete(key);
    };
    next.then(forget, forget);
    return next;
  }
}
