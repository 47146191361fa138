import type { BaseState } from "../../../worlds/bundle.ts";
import { getJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { forbidden } from "../../errors.ts";
import { SharedWords } from "../../evidence/anonymize/shared-words.ts";
import { everyRow } from "../../page.ts";
import { Run } from "../../records/runs/runs.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import type { Finding } from "../render/finding.ts";
import type { PageDoc } from "./page-doc.ts";
import { redacted } from "./redact.ts";

/** Rows of worlds that are looked at for the names of people: more take longer than who waits has. */
const MOST_ROWS = 20_000;
/** Environments whose rows stand for the org's where a text is of none of them. */
const MOST_ENVIRONMENTS = 5;

/** Whether words go out as they are: that is a member's to say, or an admin's, and nobody else's. */
export function wantsUnredacted(ctx: Ctx, redact: boolean | undefined): boolean {
  if (redact !== false) return false;
  const { kind, member, scope } = ctx.caller;
  if (kind === "org" && member === undefined && scope !== "admin")
    throw forbidden("That nothing is taken out is for a signed-in member or an admin to say.");
  return true;
}

/** What the rows of environments say of people; of the org's newest ones where none is named. */
export async function wordsToShare(ctx: Ctx, environments?: readonly string[]): Promise<SharedWords> {
  const words = new SharedWords();
  const { records } = ctx.store;
  const found =
    environments === undefined
      ? (await records.list(Environment, { limit: MOST_ENVIRONMENTS })).items
      : await records.getMany(Environment, [...new Set(environments)]);
  let left = MOST_ROWS;
  for (const { base_blob } of found) {
    const { tables, starts = {}, others = {} } = (await getJson(ctx, base_blob)) as BaseState;
    for (const state of [tables, ...Object.values(starts), ...Object.values(others)])
      for (const [table, rows] of Object.entries(state)) {
        const some = Object.values(rows).slice(0, left);
        left -= some.length;
        words.learn({ [table]: some });
      }
  }
  return words;
}

/** The environments that groups were run on. */
export async function environmentsOf(ctx: Ctx, groups: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const group of groups)
    for await (const run of everyRow((page) => ctx.store.records.list(Run, { ...page, where: { group } })))
      found.push(run.environment);
  return found;
}

/** A page of ours for readers outside: no text in it holds a key, an address of mail or a phone number. */
export async function outsidePage(page: PageDoc): Promise<PageDoc> {
  return (await swept(page)) as PageDoc;
}

/** A finding for readers outside: its requests without what identifies somebody, no key or contact anywhere in it. */
export async function outsideFinding(ctx: Ctx, finding: Finding): Promise<Finding> {
  const words = await wordsToShare(ctx, await environmentsOf(ctx, [finding.main.group, finding.tested.group]));
  const tasks = finding.tasks.map((task) => ({ ...task, request: words.said(task.request) }));
  const { main, tested } = finding;
  return { ...finding, ...((await swept({ main, tested, tasks })) as Pick<Finding, "main" | "tested" | "tasks">) };
}

/** Fields whose texts are ours and lead somewhere: they are left as they are. */
const OURS = new Set(["show", "id", "against", "group", "place", "tier", "tone", "kind", "link", "page"]);

async function swept(value: unknown): Promise<unknown> {
  if (typeof value === "string") return (await redacted(value)).text;
  if (Array.isArray(value)) return Promise.all(value.map(swept));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(async ([name, each]) => [name, OURS.has(name) ? each : await swept(each)]);
  return Object.fromEntries(await Promise.all(fields));
}
