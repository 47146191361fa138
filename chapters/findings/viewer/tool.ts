import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { BundleRecord, type FidelityCounts } from "../../records/sandboxes/sandboxes.ts";
import { readWrongAnswers, type WrongAnswer } from "../../sandboxes/surfaces/read-wrong-answers.ts";
import { findSurface } from "../../sandboxes/surfaces/surfaces.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import { wrongRefusals } from "../pages/fidelity.ts";
import type { PageDoc, PageSection, Tone } from "../pages/page-doc.ts";
import { counted, cut, percent, shown } from "../pages/words.ts";
import { jsonDifferences } from "./align.ts";

type SidesSection = Extract<PageSection, { show: "sides" }>;
type BundleDoc = Doc<typeof BundleRecord>;

const LINE_CHARS = 300;
const DIFFERENCES = 60;

/** How a call was not answered as observed, in words. */
export const WRONG_WORDS: Readonly<Record<WrongAnswer["verdict"], string>> = {
  wrong_success: "a wrong success",
  different: "a wrong refusal",
  same_class: "a refusal of the same class, worded otherwise",
  same_shape: "a refusal of the same shape, worded otherwise",
  not_served: "not served",
};

/** A tool of a surface: how often its worlds answered as observed, and calls that were not, observed beside answered. Not found: 404. */
export async function toolPage(
  ctx: Ctx,
  surface: string,
  tool: string,
  /** Only wrong answers of this kind; all that are kept where none is named. */
  only?: WrongAnswer["verdict"],
): Promise<PageDoc> {
  const found = await findSurface(ctx, surface);
  const bundle = found.bundle === undefined ? undefined : await ctx.store.records.get(BundleRecord, found.bundle);
  const counts = Object.entries(bundle?.fidelity?.tools ?? {}).find(([name]) => name === tool)?.[1];
  if (bundle === undefined || (counts === undefined && !(await has(ctx, bundle, tool))))
    throw notFound("tool of this surface");
  return {
    v: 1,
    title: `${cut(tool, 80)} of ${found.name}`,
    made_at: ctx.now(),
    verdict: { ...verdictOf(counts), tier: bundle.fidelity?.tier ?? "deterministic" },
    ...((await inventedSurfaces(ctx, [found.id])) ? { invented: true } : {}),
    sections: [
      ...(counts === undefined ? [] : [outcomes(counts)]),
      ...(await takes(ctx, bundle, tool)),
      ...(counts === undefined ? [] : [await wrongCalls(ctx, bundle, tool, { counts, only })]),
    ],
  };
}

/** Its calls that were kept aside, by what became of each: the four together are all of them. */
function outcomes(counts: FidelityCounts): PageSection {
  const { calls, identical_volatile, wrong_success, not_served, recording } = counts;
  const wrong = wrongRefusals(counts);
  const fact = (name: string, n: number, how?: string) => ({
    ...{ name, value: `${n} of ${calls}`, tier: "deterministic" as const },
    ...(how === undefined ? {} : { how }),
  });
  return {
    show: "facts",
    facts: [
      fact("As observed", identical_volatile, `a plain recording: ${recording.identical_volatile}`),
      fact("Wrong successes", wrong_success),
      fact("Wrong refusals", wrong),
      fact("Not served", not_served),
    ],
  };
}

/** What the tool says of itself: what it is for, and its arguments. */
async function takes(ctx: Ctx, { id }: BundleDoc, tool: string): Promise<PageSection[]> {
  const found = (await loadBundle(ctx, id)).bundle.tools.find(({ name }) => name === tool);
  if (found === undefined) return [];
  const { properties = {}, required = [] } = found.inputSchema as {
    readonly properties?: Readonly<Record<string, { readonly type?: unknown; readonly description?: unknown }>>;
    readonly required?: readonly string[];
  };
  const names = Object.keys(properties);
  if (names.length === 0) return [];
  return [
    {
      show: "table",
      heading: "What it takes",
      caption: found.description === undefined ? "Its arguments." : cut(found.description, 400),
      tier: "deterministic",
      columns: [{ name: "Argument" }, { name: "Type" }, { name: "Needed" }, { name: "What it is", kind: "wide" }],
      rows: names.map((name) => {
        const { type, description } = properties[name] ?? {};
        return [
          cut(name, 80),
          typeof type === "string" ? type : "any",
          required.includes(name) ? "yes" : "no",
          typeof description === "string" ? cut(description, 300) : "",
        ];
      }),
    },
  ];
}

