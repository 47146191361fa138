import { z } from "zod";
import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";
import { revisionView as ontologyView } from "../ontology/revisions.ts";
import { DEFAULT_PAGE, everyRow, type Page, type PageInput } from "../page.ts";
import type { Doc } from "../record.ts";
import { IngestPass } from "../records/evidence/after-ingest.ts";
import { ModelCall } from "../records/models/models.ts";
import { OntologyPin, OntologyRevision } from "../records/ontology/ontology.ts";
import { DimensionReading } from "../records/ontology/reading.ts";
import { EnvironmentRevision } from "../records/sandboxes/revision.ts";
import { BundleRecord } from "../records/sandboxes/sandboxes.ts";
import { headOf } from "../sandboxes/environments/revisions.ts";
import { Tier } from "../tier.ts";

/** The page of the console that a change shows on. */
export const ChangePage = z.enum(["home", "ontology"]);
export type ChangePage = z.infer<typeof ChangePage>;

/** One change of the org: counts and ids alone. */
export const ChangeLine = z.object({
  at: z.number(),
  id: z.string(),
  page: ChangePage,
  /** What was done. */
  change: z.string(),
  /** What it was done to. */
  about: z.object({ kind: z.string(), id: z.string() }),
  counts: z.record(z.string(), z.number()),
  /** Id of the revision that it made; null where it made none. */
  revision: z.string().nullable(),
  undo: z.string().nullable().describe("The route that undoes it; null where nothing does."),
  tier: Tier,
  usd: z.number().optional().describe("What its model calls cost; absent where nothing says it."),
});
export type ChangeLine = z.infer<typeof ChangeLine>;

const MICRO = 1_000_000;

/** What changed in the org, newest first, each line with the route that undoes it where there is one. */
export async function listChanges(
  ctx: Ctx,
  input: PageInput & { readonly since?: number | undefined; readonly page?: ChangePage | undefined },
) {
  const after = input.cursor === undefined ? undefined : cursorPositionOf(input.cursor);
  const limit = input.limit ?? DEFAULT_PAGE;
  const lines: ChangeLine[] = [];
  let next: string | undefined;
  for await (const line of merged(sources(ctx).flatMap(({ page, lines: of }) => (shows(page) ? [of()] : [])))) {
    if (input.since !== undefined && line.at <= input.since) break;
    if (after !== undefined && !isBefore(line, after)) continue;
    if (lines.length === limit) {
      next = cursorOf(lines[limit - 1] as ChangeLine);
      break;
    }
    lines.push(line);
  }
  return {
    org: ctx.org.tag,
    since: input.since ?? null,
    page: input.page ?? null,
    lines,
    ...(next === undefined ? {} : { next }),
  };

  function shows(page: ChangePage): boolean {
    return input.page === undefined || input.page === page;
  }
}

interface LineSource {
  readonly page: ChangePage;
  readonly lines: () => AsyncGenerator<ChangeLine>;
}

/** Where changes are on record, each with its lines newest first. */
function sources(ctx: Ctx): readonly LineSource[] {
  const { records } = ctx.store;
  return [
    source(
      "home",
      (next) => records.list(EnvironmentRevision, next),
      (row) => environmentLine(ctx, row),
    ),
    source("home", (next) => records.list(BundleRecord, next), compiledLine),
    source("home", (next) => records.list(IngestPass, next), passLine),
    source(
      "ontology",
      (next) => records.list(OntologyRevision, next),
      (row) => ontologyLine(ctx, row),
    ),
    source("ontology", (next) => records.list(DimensionReading, next), readingLine),
  ];
}

type LineText = Omit<ChangeLine, "at" | "id" | "page">;

function source<R extends { readonly id: string; readonly created_at: number }>(
  page: ChangePage,
  list: (next: PageInput) => Promise<Page<R>>,
  tell: (row: R) => LineText | Promise<LineText>,
): LineSource {
  return {
    page,
    async *lines() {
      for await (const row of everyRow(list)) yield { at: row.created_at, id: row.id, page, ...(await tell(row)) };
    },
  };
}

/** Lines of all sources by time, newest first; a row is read when its turn comes. */
async function* merged(from: readonly AsyncGenerator<ChangeLine>[]): AsyncGenerator<ChangeLine> {
  const heads = await Promise.all(from.map(async (lines) => ({ lines, head: await lines.next() })));
  for (;;) {
    let newest: (typeof heads)[number] | undefined;
    for (const each of heads)
      if (!each.head.done && (newest === undefined || newest.head.done || isBefore(newest.head.value, each.head.value)))
        newest = each;
    if (newest === undefined || newest.head.done) return;
    yield newest.head.value;
    newest.head = await newest.lines.next();
  }
}

