import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { z } from "zod";
import type { AuditLine, DeliveryRow, JobEvent, LedgerRow, OpenRow, OrgStore, ServiceStore } from "../../store/port.ts";
import { AppError } from "../errors.ts";
import { ARCHIVE, ArchiveSum } from "./archive.ts";
import { memberKinds } from "./members.ts";

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
 * changed archive leaves none, and the same archive can be tried again. An org of this id or tag is a conflict.
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
      if (org) await take(service.forOrg(org.id), name, bytes);
      else org = await begun(service, name, bytes, options);
    }
  } catch (error) {
    throw error instanceof AppError ? error : broken();
  }
  if (!org || !ended) throw broken();
  const line = { at: options.now, by: "operator", act: "org_restored", fields: { entries: sum.entries } };
  if (!(await service.renameOrg(org.id, org.tag, line))) throw taken();
  return { org, entries: sum.entries };
}

/** The org as it will be; until it is whole it has a tag that no route can name. */
async function begun(
  service: ServiceStore,
  name: string,
  bytes: Buffer,
  options: { readonly tag?: string | undefined; readonly now: number },
) {
  if (name !== ARCHIVE.head) throw broken();
  const { org } = Head.parse(JSON.parse(bytes.toString("utf8")));
  const named = { id: org.id, tag: options.tag ?? org.tag };
  const known = await service.orgById(named.id);
  const halfway = `${HALFWAY}${named.id}`;
  if ((known && known.tag !== halfway) || (await service.orgByTag(named.tag))) throw taken();
  if (!known && !(await service.createOrg({ id: named.id, tag: halfway, created_at: options.now }))) throw taken();
  return named;
}

/** Takes one entry in. What an earlier try brought is met again and stays. */
async function take(store: OrgStore, name: string, bytes: Buffer): Promise<void> {
  const [folder, kind = "", ...rest] = name.split("/");
  const id = rest.join("/");
  if (folder === "members") {
    const members = memberKinds().find((one) => one.name === kind);
    if (!members)
      throw new AppError("unprocessable", "The archive holds a kind of record that this version does not know.");
    return members.put(store, id, bytes);
  }
  if (folder !== "logs") throw broken();
  const rows = bytes
    .toString("utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  if (kind === "audit") {
    const last = (await store.audit.list({ limit: 1 })).items[0]?.seq ?? 0;
    return store.audit.restore((rows as AuditLine[]).filter((line) => line.seq > last));
  }
  if (kind === "ledger") {
    for (const row of rows as LedgerRow[]) await store.ledger.append(row).catch(unlessThere);
    return;
  }
  if (kind === "deliveries") {
    for (const row of rows as DeliveryRow[]) await store.deliveries.append(row).catch(unlessThere);
    return;
  }
  if (kind === "opens") {
    for (const row of rows as OpenRow[]) await store.opens.count(row);
    return;
  }
  if (kind !== "job_events") throw broken();
  const job = id.replace(/\.ndjson$/, "");
  const known = (await store.jobs.events(job)).length;
  for (const event of (rows as JobEvent[]).slice(known))
    await store.jobs.event(job, event.at, event.kind, event.fields);
}

function unlessThere(error: unknown): void {
  if (!(error instanceof AppError && error.code === "conflict")) throw error;
}

async function whole(entry: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of entry) parts.push(part);
  return Buffer.concat(parts);
}

function taken(): AppError {
  return new AppError("conflict", "An org of this id or of this tag is there already; nothing was changed.");
}

function broken(): AppError {
  return new AppError("unprocessable", "This is not a whole archive of an org; no org was made of it.");
}
