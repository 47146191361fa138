import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long the kernel's word on what was left unread is waited for after a process ended, milliseconds. */
const WORD_MS = 200;

/**
 * The standard input of a process as a pair of connected sockets, so that the kernel says whether the process took what
 * was written to it: a side that closes with something unread resets the other one.
 */
export class StandardInput {
  /** What the process is started with; closed here once it was. */
  readonly theirs: Socket;
  readonly #ours: Socket;
  readonly #closed: Promise<void>;
  #reset = false;

  private constructor(ours: Socket, theirs: Socket) {
    this.#ours = ours;
    this.theirs = theirs;
    theirs.on("error", () => undefined);
    // A write that comes after the end is refused with EPIPE: that line was not taken either.
    ours.on("error", () => {
      this.#reset = true;
    });
    this.#closed = new Promise((resolve) => ours.once("end", resolve).once("close", () => resolve()));
    ours.resume();
  }

  /** Undefined where no pair can be made, as for a folder whose path is too long; `folder` holds the address for a moment. */
  static async open(folder: string): Promise<StandardInput | undefined> {
    const server = createServer({ allowHalfOpen: true });
    try {
      const accepted = once(server, "connection");
      const path = join(folder, "input.sock");
      server.listen(path);
      await once(server, "listening");
      const theirs = connect({ path, allowHalfOpen: true });
      await once(theirs, "connect");
      const [ours] = (await accepted) as [Socket];
      return new StandardInput(ours, theirs);
    } catch {
      return undefined;
    } finally {
      server.close();
    }
  }

  write(text: string): void {
    this.#ours.write(text);
  }

  end(): void {
    this.#ours.end();
  }

  close(): void {
    this.theirs.destroy();
    this.#ours.destroy();
  }

  /** Whether the process, which has ended, left something of its input unread; false where a descendant still holds it. */
  async endedWithUnreadInput(): Promise<boolean> {
    await Promise.race([this.#closed, sleep(WORD_MS, undefined, { ref: false })]);
    return this.#reset;
  }
}
