import type { Ctx } from "../../context.ts";
import { orNotFound } from "../../errors.ts";
import { toolUse } from "../../evidence/traces/tool-use.ts";
import { traceOf } from "../../evidence/traces/trace-view.ts";
import { durationOf } from "../../evidence/traces/trace-words.ts";
import type { StoredTrace } from "../../ports/store.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { surfaceNamed } from "../../sandboxes/surfaces/surfaces.ts";
import type { Cell, PageDoc, PageLink, PageSection } from "../pages/page-doc.ts";
import { counted, cut, dollars, inWords, minuteOf, seconds } from "../pages/words.ts";
import { searched, traceSteps } from "./steps.ts";

type EvidenceDoc = Doc<typeof Evidence>;

async function findEvidence(ctx: Ctx, id: string): Promise<EvidenceDoc> {
  return orNotFound(await ctx.store.records.get(Evidence, id), "evidence");
}

/** A stored trace as a page, step by step as a trial is. Not found: 404. With a search, the steps that hold its words. */
export async function tracePage(ctx: Ctx, evidence: string, id: string, search = ""): Promise<PageDoc> {
  const record = await findEvidence(ctx, evidence);
  const row = await traceOf(ctx, evidence, id);
  const { trace } = row;
  const { steps, note } = searched(
    traceSteps(trace).map((step, i) => ({ ...step, n: i + 1 })),
    search,
  );
  return {
    v: 1,
    title: cut(trace.request === "" ? trace.session : trace.request, 110),
    made_at: ctx.now(),
    verdict: {
      text: `${counted(trace.calls.length, "call")}, ${counted(errorsOf(trace), "error")}; the final answer: ${trace.final_answer_class.replaceAll("_", " ")}`,
      tone: "plain",
      tier: record.tier,
      how: `Session ${cut(trace.session, 80)}, from ${record.provenance} evidence in the format ${record.format}.`,
    },
    ...(record.provenance === "synthetic" ? { invented: true } : {}),
    sections: [
      facts(row, record),
      {
        show: "timeline",
        heading: "What happened",
        caption: `${note}Every message and call of the session, in order.`,
        tier: "deterministic",
        steps,
      },
      ...labels(trace.labels),
    ],
  };
}

/** The traces before and after one in its record. */
export async function tracesAround(
  { store }: Ctx,
  { evidence, position }: Pick<StoredTrace, "evidence" | "position">,
): Promise<{ readonly before?: PageLink; readonly after?: PageLink }> {
  const around = await store.traces.at(
    evidence,
    [position - 1, position + 1].filter((at) => at >= 0),
  );
  const linkOf = (at: number): PageLink | undefined => {
    const row = around.find((each) => each.position === at);
    return row && { page: "trace", id: `${evidence}/${row.id}` };
  };
  const [before, after] = [linkOf(position - 1), linkOf(position + 1)];
  return { ...(before && { before }), ...(after && { after }) };
}

/** How a reward came about, as a person reads it. */
const REWARD_TIERS = {
  deterministic: "computed by a rule",
  human: "given by a person",
  "llm-derived": "given by a model",
} as const;

function facts({ trace, evidence }: StoredTrace, record: EvidenceDoc): PageSection {
  const ms = durationOf(trace);
  const { usage, cost_usd, outcome, started_at } = trace;
  const named = (name: string, value: Cell, how?: string) => ({ name, value, ...(how === undefined ? {} : { how }) });
  return {
    show: "facts",
    facts: [
      named("Evidence", {
        text: cut(record.tag ?? record.surface ?? record.format, 60),
        link: { page: "evidence", id: evidence },
      }),
      ...(started_at === undefined ? [] : [named("Started (UTC)", minuteOf(started_at))]),
      ...(ms === undefined ? [] : [named("Took", `${Math.round(ms)} ms`)]),
      ...(usage === undefined
        ? []
        : [
            named("Tokens", `${usage.input_tokens ?? "?"} in, ${usage.output_tokens ?? "?"} out`, "as its source says"),
          ]),
      ...(cost_usd === undefined ? [] : [named("Cost", dollars(cost_usd), "as its source says")]),
      ...(outcome === undefined
        ? []
        : [named("Reward", String(outcome.reward), `as its source says: ${REWARD_TIERS[outcome.tier]}`)]),
    ],
  };
}

