import { createHash } from "node:crypto";
import { createGzip } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import type { Ctx } from "../context.ts";
import { everyRow, type Page, type PageInput } from "../page.ts";
import { FileAnswer } from "../reply.ts";
import { entryKinds, excludedKinds } from "./entries.ts";

/** Logs that an archive takes whole, and that another workspace's copy does not. */
const LOGS = ["ledger", "deliveries", "opens", "audit"] as const;
type LogKind = (typeof LOGS)[number];
const LOG_KINDS: ReadonlySet<string> = new Set(LOGS);

/** Names of an archive's entries: `org.json` first, then members and logs in order, `end.json` last. */
export const ARCHIVE = {
  format: 1,
  head: "org.json",
  member: (kind: string, id: string) => `members/${kind}/${id}`,
  log: (kind: LogKind, part: number) => `logs/${kind}/${String(part).padStart(6, "0")}.ndjson`,
  events: (job: string) => `logs/job_events/${job}.ndjson`,
  end: "end.json",
} as const;

/** Adds up what an archive holds: one line per entry, so that a cut or changed archive shows. */
export class ArchiveSum {
  readonly #hash = createHash("sha256");
  entries = 0;

  add(name: string, bytes: Uint8Array): void {
    this.entries += 1;
    this.#hash.update(`${name}\n${bytes.byteLength}\n`).update(bytes);
  }

  /** What `end.json` says; nothing may be added afterwards. */
  end(): { readonly entries: number; readonly sha256: string } {
    return { entries: this.entries, sha256: this.#hash.digest("hex") };
  }
}

/** The org as one gzipped tar, made while it is read: every member a copy takes, and the logs. Secrets and tokens are not in it. */
export async function archiveOrg(ctx: Ctx): Promise<FileAnswer> {
  const tar = pack();
  const zipped = createGzip();
  tar.on("error", (error: Error) => zipped.destroy(error));
  tar.pipe(zipped);
  const left = await excludedKinds(ctx.store);
  const heldBackRows = left.filter((row) => !LOG_KINDS.has(row.kind));
  ctx.signal.addEventListener("abort", () => tar.destroy(new Error("the caller went away")), { once: true });
  fill(ctx, tar, heldBackRows).catch((error: Error) => tar.destroy(error));
  return new FileAnswer(`${ctx.org.tag}.tar.gz`, "application/gzip", zipped, {
    org: ctx.org.tag,
    held_back: heldBackRows,
  });
}

async function fill(ctx: Ctx, tar: Pack, held_back: readonly object[]): Promise<void> {
  const { store } = ctx;
  const mtime = new Date(ctx.now() * 1000);
  const sum = new ArchiveSum();
  const add = async (name: string, bytes: Uint8Array) => {
    sum.add(name, bytes);
    await entry(tar, name, mtime, bytes);
  };
  const org = { id: ctx.org.id, tag: ctx.org.tag };
  await add(ARCHIVE.head, json({ format: ARCHIVE.format, org, made_at: ctx.now(), held_back }));
  for (const kind of entryKinds()) {
    for await (const { id } of kind.heads(store)) {
      const bytes = await kind.bytes(store, id);
      // Deleted since it was listed: an archive is not a moment, it is what was there while it was made.
      if (bytes) await add(ARCHIVE.member(kind.name, id), bytes);
      if (kind.name === "job") await add(ARCHIVE.events(id), lines(await store.jobs.events(id)));
    }
  }
  await log("ledger", (page) => store.ledger.list(0, { ...page, order: "oldest" }), add);
  await log("deliveries", (page) => store.deliveries.list(page), add);
  await log("opens", (page) => store.opens.list(page), add);
  await log("audit", (page) => store.audit.list({ ...page, order: "oldest" }), add);
  await entry(tar, ARCHIVE.end, mtime, json(sum.end()));
  tar.finalize();
}

const LINES_A_PART = 1000;

async function log(
  kind: LogKind,
  list: (page: PageInput) => Promise<Page<object>>,
  add: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  let part: object[] = [];
  let n = 0;
  const flush = async () => {
    if (part.length > 0) await add(ARCHIVE.log(kind, n), lines(part));
    n += 1;
    part = [];
  };
  for await (const row of everyRow(list)) if (part.push(row) === LINES_A_PART) await flush();
  await flush();
}

/** Writes one entry and waits until it has been read: nothing piles up. */
function entry(tar: Pack, name: string, mtime: Date, bytes: Uint8Array): Promise<void> {
  return new Promise((done, failed) => {
    const sink = tar.entry({ name, size: bytes.byteLength, mtime }, (error) => (error ? failed(error) : done()));
    // The callback tells of it; without a listener a reader that stops half-way would end the process.
    sink.on("error", failed);
    sink.end(Buffer.from(bytes));
  });
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
}

function lines(rows: readonly object[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}
