import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { proposeValues } from "../../dimensions/propose.ts";
import { notFound, orNotFound } from "../../errors.ts";
import { byField, orgRef } from "../../fields.ts";
import { evidence, pass, read, readerOf } from "../../models/pass.ts";
import { everyRow, type PageInput } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { StatedBucket, Statement } from "../../records/evidence/statement.ts";

type StatementDoc = Doc<typeof Statement>;

/** Buckets that a statement names, each with the sentence that names it. */
export const statementPass = pass<string, { buckets: StatedBucket[] }>({
  name: "statements_derive",
  version: "2026-11-1",
  output: z.object({ buckets: z.array(StatedBucket).max(30) }),
  maxOutputTokens: 3_000,
  prompt: (text) => ({
    system:
      "A person says how their agent is used. Name the kinds of use they state, each with a label of at most four words, one sentence that says what it is, and the sentence of theirs that states it, word for word. Add none that they do not state.",
    user: evidence(text),
  }),
  check: ({ buckets }, text) =>
    buckets.every(({ sentence }) => folded(text).includes(folded(sentence)))
      ? undefined
      : "a sentence is not one of the person's.",
  rule: (text) => ({ buckets: listed(text) }),
});

const folded = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();

/** An item of a list: a bullet or a number, and what is said before a colon, a dash or a full stop. */
const ITEM = /^\s*(?:[-*•]|\d+[.)])\s+(.+?)\s*$/;
const LABEL_WORDS = 4;

/** The items of the lists in a statement: what a rule can tell from prose is no more than that. */
function listed(text: string): StatedBucket[] {
  return text.split("\n").flatMap((line) => {
    const said = ITEM.exec(line)?.[1];
    if (said === undefined) return [];
    const [head = said, rest] = said.split(/\s*(?::|\s[-–—]\s|\.\s)\s*/, 2);
    const label = head
      .replace(/[*_`.]+/g, "")
      .trim()
      .split(/\s+/)
      .slice(0, LABEL_WORDS)
      .join(" ")
      .toLowerCase();
    return label === ""
      ? []
      : [{ label: label.slice(0, 60), profile: (rest || said).slice(0, 300), sentence: said.slice(0, 2_000) }];
  });
}

/** One statement with its words, or those on record without them, newest first, each with what was proposed of it. */
export async function listStatements(ctx: Ctx, input: PageInput & { readonly id?: string | undefined }) {
  if (input.id !== undefined) {
    const found = orNotFound(await ctx.store.records.get(Statement, input.id), "statement");
    return { org: ctx.org.tag, statement: { ...view(found), text: found.text } };
  }
  const page = await ctx.store.records.list(Statement, input);
  return {
    org: ctx.org.tag,
    statements: page.items.map(view),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

function view({ id, created_at, by, author, origin, file_name, read: wasRead, text, proposal }: StatementDoc) {
  return {
    id,
    created_at,
    by,
    author,
    origin,
    ...(file_name === undefined ? {} : { file_name }),
    characters: text.length,
    read: wasRead,
    proposal: proposal ?? null,
    tier: "human" as const,
  };
}

/** What `statements_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  text: z.string().trim().min(1).max(50_000),
  author: z.string().min(1).max(200).optional().describe("Whose words they are; the caller's when absent."),
  ...byField,
  origin: z.enum(["upload", "paste", "home"]).optional().describe("How the words came in."),
  file_name: z.string().min(1).max(200).optional(),
  derive: z.boolean().optional().describe("Whether it is read now; true when absent."),
});
export type PostInput = z.output<typeof PostInput>;

/** Stores a person's words as they are, then reads them once unless told not to. What the reading may cost is said beside what it did. */
export async function postStatement(ctx: Ctx, input: PostInput) {
  const by = actor(ctx, input.by ?? input.author);
  const doc: StatementDoc = {
    id: ctx.id(Statement.prefix),
    created_at: ctx.now(),
    by,
    text: input.text,
    author: input.author ?? by,
    origin: input.origin ?? "paste",
    ...(input.file_name === undefined ? {} : { file_name: input.file_name }),
    read: false,
  };
  await ctx.store.records.insert(Statement, doc);
  await auditAct(ctx, "statement_stored", { statement: doc.id }, by);
  if (input.derive === false) return { org: ctx.org.tag, statement: view(doc), estimate_usd: 0, usd: 0 };
  const { estimate_usd } = readerOf(ctx, statementPass, doc.text);
  return { org: ctx.org.tag, estimate_usd, ...(await deriveFrom(ctx, doc)) };
}

/** Reads the statement named, else the oldest that no pass has read. With none unread nobody is asked. */
export async function deriveStatement(ctx: Ctx, input: { readonly statement?: string | undefined }) {
  const doc =
    input.statement === undefined ? await oldestUnread(ctx) : await ctx.store.records.get(Statement, input.statement);
  if (!doc && input.statement !== undefined) throw notFound("statement");
  if (!doc) return { org: ctx.org.tag, statement: null, estimate_usd: 0, usd: 0, note: "No statement is unread." };
  const { estimate_usd } = readerOf(ctx, statementPass, doc.text);
  return { org: ctx.org.tag, estimate_usd, ...(await deriveFrom(ctx, doc)) };
}

/** The oldest that no pass has read; where a rule reads, the oldest of which it can read something, if there is one. */
async function oldestUnread(ctx: Ctx): Promise<StatementDoc | undefined> {
  const list = (page: PageInput) =>
    ctx.store.records.list(Statement, { ...page, where: { read: false }, order: "oldest" });
  const [first] = (await list({ limit: 1 })).items;
  if (!first || readerOf(ctx, statementPass, first.text).model !== null) return first;
  for await (const row of everyRow(list)) if (listed(row.text).length > 0) return row;
  return first;
}

const PROSE =
  "A rule reads the items of lists alone, and this statement has none: it stays unread. A model reads prose; the operator sets one with SVC_MODELS.";
const LISTS = "A rule read the items of its lists alone; what stands in its prose was not read.";

async function deriveFrom(ctx: Ctx, doc: StatementDoc) {
  const found = await read(ctx, statementPass, doc.text);
  const { buckets } = found.value;
  if (found.model === null && buckets.length === 0) return { statement: view(doc), usd: 0, note: PROSE };
  const named = buckets.map(({ label, profile }) => ({ field: "use_case", value: label, profile, cites: [doc.id] }));
  const { proposed } = await proposeValues(ctx, named, found);
  const { tier, model, prompt_version } = found;
  const proposal = { buckets, values: proposed.map(({ id }) => id), at: ctx.now(), tier, model, prompt_version };
  const changed = await ctx.store.records.update(Statement, doc.id, (row) => ({
    ...row,
    read: true,
    ...(buckets.length === 0 ? {} : { proposal }),
  }));
  await auditAct(ctx, "statement_derived", { statement: doc.id, buckets: buckets.length });
  return { statement: view(changed ?? doc), usd: found.usd, ...(found.model === null ? { note: LISTS } : {}) };
}
