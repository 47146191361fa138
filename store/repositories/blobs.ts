import type { Page, PageInput } from "../../chapters/page.ts";
import type { Blobs, ContentHead } from "../../chapters/ports/store.ts";
import { packLarge, unpackLarge } from "../codec.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, eq, gt } from "../drizzle.ts";
import { blobs } from "../schema.ts";
import { all, build, one, run, statement, value } from "../statement.ts";
import { sha256 } from "../text.ts";
import { OrgRepository } from "./org-repository.ts";

const byKey = and(eq(blobs.org, value("org")), eq(blobs.digest, value("digest")));
const select = statement(build.select({ encoding: blobs.encoding, body: blobs.body }).from(blobs).where(byKey));
const selectSize = statement(build.select({ size: blobs.size }).from(blobs).where(byKey));
const selectHeads = statement(
  build
    .select({ digest: blobs.digest, size: blobs.size })
    .from(blobs)
    .where(and(eq(blobs.org, value("org")), gt(blobs.digest, value("after"))))
    .orderBy(asc(blobs.digest))
    .limit(value("limit")),
);
const remove = statement(build.delete(blobs).where(byKey));
const insert = statement(
  build
    .insert(blobs)
    .values({
      org: value("org"),
      digest: value("digest"),
      encoding: value("encoding"),
      size: value("size"),
      body: value("body"),
    })
    .onConflictDoNothing(),
);

/** Bytes of one org. The same bytes are stored once per org, never across. */
export class BlobRepository extends OrgRepository implements Blobs {
  async put(bytes: Uint8Array): Promise<string> {
    const digest = sha256(bytes);
    const key = { org: this.org, digest };
    if (await this.engine.read(() => one(selectSize, key))) return digest;
    const packed = await packLarge(bytes);
    await this.engine.writeOne(() => run(insert, { ...key, size: bytes.byteLength, ...packed }));
    return digest;
  }

  async get(digest: string): Promise<Uint8Array | undefined> {
    const found = await this.engine.read(() => one(select, { org: this.org, digest }));
    return found && unpackLarge(found);
  }

  async heads(page?: PageInput): Promise<Page<ContentHead>> {
    const limit = pageLimit(page);
    const after = String(cursorKey("blobs", "s", page)?.[0] ?? "");
    const rows = await this.engine.read(() => all(selectHeads, { org: this.org, after, limit: limit + 1 }));
    return pageOf(
      "blobs",
      rows,
      limit,
      (row) => [row.digest],
      ({ digest, size }) => ({ id: digest, digest, size }),
    );
  }

  async delete(digest: string): Promise<boolean> {
    return (await this.engine.writeOne(() => run(remove, { org: this.org, digest }))) > 0;
  }
}
