import type { z } from "zod";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import type { Doc } from "../../record.ts";
import { Evidence } from "../../records/evidence/evidence.ts";
import { BundleRecord, type FidelityCounts } from "../../records/sandboxes/sandboxes.ts";
import { findSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import { listed } from "./listed.ts";
import type { Cell, PageDoc, PageLink, PageSection } from "./page-doc.ts";
import { counted, cut, minuteOf, percent } from "./words.ts";

/** Tools in the plot; the table has all of them up to `LISTED`. */
const PLOTTED = 40;
const LISTED = 200;

type BundleDoc = Doc<typeof BundleRecord>;
type Fidelity = NonNullable<z.infer<typeof BundleRecord.schema>["fidelity"]>;

/** What became of a call, told once for every page: with those answered as observed, the three are all calls. */
export const OUTCOMES =
  "A wrong success answers where the real system refused or answered otherwise; a wrong refusal refuses where it answered, or in other words; a call is not served where the world says that it cannot answer.";

/** How the worlds of a surface's served version answer, tool by tool, beside a plain recording. Not found: 404. */
export async function fidelityPage(ctx: Ctx, surface: string): Promise<PageDoc> {
  const found = await findSurface(ctx, surface);
  const bundle = found.bundle === undefined ? undefined : await ctx.store.records.get(BundleRecord, found.bundle);
  const fidelity = bundle?.fidelity;
  return {
    v: 1,
    title: `Fidelity of ${found.name}`,
    made_at: ctx.now(),
    verdict: verdictOf(fidelity, bundle),
    ...((await inventedSurfaces(ctx, [found.id])) ? { invented: true } : {}),
    sections: [
      ...(fidelity === undefined ? [] : [perTool(fidelity), table(fidelity, found.id), measures(fidelity)]),
      ...(bundle === undefined ? [] : await unmeasured(ctx, bundle, found.id)),
      ...(bundle ? await bundleFacts(ctx, bundle) : []),
    ],
  };
}

/** The share of calls answered as observed, generated ids and times apart. */
function share({ identical_volatile, calls }: Pick<FidelityCounts, "identical_volatile" | "calls">): number {
  return calls === 0 ? 0 : identical_volatile / calls;
}

function recorded({ recording, calls }: FidelityCounts): number {
  return calls === 0 ? 0 : recording.identical_volatile / calls;
}

function verdictOf(fidelity: Fidelity | undefined, bundle: BundleDoc | undefined): PageDoc["verdict"] {
  if (fidelity === undefined)
    return {
      text:
        bundle === undefined
          ? "Nothing is served yet: no version has been compiled."
          : bundle.declared === undefined
            ? "Not measured: no observed calls were left to measure against."
            : "Not measured: a person has said how it behaves since it was compiled.",
      tone: "plain",
      tier: "deterministic",
      how: "Fidelity is measured on traces that were not used to compile.",
    };
  const { all, traces, tier } = fidelity;
  return {
    text: `Answers as observed: ${percent(share(all))} of ${counted(all.calls, "call")}; a plain recording: ${percent(recorded(all))}. Wrong successes: ${all.wrong_success}.`,
    tone: all.wrong_success > 0 ? "warn" : share(all) > recorded(all) ? "good" : "plain",
    tier,
    how: `Replayed in order from ${counted(traces, "trace")} not used to compile; up to generated ids and times.`,
  };
}

/** Tools that no measurement is of: what they do can be looked at and declared all the same. */
async function unmeasured(ctx: Ctx, { id, fidelity, tools }: BundleDoc, surface: string): Promise<PageSection[]> {
  const measured = new Set(Object.keys(fidelity?.tools ?? {}));
  if (measured.size >= tools) return [];
  const { bundle } = await loadBundle(ctx, id);
  const names = bundle.tools.flatMap(({ name }) => (measured.has(name) ? [] : [name]));
  return [
    {
      show: "table",
      heading: "Tools without a measurement",
      caption: "No call that was kept aside says how they answer; each opens, and can be declared there.",
      tier: "deterministic",
      columns: [{ name: "Tool" }],
      rows: names
        .slice(0, LISTED)
        .map((name): Cell[] => [{ text: cut(name, 80), link: { page: "tool", id: surface, against: name } }]),
      of: names.length,
    },
  ];
}

function perTool({ tools, tier }: Fidelity): PageSection {
  const rows = Object.entries(tools).sort(([, x], [, y]) => y.calls - x.calls);
  return {
    show: "pairs",
    heading: "Tool by tool",
    caption: `Share of calls answered as observed, up to generated ids and times, the most called first${rows.length > PLOTTED ? ` (the first ${PLOTTED} of ${rows.length})` : ""}.`,
    tier,
    before: "plain recording",
    after: "this world",
    tasks: rows.slice(0, PLOTTED).map(([tool, counts]) => ({
      name: `${cut(tool, 60)} (n ${counts.calls})`,
      before: recorded(counts),
      after: share(counts),
    })),
  };
}

/** Calls that were refused where the system answered or worded its refusal otherwise: all that nothing else became of. */
export function wrongRefusals({ calls, identical_volatile, wrong_success, not_served }: FidelityCounts): number {
  return calls - identical_volatile - wrong_success - not_served;
}

/** How many calls of a tool were answered otherwise: its page shows them. */
function count(n: number, link?: PageLink, tone?: "bad"): Cell {
  return n === 0
    ? 0
    : { text: String(n), ...(tone === undefined ? {} : { tone }), ...(link === undefined ? {} : { link }) };
}

/** The tool of a measurement that most calls were answered otherwise of, and how many; undefined where none was. */
export function worstTool({ tools }: Fidelity): { readonly tool: string; readonly wrong: number } | undefined {
  const wrong = Object.entries(tools).map(([tool, { calls, identical_volatile }]) => ({
    tool,
    wrong: calls - identical_volatile,
  }));
  const [worst] = wrong.sort((x, y) => y.wrong - x.wrong);
  return worst === undefined || worst.wrong === 0 ? undefined : worst;
}

function table({ all, tools, tier }: Fidelity, surface: string): PageSection {
  const rows = Object.entries(tools).sort(([, x], [, y]) => y.calls - x.calls);
  const row = (name: Cell, of: FidelityCounts, link?: PageLink): Cell[] => [
    name,
    of.calls,
    of.identical_volatile,
    count(of.wrong_success, link, "bad"),
    count(wrongRefusals(of), link),
    count(of.not_served, link),
    of.recording.identical_volatile,
  ];
  return {
    show: "table",
    heading: "All tools",
    caption: `Calls by how they were answered; a tool opens what it answered otherwise. ${OUTCOMES}`,
    tier,
    columns: [
      { name: "Tool" },
      { name: "Calls", kind: "number" },
      { name: "As observed", kind: "number" },
      { name: "Wrong success", kind: "number" },
      { name: "Wrong refusal", kind: "number" },
      { name: "Not served", kind: "number" },
      { name: "A recording, as observed", kind: "number" },
    ],
    rows: [
      row("all", all),
      ...rows.slice(0, LISTED).map(([tool, of]) => {
        const link: PageLink = { page: "tool", id: surface, against: tool };
        return row({ text: cut(tool, 80), link }, of, link);
      }),
    ],
    of: rows.length + 1,
  };
}

/** Further ways to count the same calls, for who looks for them. */
function measures({ all, tools, tier }: Fidelity): PageSection {
  const rows = Object.entries(tools).sort(([, x], [, y]) => y.calls - x.calls);
  return {
    show: "table",
    heading: "Further measures",
    place: "measures",
    caption:
      "Identical: to the character, generated ids and times too. Same shape: the same fields. Same class: data, nothing found, or the same error. The floor is a calibrated table over task, earlier writes and question.",
    tier,
    columns: [
      { name: "Tool" },
      { name: "Identical", kind: "number" },
      { name: "Same shape", kind: "number" },
      { name: "Same class", kind: "number" },
      { name: "Floor", kind: "number" },
    ],
    ...listed([["all", all] as const, ...rows], ([tool, of]) => [
      cut(tool, 80),
      of.identical,
      of.same_shape,
      of.same_class,
      of.floor?.identical_volatile ?? "not measured",
    ]),
  };
}

async function bundleFacts(ctx: Ctx, bundle: Doc<typeof BundleRecord>): Promise<PageSection[]> {
  const { gaps, exceptions, tools, evidence, conflicts } = bundle;
  const records = new Map((await ctx.store.records.getMany(Evidence, evidence)).map((each) => [each.id, each]));
  return [
    {
      show: "facts",
      heading: "What the worlds are made of",
      facts: [
        {
          name: "Tools",
          value: tools,
          tier: "deterministic",
          how: `from ${counted(evidence.length, "evidence record")}`,
        },
        { name: "Recorded answers over behaviours", value: exceptions, tier: "deterministic" },
        { name: "Conflicting observations", value: conflicts, tier: "deterministic" },
        {
          name: "Tools that are never served",
          value: gaps.length,
          tier: "deterministic",
          how: "no behaviour was found for them; single calls of others may not be served either",
        },
      ],
    },
    ...(gaps.length === 0
      ? []
      : [
          {
            show: "table" as const,
            heading: "Tools that are never served",
            caption:
              "The evidence does not determine what they do: their calls are answered as not served, never made up.",
            tier: "deterministic" as const,
            columns: [
              { name: "Tool" },
              { name: "Why", kind: "wide" as const },
              { name: "Calls seen", kind: "number" as const },
            ],
            ...listed(gaps, (gap) => [cut(gap.tool, 80), cut(gap.reason, 300), gap.n]),
          },
        ]),
    {
      show: "table" as const,
      heading: "Evidence",
      caption: "The records that the worlds were compiled from; each opens its traces.",
      tier: "deterministic" as const,
      columns: [{ name: "Record" }, { name: "Traces", kind: "number" as const }, { name: "Sent (UTC)" }],
      ...listed(evidence, (id): Cell[] => {
        const record = records.get(id);
        return [
          { text: cut(record?.tag ?? record?.format ?? id, 80), link: { page: "evidence" as const, id } },
          record?.stats.traces ?? "",
          record === undefined ? "" : minuteOf(record.created_at),
        ];
      }),
    },
  ];
}
