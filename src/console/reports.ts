import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import type { z } from "zod";
import type { PageDoc, PageLink } from "../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, minuteOf } from "../../chapters/findings/pages/words.ts";
import type { ReportRow, ReportView } from "../../chapters/findings/reports/reports.ts";
import { allRows, sliceOf } from "../../chapters/page.ts";
import { ReportKind } from "../../chapters/records/findings/report.ts";
import { table } from "../pages/html.ts";
import { renderPage } from "../pages/render.ts";
import { redactBy, whole } from "./findings.ts";
import { block, folded, hidden, longField, postForm, shownOnce, textField, tick } from "./forms.ts";
import { CONSOLE, pathOf } from "./frame.ts";
import {
  atStart,
  filterChoice,
  filterForm,
  filterText,
  type ListOrder,
  older,
  oneOf,
  orderChoice,
  orderOf,
  pages,
  textOf,
} from "./lists/query.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { field, needed, type Visit } from "./visit.ts";
import { againRedacted, previewed, redactPages } from "./work/redact.ts";

type View = z.infer<typeof ReportView>;
interface Reports {
  readonly reports: readonly z.infer<typeof ReportRow>[];
  readonly retired_count: number;
  readonly next?: string;
}

/** Reports, and whether a link shows each to others. */
export const reportPages: readonly ConsoleRoute[] = [
  shows("/reports", reports),
  // Before the reports themselves: its address is among theirs.
  ...redactPages,
  shows("/reports/:id", async (visit) => {
    const view = await visit.call<View>("reports_get", { report_id: visit.param("id") });
    return { doc: view.page, lead: ways(view), forms: sharing(visit, view) };
  }),
  shows("/reports/:id/file", async (visit) => {
    const { page, org, share } = await visit.call<View>("reports_get", { report_id: visit.param("id") });
    const name = `report-${visit.param("id")}`;
    if (visit.query.get("as") === "json")
      return {
        file: { name: `${name}.json`, type: "application/json", content: `${JSON.stringify(page, null, 2)}\n` },
      };
    return {
      file: {
        name: `${name}.html`,
        type: "text/html; charset=utf-8",
        content: await renderPage(page, share.named ? { owner: org } : {}),
      },
    };
  }),
  does("/reports", async (visit) => {
    if (field(visit, "look") === "yes") return previewed(visit, visit.form);
    const words = { title: needed(visit, "title"), markdown: needed(visit, "markdown"), ...redactBy(visit) };
    const made = await visit.call<View>("reports_post", { kind: "written", ...words });
    return { to: `/console/reports/${made.id}` };
  }),
  does("/reports/:id/share", async (visit) => {
    const id = visit.param("id");
    const on = needed(visit, "on") === "yes";
    const named = field(visit, "named") === "yes";
    const view = await visit.call<View & { link: string | null }>("reports_share", {
      report_id: id,
      on,
      ...(on ? { named } : {}),
    });
    if (view.link === null)
      return { to: field(visit, "back") === "list" ? "/console/reports" : `/console/reports/${id}` };
    return {
      // The link stands first: what the report shows is one step away.
      doc: { ...view.page, sections: [] },
      forms: [shownOnce("Whoever holds this link can read the report.", view.link), sharing(visit, view)],
    };
  }),
];

const ORDERS = {
  newest: { text: "newest first", by: (a, b) => older(b, a) },
  oldest: { text: "oldest first", by: older },
  opened: { text: "most opened first", by: (a, b) => b.opens - a.opens },
  title: { text: "by title", by: (a, b) => a.title.localeCompare(b.title, "en") },
} satisfies Record<string, ListOrder<Reports["reports"][number]>>;

