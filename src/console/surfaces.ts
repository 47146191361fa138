import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { fidelityPage, OUTCOMES, worstTool } from "../../chapters/findings/pages/fidelity.ts";
import { ontologyPage } from "../../chapters/findings/pages/ontology.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf, percent } from "../../chapters/findings/pages/words.ts";
import { currentRevision } from "../../chapters/ontology/revisions.ts";
import { sliceOf } from "../../chapters/page.ts";
import type { Doc } from "../../chapters/record.ts";
import { BundleRecord, TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { findSurface } from "../../chapters/sandboxes/surfaces/surfaces.ts";
import { table } from "../pages/html.ts";
import { CONSOLE, pathOf } from "./frame.ts";
import { filterForm, filterText, type ListOrder, orderChoice, orderOf, pages, textOf } from "./lists/query.ts";
import { type ConsoleRoute, shows } from "./route.ts";
import type { View, Visit } from "./visit.ts";
import { firstEvidence } from "./work/send.ts";

interface Surfaces {
  readonly surfaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly bundle?: string;
    readonly environments: readonly {
      readonly id: string;
      readonly label: string;
      readonly tasks: number;
      readonly created_at: number;
    }[];
  }[];
}

/** The systems that agents talk to, as they are known. */
export const surfacePages: readonly ConsoleRoute[] = [
  shows("/surfaces", surfaces),
  shows("/surfaces/:surface/ontology", async ({ ctx, param }) => {
    const place = `${CONSOLE}/surfaces/${encodeURIComponent(param("surface"))}`;
    const lead = html`<p class="ways"><a href="${place}/fidelity">How its worlds answer</a> <a href="${CONSOLE}/coverage">What its tasks cover</a></p>`;
    return { doc: await ontologyPage(ctx, param("surface")), lead };
  }),
  shows("/surfaces/:surface/fidelity", async ({ ctx, param }) => {
    const doc = await fidelityPage(ctx, param("surface"));
    const { bundle } = await findSurface(ctx, param("surface"));
    const measured = bundle === undefined ? undefined : await ctx.store.records.get(BundleRecord, bundle);
    const place = `${CONSOLE}/surfaces/${encodeURIComponent(param("surface"))}`;
    const lead = html`<p class="ways">${worstLink(measured, place, "Answered otherwise most: ")} <a href="${place}/ontology">What its tools read and write</a> <a href="${CONSOLE}/trends">How versions of it answered</a></p>`;
    return { doc, lead };
  }),
];

const PLACE = "/surfaces";
/** Systems among which words are worth looking for. */
const FEW = 5;
/** Systems that are looked through for words. */
const LOOKED_AT = 500;

/** A system with the world that its agents are tried in, where one is compiled. */
interface Known {
  readonly name: string;
  readonly world: Bundle | undefined;
}
const observedOf = ({ world }: Known): number => {
  const all = world?.fidelity?.all;
  return all === undefined || all.calls === 0 ? Number.POSITIVE_INFINITY : all.identical_volatile / all.calls;
};
const ORDERS = {
  newest: { text: "as they were made, the newest first", by: () => 0 },
  observed: {
    text: "answers least as observed first",
    by: (a, b) => (observedOf(a) === observedOf(b) ? 0 : observedOf(a) - observedOf(b)),
  },
  wrong: {
    text: "most wrong successes first",
    by: (a, b) => (b.world?.fidelity?.all.wrong_success ?? -1) - (a.world?.fidelity?.all.wrong_success ?? -1),
  },
  name: { text: "by name", by: (a, b) => a.name.localeCompare(b.name, "en") },
} satisfies Record<string, ListOrder<Known>>;

