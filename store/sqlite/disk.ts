import { closeSync, fdatasync, openSync, realpathSync } from "node:fs";
import { promisify } from "node:util";

const flush = promisify(fdatasync);

/** What an engine asks of the disk below its database; each takes a while, and none of it this thread. */
export interface Disk {
  /** Resolves once all that was committed would outlive a power cut. Rejects when the disk cannot keep it. */
  sync(): Promise<void>;
  /** Writes the database anew from what stands in it: no byte of deleted content is left. */
  vacuum(): Promise<void>;
  close(): void;
}

/** A database that is nowhere but in memory. */
export const NO_DISK: Disk = { sync: async () => {}, vacuum: async () => {}, close() {} };

/**
 * The disk below a database with a write-ahead log, which has to be there already: it is opened at once, so that one
 * that cannot be flushed fails before the first write.
 */
export class LogDisk implements Disk {
  readonly #path: string;
  readonly #scrub: (path: string) => Promise<void>;
  /** The log, opened beside the database's own: what is flushed is the file. It holds no lock, so closing it drops none. */
  readonly #log: number;

  /** `vacuum` does what the function `vacuumFile` does, in whichever thread. */
  constructor(path: string, scrub: (path: string) => Promise<void>) {
    this.#path = path;
    this.#scrub = scrub;
    // Where the path is a link, the log is beside what it leads to.
    this.#log = openSync(`${realpathSync(path)}-wal`, "r+");
  }

  sync(): Promise<void> {
    return flush(this.#log);
  }

  vacuum(): Promise<void> {
    return this.#scrub(this.#path);
  }

  close(): void {
    closeSync(this.#log);
  }
}