interface CursorPosition {
  readonly at: number;
  readonly id: string;
}

function isBefore(line: CursorPosition, other: CursorPosition): boolean {
  return line.at < other.at || (line.at === other.at && line.id < other.id);
}

function cursorOf({ at, id }: CursorPosition): string {
  return Buffer.from(JSON.stringify(["changes", at, id])).toString("base64url");
}

function cursorPositionOf(cursor: string): CursorPosition {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    parts = undefined;
  }
  const [list, at, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (list !== "changes" || typeof at !== "number" || typeof id !== "string")
    throw badField("cursor", "take it from `next` of the page before");
  return { at, id };
}

/** What a person did by hand to the tasks; all other acts are code's, or a model's where one was asked. */
const BY_HAND: ReadonlySet<string> = new Set(["correct", "turns", "held", "tasks_added", "tasks_retired"]);

async function environmentLine(ctx: Ctx, row: Doc<typeof EnvironmentRevision>): Promise<LineText> {
  const micro = await Promise.all(row.jobs.map((job) => spentBy(ctx, job)));
  const usd = micro.reduce((sum, spent) => sum + spent, 0) / MICRO;
  const decided = BY_HAND.has(row.act) ? "human" : "deterministic";
  return {
    change: row.act,
    about: { kind: "environment", id: row.environment },
    counts: {
      tasks_changed: row.changed.length,
      tasks_added: row.added.length,
      certified_before: row.before.tasks.certified ?? 0,
      certified_after: row.after.tasks.certified ?? 0,
    },
    revision: row.id,
    undo: headOf(ctx, row).undo,
    tier: usd > 0 ? "llm-derived" : decided,
    usd,
  };
}

/** What a job's model calls cost, micro-dollars. */
async function spentBy(ctx: Ctx, job: string): Promise<number> {
  let micro = 0;
  for await (const call of everyRow((page) => ctx.store.records.list(ModelCall, { ...page, where: { job } })))
    micro += call.micro_usd;
  return micro;
}

function compiledLine(row: Doc<typeof BundleRecord>): LineText {
  return {
    change: row.declared === undefined ? "version_compiled" : "version_declared",
    about: { kind: "surface", id: row.surface },
    counts: {
      tools: row.tools,
      rows: Object.values(row.tables).reduce((sum, n) => sum + n, 0),
      exceptions: row.exceptions,
      gaps: row.gaps.length,
    },
    revision: row.id,
    undo: null,
    tier: row.declared === undefined ? "deterministic" : "human",
    usd: 0,
  };
}

function passLine({ job, counts, tier, usd }: Doc<typeof IngestPass>): LineText {
  return { change: "looked_through", about: { kind: "job", id: job }, counts, revision: null, undo: null, tier, usd };
}

async function ontologyLine(ctx: Ctx, row: Doc<typeof OntologyRevision>): Promise<LineText> {
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, n) => all + n, 0);
  const { nodes, edges, removed } = row.counts;
  const usd = await drawnFor(ctx, row);
  return {
    change: `ontology_${row.act}`,
    about: { kind: "surface", id: row.surface },
    counts: { nodes: sum(nodes), edges: sum(edges), removed },
    revision: row.id,
    undo: ontologyView(ctx, row).undo,
    tier: row.tier,
    ...(usd === undefined ? {} : { usd }),
  };
}

/** What a compile's own reading cost; nothing where it reused the one before. Undefined where it keeps no pin of it. */
async function drawnFor(ctx: Ctx, row: Doc<typeof OntologyRevision>): Promise<number | undefined> {
  if (row.model === null) return 0;
  if (row.act !== "compile" || row.pin === undefined) return undefined;
  const before = row.replaces === undefined ? undefined : await ctx.store.records.get(OntologyRevision, row.replaces);
  if (before?.pin === row.pin) return 0;
  return (await ctx.store.records.get(OntologyPin, row.pin))?.usd;
}

function readingLine({ source: read, values, records, read: n, tier, usd }: Doc<typeof DimensionReading>): LineText {
  return {
    change: "dimensions_read",
    about: { kind: "evidence", id: read },
    counts: { records, read: n, values: values.length },
    revision: null,
    undo: null,
    tier,
    usd,
  };
}
