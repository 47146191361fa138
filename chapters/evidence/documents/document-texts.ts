import type { Ctx } from "../../context.ts";
import { everyRow } from "../../page.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { readTexts } from "./contents.ts";

/** So many characters of documents are read for one set of tasks. */
const MOST_CHARS = 400_000;

/** The texts of the documents that stand, oldest first: policies and handbooks, without exports of rows and what a newer one replaced. */
export async function documentTexts(ctx: Ctx): Promise<string[]> {
  const found: string[] = [];
  let chars = 0;
  for (const kind of ["document", "corpus"] as const) {
    const where = { kind };
    for await (const row of everyRow((page) => ctx.store.records.list(Evidence, { ...page, where, order: "oldest" }))) {
      if (row.superseded_by !== undefined || row.blob === undefined || row.format === "records") continue;
      for (const { text } of await readTexts(ctx, row)) {
        if (chars >= MOST_CHARS) return found;
        found.push(text);
        chars += text.length;
      }
    }
  }
  return found;
}