async function surfaces(visit: Visit): Promise<View> {
  const { surfaces: all } = await visit.call<Surfaces>("surfaces_list", { limit: LOOKED_AT });
  const words = (textOf(visit, "q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const says = ({ name, environments }: Surfaces["surfaces"][number]) => {
    const text = [name, ...environments.map(({ label }) => label)].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = all.filter(says);
  const worlds = await visit.ctx.store.records.getMany(
    BundleRecord,
    found.flatMap(({ bundle }) => bundle ?? []),
  );
  const bundles = new Map(worlds.map((each) => [each.id, each]));
  const fits = found
    .map((row) => ({ ...row, world: bundles.get(row.bundle ?? "") }))
    .sort(orderOf<Known>(visit, ORDERS).by);
  const { items: rows, next } = sliceOf(fits, { cursor: visit.query.get("cursor") ?? undefined });
  const known = await Promise.all(
    rows.map(async (row) => ({
      ...row,
      ontology: (await currentRevision(visit.ctx, row.id)) !== undefined,
      sandboxes: await Promise.all(byName(row.environments).map((same) => sandboxCell(visit, same))),
    })),
  );
  const told =
    rows.length === 0
      ? {}
      : {
          verdict: verdictOf(
            rows.flatMap(({ bundle }) => bundles.get(bundle ?? "") ?? []),
            rows.length,
          ),
        };
  const doc: PageDoc = { v: 1, title: "Systems", made_at: visit.ctx.now(), ...told, sections: [] };
  const lead = [
    rows.length > 0 &&
      html`<p class="ways"><a href="${CONSOLE}/traces">Traces that they are compiled of</a> <a href="${CONSOLE}/coverage">What their tasks cover</a></p>`,
    all.length > 1 &&
      filterForm(PLACE, visit, [all.length > FEW && filterText(visit, "q", "Words"), orderChoice(visit, ORDERS)]),
    rows.length === 0
      ? html`<p>${all.length === 0 ? "No system is known yet: one is made of evidence." : "No system fits."}</p>`
      : table(
          "Every system whose fake worlds agents are tried in. Sandboxes of one name stand together, the newest first.",
          [
            { name: "System" },
            { name: "Answers as observed", n: true },
            { name: "Wrong successes", n: true },
            { name: "Answered otherwise most" },
            { name: "Ontology" },
            { name: "Sandboxes", wide: true },
            { name: "Compiled (UTC)" },
          ],
          known.map(({ id, name, bundle, ontology, sandboxes }) => {
            const place = `${CONSOLE}/surfaces/${encodeURIComponent(id)}`;
            return [
              bundle === undefined ? cut(name, 80) : html`<a href="${place}/fidelity">${cut(name, 80)}</a>`,
              bundle === undefined
                ? "not compiled"
                : html`<a href="${place}/fidelity">${asObserved(bundles.get(bundle))}</a>`,
              wrongCell(bundles.get(bundle ?? ""), place),
              worstLink(bundles.get(bundle ?? ""), place),
              ontology ? html`<a href="${place}/ontology">what its tools read and write</a>` : "",
              sandboxes.length === 0 ? "none" : html`<ul class="plain">${sandboxes}</ul>`,
              compiledCell(bundles.get(bundle ?? "")),
            ];
          }),
        ),
    pages(PLACE, visit, next),
    await firstEvidence(visit),
  ];
  return { doc, lead };
}

type Bundle = Doc<typeof BundleRecord>;

function asObserved(bundle: Bundle | undefined): string {
  const all = bundle?.fidelity?.all;
  return all === undefined || all.calls === 0
    ? "not measured"
    : `${percent(all.identical_volatile / all.calls)} of ${counted(all.calls, "call")}`;
}

function wrongCell(bundle: Bundle | undefined, place: string): ComponentChild {
  const wrong = bundle?.fidelity?.all.wrong_success;
  return wrong === undefined ? "" : html`<a href="${place}/fidelity">${wrong}</a>`;
}

/** The tool that most calls were answered otherwise of: where declaring a behaviour helps most. */
function worstLink(bundle: Bundle | undefined, place: string, what = ""): ComponentChild {
  const worst = bundle?.fidelity && worstTool(bundle.fidelity);
  if (!worst) return "";
  return html`<a href="${place}/tools/${encodeURIComponent(worst.tool)}">${what}${cut(worst.tool, 60)}: ${counted(worst.wrong, "call")}</a>`;
}

/** When what is served was compiled, and of how many records of evidence, of which the newest opens. */
function compiledCell(bundle: Bundle | undefined): ComponentChild {
  if (bundle === undefined) return "";
  const newest = bundle.evidence.at(-1);
  const from = counted(bundle.evidence.length, "record");
  const way = newest === undefined ? "" : html`, of <a href=${pathOf({ page: "evidence", id: newest })}>${from}</a>`;
  return html`<span class="t">${minuteOf(bundle.created_at)}</span>${way}`;
}

/** How many calls that were kept aside the worlds of all systems answer as observed. */
function verdictOf(bundles: readonly Bundle[], systems: number): NonNullable<PageDoc["verdict"]> {
  const measured = bundles.flatMap(({ fidelity }) =>
    fidelity === undefined || fidelity.all.calls === 0 ? [] : [fidelity.all],
  );
  const sum = (of: (all: (typeof measured)[number]) => number) => measured.reduce((total, all) => total + of(all), 0);
  const wrong = sum(({ wrong_success }) => wrong_success);
  const answers =
    measured.length === 0
      ? "how its worlds answer was not measured"
      : `${percent(sum((all) => all.identical_volatile) / sum(({ calls }) => calls))} of ${counted(
          sum(({ calls }) => calls),
          "kept-aside call",
        )} answered as observed, ${counted(wrong, "wrong success", "wrong successes")}`;
  return {
    text: `${counted(systems, "system")}: ${answers}.`,
    tone: wrong > 0 ? "warn" : "plain",
    tier: "deterministic",
    how: `Kept-aside calls are of sessions that a world was not compiled from. ${OUTCOMES}`,
  };
}

type Sandboxes = Surfaces["surfaces"][number]["environments"];

/** Sandboxes of one name together, each name's newest first. */
function byName(environments: Sandboxes): Sandboxes[] {
  const newestFirst = [...environments].sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
  return [...Map.groupBy(newestFirst, ({ label }) => label).values()];
}

async function sandboxCell(visit: Visit, [newest, ...older]: Sandboxes): Promise<ComponentChild> {
  if (newest === undefined) return null;
  const certified = await visit.ctx.store.records.count(TaskRecord, { environment: newest.id, status: "certified" });
  const link = ({ id }: { readonly id: string }, text: string) =>
    html`<a href="${CONSOLE}/sandboxes/${encodeURIComponent(id)}">${text}</a>`;
  const told =
    newest.tasks === 0
      ? html` <span class="badge warn">no task</span>`
      : html` <span class="soft">${certified} of ${newest.tasks} tasks certified</span>`;
  return html`
    <li>
      ${link(newest, cut(newest.label, 80))}${told}
      ${
        older.length > 0 &&
        html`
          <details>
            <summary>${counted(older.length, "older one")} of this name</summary>
            <ul>${older.map((each) => html`<li>${link(each, `${minuteOf(each.created_at)} UTC`)}, ${counted(each.tasks, "task")}</li>`)}</ul>
          </details>
        `
      }
    </li>
  `;
}
