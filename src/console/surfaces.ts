import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { fidelityPage } from "../../chapters/findings/pages/fidelity.ts";
import { ontologyPage } from "../../chapters/findings/pages/ontology.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf } from "../../chapters/findings/pages/words.ts";
import { currentRevision } from "../../chapters/ontology/revisions.ts";
import { sliceOf } from "../../chapters/page.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { table } from "../pages/html.ts";
import { CONSOLE } from "./frame.ts";
import { filterForm, filterText, pages, textOf } from "./lists/query.ts";
import { type ConsoleRoute, shows } from "./route.ts";
import type { View, Visit } from "./visit.ts";

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
  shows("/surfaces/:surface/fidelity", async ({ ctx, param }) => ({ doc: await fidelityPage(ctx, param("surface")) })),
];

const PLACE = "/surfaces";
/** Systems that are looked through for words. */
const LOOKED_AT = 500;

async function surfaces(visit: Visit): Promise<View> {
  const { surfaces: all } = await visit.call<Surfaces>("surfaces_list", { limit: LOOKED_AT });
  const words = (textOf(visit, "q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const says = ({ name, environments }: Surfaces["surfaces"][number]) => {
    const text = [name, ...environments.map(({ label }) => label)].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const fits = all.filter(says);
  const { items: rows, next } = sliceOf(fits, { cursor: visit.query.get("cursor") ?? undefined });
  const known = await Promise.all(
    rows.map(async (row) => ({
      ...row,
      ontology: (await currentRevision(visit.ctx, row.id)) !== undefined,
      sandboxes: await Promise.all(byName(row.environments).map((same) => sandboxCell(visit, same))),
    })),
  );
  const doc: PageDoc = { v: 1, title: "Systems", made_at: visit.ctx.now(), sections: [] };
  const lead = [
    all.length > 0 && filterForm(PLACE, visit, filterText(visit, "q", "Words")),
    rows.length === 0
      ? html`<p>${all.length === 0 ? "No system is known yet: send evidence of how your agents are used." : "No system fits."}</p>`
      : table(
          "Every system whose fake worlds agents are tried in. Sandboxes of one name stand together, the newest first.",
          [{ name: "System" }, { name: "Known" }, { name: "Sandboxes", wide: true }],
          known.map(({ id, name, bundle, ontology, sandboxes }) => {
            const place = `${CONSOLE}/surfaces/${encodeURIComponent(id)}`;
            return [
              cut(name, 80),
              bundle === undefined
                ? "not compiled"
                : html`<a href="${place}/fidelity">fidelity</a>${ontology && html`, <a href="${place}/ontology">ontology</a>`}`,
              sandboxes.length === 0 ? "none" : html`<ul class="plain">${sandboxes}</ul>`,
            ];
          }),
        ),
    pages(PLACE, visit, next),
  ];
  return { doc, lead };
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