async function reports(visit: Visit) {
  let retired = 0;
  const all = await allRows(async (page) => {
    const { reports: items, retired_count, next } = await visit.call<Reports>("reports_list", { ...page });
    retired = retired_count;
    return { items: [...items], ...(next === undefined ? {} : { next }) };
  });
  const words = (textOf(visit, "q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const kind = oneOf(visit, "kind", ReportKind.options);
  const link = oneOf(visit, "link", ["on", "off"]);
  const order = orderOf(visit, ORDERS);
  const fits = all.filter(
    (row) =>
      (kind ?? row.kind) === row.kind &&
      (link === undefined || (link === "on") === row.shared) &&
      words.every((word) => row.title.toLowerCase().includes(word)),
  );
  const { items: rows, next } = sliceOf(fits.sort(order.by), { cursor: visit.query.get("cursor") ?? undefined });
  const doc: PageDoc = {
    v: 1,
    title: "Reports",
    made_at: visit.ctx.now(),
    ...(rows.length === 0 || rows.length < all.length || next !== undefined || visit.query.has("cursor")
      ? {}
      : { verdict: verdictOf(rows) }),
    sections: [],
  };
  const list =
    rows.length === 0
      ? html`<p>${all.length > 0 ? "None fits. Take a filter away." : "No report has been made yet. The pages of a run, a comparison and a sandbox are kept as one at their foot."}</p>`
      : table(
          `${atStart(order.text)}${retired === 0 ? "" : `; ${retired} of what is retired are left out`}. A title opens the report, with its link and its files.`,
          [
            { name: "Title", wide: true },
            { name: "Link" },
            { name: "Opened", n: true },
            { name: "Kind" },
            { name: "Made (UTC)" },
            { name: "By" },
          ],
          rows.map((row) => [
            html`<a href=${pathOf({ page: "report", id: row.id })}>${cut(row.title, 160)}</a>`,
            row.shared ? linkOff(visit, row, "list") : "off",
            row.opens,
            inWords(row.kind),
            minuteOf(row.created_at),
            cut(row.made_by, 40),
          ]),
        );
  const write = postForm(visit, "/reports", "Make the report", [
    hidden("kind", "written"),
    textField("title", "Title", { required: true }),
    longField("markdown", "What it says, as Markdown"),
    whole(),
    html`<button type="submit" name="look" value="yes" class="plain">See it first</button>${" "}`,
  ]);
  const filter =
    all.length > 1 &&
    filterForm("/reports", visit, [
      filterText(visit, "q", "Title"),
      filterChoice(visit, "kind", "Kind", [
        { value: "", text: "any" },
        ...ReportKind.options.map((value) => ({ value, text: inWords(value) })),
      ]),
      filterChoice(visit, "link", "Link", [
        { value: "", text: "on or off" },
        { value: "on", text: "on" },
        { value: "off", text: "off" },
      ]),
      orderChoice(visit, ORDERS),
    ]);
  return { doc, lead: [filter, list], forms: [pages("/reports", visit, next), folded("Write one", write)] };
}

function verdictOf(rows: Reports["reports"]): NonNullable<PageDoc["verdict"]> {
  const open = rows.filter(({ shared }) => shared).length;
  return {
    text: `${counted(rows.length, "report")}; ${open === 0 ? "none" : open} can be read by whoever has the link.`,
    tone: open === 0 ? "plain" : "warn",
    tier: "deterministic",
    how: "A report stays as it was when it was made.",
  };
}

/** The files of a report, what it was made of, and where its link is turned on and off. */
function ways({ id, kind, source, against, share }: View): ComponentChildren {
  const file = (as: string) => `${CONSOLE}/reports/${encodeURIComponent(id)}/file?as=${as}`;
  const of = source === null ? undefined : originOf(kind, source, against);
  return html`
    <p class="ways">
      <a href=${file("html")}>Download as a web page</a> <a href=${file("json")}>Download as JSON</a>
      ${of !== undefined && html` <a href=${pathOf(of)}>What it was made of</a>`}
      ${" "}<a href="#sharing">${share.on ? "Its link is on: whoever holds it can read this" : "Share it by a link"}</a>
    </p>
  `;
}

/** The page that a report froze. */
function originOf(kind: View["kind"], id: string, against: string | undefined): PageLink | undefined {
  if (kind === "comparison" && against !== undefined) return { page: "compare", id: against, against: id };
  if (kind === "run_group") return { page: "group", id };
  if (kind === "packet") return { page: "packet", id };
  return kind === "provider_comparison" ? { page: "provider", id } : undefined;
}

/** The form that turns a report's link off, and where it leads back to. */
function linkOff(visit: Visit, { id, title }: Pick<View, "id" | "title">, back: "list" | "report"): ComponentChild {
  return postForm(
    visit,
    `/reports/${encodeURIComponent(id)}/share`,
    "Turn the link off",
    [hidden("on", "no"), hidden("back", back)],
    {
      removes: "Whoever has the link cannot open the report any more. Turning it on makes another link.",
      name: `Turn the link of ${cut(title, 80)} off`,
    },
  );
}

function sharing(visit: Visit, view: View): ComponentChildren {
  const { id, share, opens, made_by, created_at } = view;
  const place = `/reports/${encodeURIComponent(id)}/share`;
  const named = tick("named", "Say on the page whose report it is", share.named);
  return block(
    "Sharing",
    html`
      <p id="sharing">Made by ${made_by} on ${minuteOf(created_at)} UTC. Its link was opened ${opens} ${opens === 1 ? "time" : "times"}.</p>
      ${againRedacted(view)}
    `,
    ...(share.on
      ? [
          html`<p>The link is on: whoever holds it reads this report without signing in.</p>`,
          linkOff(visit, view, "report"),
          postForm(visit, place, "Change what the page says", [hidden("on", "yes"), named], { plain: true }),
        ]
      : [
          html`<p>The link is off. Turning it on makes a new link; an older one never answers again.</p>`,
          postForm(visit, place, "Turn the link on", [hidden("on", "yes"), named]),
        ]),
  );
}
