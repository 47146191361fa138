import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import type { SharedWords } from "../../evidence/anonymize/shared-words.ts";
import { findSecrets } from "../../evidence/intake/secrets.ts";
import { wordsToShare } from "./outside.ts";
import type { PageDoc } from "./page-doc.ts";
import { type Redacted, redacted } from "./redact.ts";
import { counted } from "./words.ts";

/** A member's words without secrets and contacts, with `people` masked; where that is absent, without secrets alone. */
export function clearedWords(text: string, people: SharedWords | undefined): Promise<Redacted> {
  return redacted(people?.written(text) ?? text, { contacts: people === undefined });
}

/** Characters of Markdown that a written report may have. */
export const WRITTEN_CHARS = 60_000;

/**
 * A person's own words as a page, without the secrets and the addresses and numbers of people that were found in them, and
 * with the names, addresses and ids that the org's worlds hold masked; `whole` leaves all but secrets. Empty or longer than
 * `WRITTEN_CHARS` is refused, and so is a secret that cannot be taken out.
 */
export async function writtenPage(
  ctx: Ctx,
  given: {
    readonly title: string;
    readonly markdown: string;
    readonly by: string;
    readonly whole: boolean;
    readonly through?: string | undefined;
  },
): Promise<PageDoc> {
  const { title, markdown, by, whole, through } = given;
  if (markdown.trim() === "") throw badField("markdown", "is empty: write what the report says");
  if (markdown.length > WRITTEN_CHARS)
    throw badField("markdown", `is longer than ${WRITTEN_CHARS} characters: shorten it, or make two reports of it`);
  const people = whole ? undefined : await wordsToShare(ctx);
  const cleared = (text: string) => clearedWords(text, people);
  const [words, head, writer] = [await cleared(markdown), await cleared(title), await cleared(by)];
  for (const [path, { text }] of [["markdown", words] as const, ["title", head] as const])
    if ((await findSecrets(text)).length > 0)
      throw badField(path, "holds a secret that could not be taken out: take it out and post the report again");
  const secrets = words.secrets + head.secrets;
  const contacts = words.contacts + head.contacts;
  return {
    v: 1,
    title: head.text,
    made_at: ctx.now(),
    sections: [
      {
        show: "text",
        paragraphs: [
          `Written by ${writer.text}${through === undefined ? "" : `, as ${through} says`} (tier: human); the numbers in it are the writer's.`,
          ...(secrets === 0 ? [] : [`${counted(secrets, "secret was", "secrets were")} taken out of it.`]),
          ...(contacts === 0
            ? []
            : [
                `${counted(contacts, "address or number of a person was", "addresses and numbers of people were")} taken out of it.`,
              ]),
        ],
      },
      { show: "markdown", markdown: words.text },
    ],
  };
}