function labels(all: Readonly<Record<string, string>>): PageSection[] {
  const rows = Object.entries(all).map(([name, value]) => [cut(name, 80), cut(value, 240)]);
  if (rows.length === 0) return [];
  const columns = [{ name: "Label" }, { name: "Value", kind: "wide" as const }];
  const caption = "What the source says of the session.";
  return [{ show: "table", heading: "Labels", caption, tier: "deterministic", columns, rows }];
}

/** What a record of traces holds, in a sentence. */
export function evidenceVerdict(record: EvidenceDoc): NonNullable<PageDoc["verdict"]> {
  const { stats, kind, format, detected, tier } = record;
  return {
    text: `${counted(stats.traces, "trace")} with ${counted(stats.calls, "call")} of ${counted(stats.tools, "tool")}; ${stats.refused} refused.`,
    tone: stats.refused > 0 ? "warn" : "plain",
    tier,
    how: `${kind === "traces" ? "Read" : `${inWords(kind)}, read`} as ${detected.startsWith(format) ? "" : `${format}: `}${cut(detected, 200)}.`,
  };
}

/** Traces of an evidence record on one page of it. */
const TRACES_SHOWN = 50;
/** Its first traces, in which the calls of its tools are counted: fewer of a record of large ones, bytes of all. */
const COUNTED = 200;
const COUNTED_BYTES = 8_000_000;

/** One page of an evidence record's traces, their ids, the cursor of the next, and the tools that they call. Not found: 404. */
export async function evidencePage(
  ctx: Ctx,
  id: string,
  cursor?: string,
): Promise<{
  readonly doc: PageDoc;
  readonly traces: readonly string[];
  readonly next?: string | undefined;
  readonly tools: readonly string[];
}> {
  const record = await findEvidence(ctx, id);
  const { stats } = record;
  const few = Math.ceil((COUNTED_BYTES * stats.traces) / Math.max(1, stats.bytes));
  const used = await toolUse(ctx, id, Math.max(1, Math.min(COUNTED, few)));
  const surface = record.surface === undefined ? undefined : await surfaceNamed(ctx, record.surface);
  const { items, next } = await ctx.store.traces.heads(id, { limit: TRACES_SHOWN, cursor });
  const stored = await ctx.store.traces.at(
    id,
    items.map(({ position }) => position),
  );
  const link = (trace: string): PageLink => ({ page: "trace", id: `${id}/${trace}` });
  const doc: PageDoc = {
    v: 1,
    title: `Evidence: ${cut(record.tag ?? record.surface ?? record.format, 80)}`,
    made_at: ctx.now(),
    verdict: evidenceVerdict(record),
    ...(record.provenance === "synthetic" ? { invented: true } : {}),
    sections: [
      recordFacts(record, used.tools, surface?.id),
      items.length === 0
        ? { show: "text", heading: "Traces", paragraphs: ["It holds no trace."] }
        : {
            show: "table",
            heading: "Traces",
            caption: `${counted(stored.length, "trace")} of ${stats.traces}, as they were sent; each opens step by step.`,
            tier: "deterministic",
            columns: [
              { name: "Request", kind: "wide" },
              { name: "Calls", kind: "number" },
              { name: "Errors", kind: "number" },
              { name: "Took", kind: "number" },
              { name: "Answer" },
              { name: "Started (UTC)" },
              { name: "Session" },
            ],
            rows: stored.map(({ id: trace, trace: of }) => {
              const [ms, errors] = [durationOf(of), errorsOf(of)];
              return [
                { text: cut(of.request, 160) || "no request", link: link(trace) },
                of.calls.length,
                errors === 0 ? "" : { text: String(errors), tone: "bad" },
                ms === undefined ? "" : seconds(ms),
                of.final_answer_class === "none" ? "" : inWords(of.final_answer_class),
                of.started_at === undefined ? "" : minuteOf(of.started_at),
                cut(of.session, 24),
              ];
            }),
          },
      ...toolTable(record, used),
      ...lost(record),
    ],
  };
  return { doc, traces: stored.map(({ id: trace }) => trace), next, tools: used.tools.map(({ tool }) => tool) };
}

