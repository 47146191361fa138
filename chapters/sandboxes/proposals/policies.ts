import type { Ctx } from "../../context.ts";
import { readTexts } from "../../evidence/documents/contents.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";

/** Characters of a section, and sections, at most. */
const MOST = { section: 3_000, sections: 12 };

/** Sections of a surface's documents that name one of its tools. */
export async function policySections(
  ctx: Ctx,
  records: readonly Doc<typeof Evidence>[],
  tools: readonly string[],
): Promise<string[]> {
  const out: string[] = [];
  for (const record of records) {
    if (record.kind !== "document" || record.format === "records") continue;
    for (const { text } of await readTexts(ctx, record))
      for (const section of sectionsOf(text)) if (names(section, tools)) out.push(section.slice(0, MOST.section));
  }
  return out.slice(0, MOST.sections);
}

/** A text cut before its headings. */
const sectionsOf = (text: string): string[] => text.split(/\n(?=#{1,6} )/).filter((section) => section.trim() !== "");

/** Whether a text names a tool, by its name or by the words of it. */
function names(section: string, tools: readonly string[]): boolean {
  const lower = section.toLowerCase();
  return tools.some((tool) => {
    const name = tool.toLowerCase();
    return lower.includes(name) || lower.includes(name.replaceAll(/[_.-]+/g, " "));
  });
}