async function has(ctx: Ctx, { id }: BundleDoc, tool: string): Promise<boolean> {
  return (await loadBundle(ctx, id)).bundle.tools.some(({ name }) => name === tool);
}

function verdictOf(counts: FidelityCounts | undefined): { text: string; tone: Tone; how: string } {
  if (counts === undefined)
    return {
      text: "Not measured.",
      tone: "plain",
      how: "No call of it was kept aside from compiling, or a person has said how it behaves since.",
    };
  const right = counts.calls === 0 ? 0 : counts.identical_volatile / counts.calls;
  return {
    text: `Answered as observed: ${percent(right)} of ${counted(counts.calls, "call")}. Wrong successes: ${counts.wrong_success}; not served: ${counts.not_served}.`,
    tone: counts.wrong_success > 0 ? "warn" : "plain",
    how: "Replayed from traces not used to compile; up to generated ids and times.",
  };
}

/** What the list of a tool's wrong answers is headed by. */
export const WRONG_CALLS = "Calls that were not answered as observed";

async function wrongCalls(
  ctx: Ctx,
  bundle: BundleDoc,
  tool: string,
  { counts, only }: { readonly counts: FidelityCounts; readonly only: WrongAnswer["verdict"] | undefined },
): Promise<PageSection> {
  const heading = WRONG_CALLS;
  const text = (paragraph: string): PageSection => ({ show: "text", heading, paragraphs: [paragraph] });
  const kept = await readWrongAnswers(ctx, bundle, tool);
  if (kept === undefined)
    return text("They were not kept when this version was compiled: compile the system again to see them.");
  if (kept.length === 0) return text("Every call that was kept aside was answered as observed.");
  const fit = kept.filter(({ verdict }) => (only ?? verdict) === verdict);
  const all = counts.calls - counts.identical_volatile;
  const kinds = [...Map.groupBy(kept, ({ verdict }) => verdict)].map(
    ([kind, of]) => `${WRONG_WORDS[kind]}: ${of.length}`,
  );
  const stored =
    kept.length < all
      ? `${fit.length} of ${all} shown: a version keeps the first ${kept.length} of a tool when it is compiled, wrong successes before all`
      : `${fit.length} of ${all} shown`;
  const told = `${stored}. Of what is kept, ${kinds.join("; ")}.`;
  if (fit.length === 0) return text(`${told} None of them is ${only === undefined ? "here" : WRONG_WORDS[only]}.`);
  const generated = (await loadBundle(ctx, bundle.id)).bundle.behaviours[tool]?.volatile;
  const section = wrongSides(tool, fit, generated);
  return { ...section, heading, caption: `${told} ${section.caption}` };
}

/** Calls of a tool that a world did not answer as observed, observed beside answered; what is generated is no difference. */
export function wrongSides(
  tool: string,
  calls: readonly WrongAnswer[],
  generated: readonly string[] = [],
): SidesSection {
  return {
    show: "sides",
    caption: `The first ${counted(calls.length, "call")} of them, wrong successes before all: what was observed, and what the world answered.${generated.length === 0 ? "" : ` Generated, so not compared: ${generated.join(", ")}.`}`,
    tier: "deterministic",
    a: "observed",
    b: "answered",
    rows: calls.map((wrong) => row(tool, wrong, generated)),
  };
}

function row(
  tool: string,
  { verdict, answered, observed }: WrongAnswer,
  generated: readonly string[],
): SidesSection["rows"][number] {
  const what = WRONG_WORDS[verdict];
  const answer = verdict === "not_served" ? "nothing" : shown(answered, LINE_CHARS);
  // What was observed is read from its trace: it is gone where that was erased.
  if (observed === undefined)
    return { a: { title: "The trace is no longer stored." }, b: { title: answer }, what, differences: [] };
  const compared = verdict === "not_served" ? [] : jsonDifferences(observed.answer, answered);
  const differences = compared.filter(({ path }) => !generated.includes(path));
  return {
    a: {
      title: `${tool} ${shown(observed.args, LINE_CHARS)} → ${shown(observed.answer, LINE_CHARS)}`,
      badge: observed.answer_class,
      link: { page: "trace", id: `${observed.evidence}/${observed.trace}` },
    },
    b: { title: answer },
    what,
    differences: differences.slice(0, DIFFERENCES).map(({ path, ...values }) => ({
      path: path === "" ? "answer" : path,
      ...("a" in values ? { a: shown(values.a, LINE_CHARS) } : {}),
      ...("b" in values ? { b: shown(values.b, LINE_CHARS) } : {}),
    })),
  };
}
