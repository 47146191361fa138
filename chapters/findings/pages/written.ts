import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { findSecrets, withoutSecrets } from "../../evidence/secrets.ts";
import type { PageDoc } from "./page-doc.ts";
import { counted } from "./words.ts";

/** Characters of Markdown that a written report may have. */
export const WRITTEN_CHARS = 60_000;

/**
 * A person's own words as a page, without the secrets that were found in them. Empty or longer than `WRITTEN_CHARS` is
 * refused, and so is a secret that cannot be taken out.
 */
export async function writtenPage(
  ctx: Ctx,
  { title, markdown, by }: { readonly title: string; readonly markdown: string; readonly by: string },
): Promise<PageDoc> {
  if (markdown.trim() === "") throw badField("markdown", "is empty: write what the report says");
  if (markdown.length > WRITTEN_CHARS)
    throw badField("markdown", `is longer than ${WRITTEN_CHARS} characters: shorten it, or make two reports of it`);
  const [words, head] = [await withoutSecrets(markdown), await withoutSecrets(title)];
  for (const [path, { text }] of [["markdown", words] as const, ["title", head] as const])
    if ((await findSecrets(text)).length > 0)
      throw badField(path, "holds a secret that could not be taken out: take it out and post the report again");
  const removed = words.removed + head.removed;
  return {
    v: 1,
    title: head.text,
    made_at: ctx.now(),
    sections: [
      {
        show: "text",
        paragraphs: [
          `Written by ${by} (tier: human); the numbers in it are the writer's.`,
          ...(removed === 0 ? [] : [`${counted(removed, "secret was", "secrets were")} taken out of it.`]),
        ],
      },
      { show: "markdown", markdown: words.text },
    ],
  };
}
