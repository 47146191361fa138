import type { Request } from "express";
import type { Caller } from "../../chapters/caller.ts";
import type { Limits as OrgLimits } from "../../chapters/context.ts";
import { AppError } from "../../chapters/errors.ts";
import type { Config } from "../config.ts";
import type { Meter } from "./meter.ts";

/** Times a minute that links to sign in with may be tried from one address. */
const TRIES = 30;

/** What a credential may have under way, and it and an org use within a minute. Throws `rate_limited` with seconds; 0 is no limit. */
export class Limits {
  readonly #meter: Meter;
  readonly #perToken: number;
  readonly #atOnce: number;
  readonly #perOrg: Config["orgPerMinute"];
  /** How many calls of a credential are under way in this process. */
  readonly #open = new Map<string, number>();

  constructor(meter: Meter, config: Pick<Config, "callsPerMinute" | "callsAtOnce" | "orgPerMinute">) {
    const { callsPerMinute, callsAtOnce, orgPerMinute } = config;
    this.#meter = meter;
    this.#perToken = callsPerMinute;
    this.#atOnce = callsAtOnce;
    this.#perOrg = orgPerMinute;
  }

  /** Counts a call of a caller. Who is at this machine has no limit. */
  async enter(caller: Caller, req: Request): Promise<void> {
    if (caller.kind !== "local")
      await this.count({ credential: caller.token ?? caller.name, org: caller.org?.id }, req);
  }

  /** Counts a call of a credential and its org, its bytes at the end: a call over the limit passes, the next is refused. */
  async count(
    { credential, org }: { readonly credential: string; readonly org: string | undefined },
    req: Request,
  ): Promise<void> {
    const { calls, bytes } = this.#perOrg;
    await this.#take(
      `calls/${credential}`,
      1,
      this.#perToken,
      "This credential made too many calls within a minute. Try again later.",
    );
    this.#begin(credential, req);
    if (org === undefined) return;
    await this.#take(`org-calls/${org}`, 1, calls, "This org made too many calls within a minute.");
    if (bytes === 0) return;
    const name = `org-bytes/${org}`;
    await this.#take(name, 0, bytes, "This org sent too much within a minute.");
    const before = req.socket.bytesRead;
    req.res?.once("close", () => {
      const sent = Math.max(Number(req.headers["content-length"] ?? 0), req.socket.bytesRead - before);
      if (sent > 0) this.#meter.take(name, sent, bytes).catch(() => undefined);
    });
  }

  /** Counts a try to sign in from an address. */
  async tryIn(address: string): Promise<void> {
    const reason = "Too many links were tried from your address. Wait a minute.";
    await this.#take(`tries/${address}`, 1, TRIES, reason);
  }

  /** Counts a job that a call of this org starts. */
  async job(org: string): Promise<void> {
    await this.#take(`org-jobs/${org}`, 1, this.#perOrg.jobs, "This org started too many jobs within a minute.");
  }

  /** What a call of this org may begin. */
  forOrg(org: string): OrgLimits {
    return {
      world: () =>
        this.#take(`org-worlds/${org}`, 1, this.#perOrg.worlds, "This org made too many worlds within a minute."),
    };
  }

  /** Counts a call as under way until its answer has ended: it holds a connection and memory. */
  #begin(credential: string, { res }: Request): void {
    if (this.#atOnce === 0 || res === undefined || res.destroyed) return;
    const open = this.#open.get(credential) ?? 0;
    if (open >= this.#atOnce)
      throw new AppError("rate_limited", `This credential has ${open} calls under way; let some end.`, {
        retryAfter: 1,
      });
    this.#open.set(credential, open + 1);
    res.once("close", () => {
      const left = (this.#open.get(credential) ?? 1) - 1;
      if (left > 0) this.#open.set(credential, left);
      else this.#open.delete(credential);
    });
  }

  async #take(name: string, n: number, most: number, reason: string): Promise<void> {
    const retryAfter = most === 0 ? undefined : await this.#meter.take(name, n, most);
    if (retryAfter !== undefined) throw new AppError("rate_limited", reason, { retryAfter });
  }
}

/** The limits of what the service does by itself: it has none, since what began it was counted. */
export const UNLIMITED: OrgLimits = { world: async () => {} };
