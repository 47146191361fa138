import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { type Follower, joinFolder, type Leader } from "./leader.ts";
import { dial, LeaderUnreachable } from "./socket.ts";

/** How often a member looks for a new owner for one request; each look waits for one to listen. */
const ATTEMPTS = 5;

/** How long before a member that could not join again tries it by itself, milliseconds. */
const AGAIN_MS = 5_000;

/** A process on a data folder, as its owner or its guest, whichever it is at the moment. */
export class ClusterNode {
  readonly #config: Config;
  readonly #address: string | undefined;
  #place: Promise<Leader | Follower>;
  /** The last joining failed: whoever asks next has it tried again. */
  #failed = false;
  #left = false;

  /** `address` is where this process serves the network, if it does. */
  constructor(config: Config, address?: string) {
    this.#config = config;
    this.#address = address;
    this.#place = this.#join();
    // It may fail before anybody asks; who asks is told.
    this.#place.catch(() => {});
  }

  /** What this process is now. Rejects when the folder cannot be joined; asked again, that is tried again. */
  get place(): Promise<Leader | Follower> {
    if (this.#failed && !this.#left) this.#place = this.#join();
    return this.#place;
  }

  /**
   * Does something with the owner's socket. When the owner turns out to be gone and nothing reached it, a new owner is
   * found, this process if need be, and it is done again there. Any other failure is thrown as it is.
   */
  async ask<T>(work: (socket: string) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const joined = this.place;
      try {
        return await work((await joined).socket);
      } catch (error) {
        if (!(error instanceof LeaderUnreachable) || attempt === ATTEMPTS || this.#left) throw error;
        await this.rejoin(joined);
      }
    }
  }

  /** Finds the owner anew, once for all who found the same one gone. */
  async rejoin(gone: Promise<Leader | Follower>): Promise<void> {
    if (this.#place === gone) this.#place = this.#join();
    await this.place;
  }

  /** Leaves the folder; an owner hands over by ending. */
  async leave(): Promise<void> {
    this.#left = true;
    const place = await this.#place.catch(() => undefined);
    if (place?.kind === "leader") await place.close();
  }

  async #join(): Promise<Leader | Follower> {
    this.#failed = false;
    try {
      const place = await joinFolder(this.#config, this.#address);
      if (place.kind === "follower") void this.#watch(place);
      return place;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** Holds a silent connection to the owner, so that its end is noticed without a request: its jobs must go on. */
  async #watch({ socket }: Follower): Promise<void> {
    const place = this.#place;
    try {
      const connection = (await dial(socket)).unref().resume();
      connection.on("error", () => {});
      await once(connection, "close");
    } catch {
      // Gone already.
    }
    while (!this.#left) {
      try {
        return await this.rejoin(place);
      } catch {
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  }
}