/** Each tool with how its calls ended; it opens the traces that call it. */
function toolTable({ id, stats }: EvidenceDoc, { tools, tools_of }: ToolsUsed): PageSection[] {
  if (tools.length === 0) return [];
  const among = tools_of < stats.traces ? `the first ${tools_of} of ${stats.traces} traces` : "its traces";
  return [
    {
      show: "table",
      heading: "Tools",
      place: "tools",
      caption: `Calls of each tool in ${among}, and how they ended; a tool opens the traces that call it.`,
      tier: "deterministic",
      columns: [
        { name: "Tool" },
        { name: "Calls", kind: "number" },
        { name: "Traces", kind: "number" },
        { name: "Errors", kind: "number" },
        { name: "Refused", kind: "number" },
      ],
      rows: tools
        .slice(0, COUNTED)
        .map(({ tool, calls, traces, errors, refused }): Cell[] => [
          { text: cut(tool, 80), link: { page: "traces", id: tool, against: id } },
          calls,
          traces,
          errors || "",
          refused || "",
        ]),
      of: Math.max(tools.length, stats.tools),
    },
  ];
}

/** How many calls of a trace ended in an error. */
export function errorsOf({ calls }: StoredTrace["trace"]): number {
  return calls.filter(({ is_error }) => is_error).length;
}

type ToolsUsed = Awaited<ReturnType<typeof toolUse>>;
/** Tools that are named beside their number. */
const NAMED = 3;

/** What a record is: of which system, which tools it calls, who sent it, when. */
function recordFacts(record: EvidenceDoc, tools: ToolsUsed["tools"], system: string | undefined): PageSection {
  const { id, kind, surface, provenance, created_at, by, source, stats } = record;
  const left = Object.values(stats.losses).reduce((sum, n) => sum + n, 0);
  return {
    show: "facts",
    facts: [
      ...(kind === "traces"
        ? [
            {
              name: "Traces",
              value: { text: String(stats.traces), link: { page: "traces" as const, id: "", against: id } },
            },
          ]
        : []),
      ...(tools.length === 0
        ? []
        : [
            {
              name: "Tools",
              value: { text: String(stats.tools), place: "tools" },
              how: `most called: ${tools
                .slice(0, NAMED)
                .map(({ tool }) => cut(tool, 40))
                .join(", ")}`,
            },
          ]),
      ...(surface === undefined
        ? []
        : [
            {
              name: "System",
              value:
                system === undefined
                  ? cut(surface, 60)
                  : { text: cut(surface, 60), link: { page: "fidelity" as const, id: system } },
            },
          ]),
      { name: "Provenance", value: provenance },
      {
        name: source === undefined ? "Sent (UTC)" : "Pulled (UTC)",
        value: minuteOf(created_at),
        how: `by ${cut(by, 60)}`,
      },
      { name: "Not carried over", value: left === 0 ? "nothing" : { text: counted(left, "thing"), place: "lost" } },
    ],
  };
}

/** What the reading left out, by name, and what it refused, with why. */
function lost({ stats, refused }: EvidenceDoc): PageSection[] {
  const rows: Cell[][] = [
    ...Object.entries(stats.losses).map(([name, n]): Cell[] => ["not carried over", cut(inWords(name), 120), n]),
    ...refused.map(({ reason, line }): Cell[] => [`refused, item ${line}`, cut(reason, 240), 1]),
  ];
  if (rows.length === 0) return [];
  return [
    {
      show: "table",
      heading: "What the reading left out",
      place: "lost",
      caption: "What the format says and a trace has no place for, and items that were refused with why.",
      tier: "deterministic",
      columns: [{ name: "What" }, { name: "Which", kind: "wide" }, { name: "Times", kind: "number" }],
      rows,
      of: rows.length + Math.max(0, stats.refused - refused.length),
    },
  ];
}
