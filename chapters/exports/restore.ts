import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { z } from "zod";
import { AppError, conflict, unprocessable } from "../errors.ts";
import type { AuditLine, DeliveryRow, JobEvent, LedgerRow, OpenRow, OrgStore, ServiceStore } from "../ports/store.ts";
import { ARCHIVE, ArchiveSum } from "./archive.ts";
import { entryKinds } from "./entries.ts";

const Head = z.object({
  format: z.literal(ARCHIVE.format),
  org: z.object({ id: z.string().min(1), tag: z.string().min(1) }),
});
const End = z.object({ entries: z.number().int(), sha256: z.string() });

const HALFWAY = "restoring:";

/** Whether an org is still being brought back: nothing may be started in it. Its tag is one that no route can name. */
export function isHalfway({ tag }: { readonly tag: string }): boolean {
  return tag.startsWith(HALFWAY);
}

/** What a restore brought back. */
export interface Restored {
  readonly org: { readonly id: string; readonly tag: string };
  readonly entries: number;
}

/**
 * Brings an archived org back, under its own id and its tag or another one. The org is there once all of it is: a cut or
 * changed archive leaves none, and what an earlier try left of it goes before the next. An org of this id or tag is a
 * conflict, and so is one that is being brought back by another call.
 */
export async function restoreOrg(
  service: ServiceStore,
  archive: AsyncIterable<Uint8Array>,
  options: { readonly tag?: string | undefined; readonly now: number },
): Promise<Restored> {
  const gunzip = createGunzip();
  const tar = extract();
  const source = Readable.from(archive);
  source.on("error", (error) => gunzip.destroy(error));
  gunzip.on("error", () => tar.destroy(broken()));
  source.pipe(gunzip).pipe(tar);
  const sum = new ArchiveSum();
  let org: { readonly id: string; readonly tag: string } | undefined;
  let turn: Turn | undefined;
  let ended = false;
  try {
    for await (const entry of tar) {
      const { name } = entry.header;
      const bytes = await whole(entry as AsyncIterable<Uint8Array>);
      if (ended) throw broken();
      if (name === ARCHIVE.end) {
        const end = End.parse(JSON.parse(bytes.toString("utf8")));
        const found = sum.end();
        if (found.entries !== end.entries || found.sha256 !== end.sha256) throw broken();
        ended = true;
        continue;
      }
      sum.add(name, bytes);
      if (org && turn) {
        await turn.hold();
        await take(service.forOrg(org.id), name, bytes);
        continue;
      }
      const named = headOf(name, bytes, options.tag);
      turn = new Turn(service, named.id, options.now);
      await turn.hold();
      await begin(service, named, options.now);
      org = named;
    }
    if (!org || !turn || !ended) throw broken();
    await turn.hold();
    const line = { at: options.now, by: "operator", act: "org_restored", fields: { entries: sum.entries } };
    if (!(await service.renameOrg(org.id, org.tag, line))) throw taken();
    return { org, entries: sum.entries };
  } catch (error) {
    throw error instanceof AppError ? error : broken();
  } finally {
    await turn?.end();
  }
}

/** How long nobody else may begin to bring an org back after the last word of who does, seconds; half of it later it is said again. */
const TURN_S = 60;

/** The turn at bringing one org back: two who do it at once would write over each other, and over what is whole by then. */
class Turn {
  readonly #service: ServiceStore;
  readonly #name: string;
  readonly #now: () => number;
  readonly #owner = randomUUID();
  #until = 0;

  /** `from` is unix seconds now. */
  constructor(service: ServiceStore, org: string, from: number) {
    const began = performance.now();
    this.#service = service;
    this.#name = `restore/${org}`;
    this.#now = () => from + (performance.now() - began) / 1000;
  }

  /** Takes the turn, or goes on with it. */
  async hold(): Promise<void> {
    const now = this.#now();
    if (now < this.#until - TURN_S / 2) return;
    if (!(await this.#service.takeTurn(this.#name, this.#owner, now, now + TURN_S)))
      throw conflict(
        "This org is being brought back already; wait until that has ended, a minute where it was cut off.",
      );
    this.#until = now + TURN_S;
  }

  end(): Promise<void> {
    return this.#service.endTurn(this.#name, this.#owner);
  }
}

/** The org that an archive is of, as it will be. */
function headOf(name: string, bytes: Buffer, tag: string | undefined) {
  if (name !== ARCHIVE.head) throw broken();
  const { org } = Head.parse(JSON.parse(bytes.toString("utf8")));
  return { id: org.id, tag: tag ?? org.tag };
}

/** Makes the org, empty; until it is whole it has a tag that no route can name. */
async function begin(
  service: ServiceStore,
  { id, tag }: { readonly id: string; readonly tag: string },
  now: number,
): Promise<void> {
  const known = await service.orgById(id);
  const halfway = `${HALFWAY}${id}`;
  if ((known && known.tag !== halfway) || (await service.orgByTag(tag))) throw taken();
  // What an earlier try brought may not stand in this archive.
  if (known) await service.removal.begin(id, now, "operator");
  if (known) await service.removal.finish(id, now);
  if (!(await service.createOrg({ id, tag: halfway, created_at: now }))) throw taken();
}

/** Takes one entry in. */
async function take(store: OrgStore, name: string, bytes: Buffer): Promise<void> {
  const [folder, kind = "", ...rest] = name.split("/");
  const id = rest.join("/");
  if (folder === "members") {
    const members = entryKinds().find((one) => one.name === kind);
    if (!members) throw unprocessable("The archive holds a kind of record that this version does not know.");
    return members.put(store, id, bytes);
  }
  if (folder !== "logs") throw broken();
  const rows = bytes
    .toString("utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  if (kind === "audit") return store.audit.restore(rows as AuditLine[]);
  if (kind === "ledger") {
    for (const row of rows as LedgerRow[]) await store.ledger.append(row);
    return;
  }
  if (kind === "deliveries") {
    for (const row of rows as DeliveryRow[]) await store.deliveries.append(row);
    return;
  }
  if (kind === "opens") {
    for (const row of rows as OpenRow[]) await store.opens.count(row);
    return;
  }
  if (kind !== "job_events") throw broken();
  const job = id.replace(/\.ndjson$/, "");
  for (const { at, kind: what, fields } of rows as JobEvent[]) await store.jobs.event(job, at, what, fields);
}

async function whole(entry: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of entry) parts.push(part);
  return Buffer.concat(parts);
}

function taken(): AppError {
  return conflict("An org of this id or of this tag is there already; nothing was changed.");
}

function broken(): AppError {
  return unprocessable("This is not a whole archive of an org; no org was made of it.");
}
