import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import type { z } from "zod";
import type { Cell, PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, minuteOf } from "../../chapters/findings/pages/words.ts";
import type { ReportRow, ReportView } from "../../chapters/findings/reports/reports.ts";
import { pageOf, redactBy, whole } from "./findings.ts";
import { block, folded, hidden, longField, postForm, shownOnce, textField, tick } from "./forms.ts";
import { filterChoice, filterForm, filterText, pages, textOf } from "./lists/query.ts";
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
    return { doc: view.page, forms: sharing(visit, view) };
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
    if (view.link === null) return { to: `/console/reports/${id}` };
    return {
      // The link stands first: what the report shows is one step away.
      doc: { ...view.page, sections: [] },
      forms: [shownOnce("Whoever holds this link can read the report.", view.link), sharing(visit, view)],
    };
  }),
];

async function reports(visit: Visit) {
  const { reports: all, retired_count, next } = await visit.call<Reports>("reports_list", pageOf(visit));
  const words = (textOf(visit, "q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const kind = textOf(visit, "kind", 40);
  const rows = all.filter(
    (row) => (kind ?? row.kind) === row.kind && words.every((word) => row.title.toLowerCase().includes(word)),
  );
  const kinds = [...new Set(all.map((row) => row.kind))].sort();
  const doc: PageDoc = {
    v: 1,
    title: "Reports",
    made_at: visit.ctx.now(),
    ...(rows.length === 0 || rows.length < all.length || next !== undefined || visit.query.has("cursor")
      ? {}
      : { verdict: verdictOf(rows) }),
    sections: [
      rows.length === 0
        ? {
            show: "text",
            paragraphs: [
              all.length > 0
                ? "None on this page fits. Take a filter away."
                : "No report has been made yet. The pages of a run, a comparison and a sandbox are kept as one at their foot.",
            ],
          }
        : {
            show: "table",
            caption: `Newest first${retired_count === 0 ? "" : `; ${retired_count} of what is retired are left out`}.`,
            tier: "deterministic",
            columns: [
              { name: "Title", kind: "wide" },
              { name: "Link" },
              { name: "Kind" },
              { name: "Made (UTC)" },
              { name: "By" },
              { name: "Opened", kind: "number" },
            ],
            rows: rows.map((row): Cell[] => [
              { text: cut(row.title, 160), link: { page: "report", id: row.id } },
              row.shared ? { text: "on", tone: "warn" } : "off",
              row.kind.replaceAll("_", " "),
              minuteOf(row.created_at),
              cut(row.made_by, 40),
              row.opens,
            ]),
          },
    ],
  };
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
        ...kinds.map((value) => ({ value, text: inWords(value) })),
      ]),
    ]);
  return { doc, lead: filter, forms: [pages("/reports", visit, next), folded("Write one", write)] };
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

function sharing(visit: Visit, view: View): ComponentChildren {
  const { id, share, opens, made_by, created_at } = view;
  const place = `/reports/${encodeURIComponent(id)}/share`;
  const named = tick("named", "Say on the page whose report it is", share.named);
  return block(
    "Sharing",
    html`
      <p>Made by ${made_by} on ${minuteOf(created_at)} UTC. Its link was opened ${opens} ${opens === 1 ? "time" : "times"}.</p>
      ${againRedacted(view)}
    `,
    ...(share.on
      ? [
          html`<p>The link is on: whoever holds it reads this report without signing in.</p>`,
          postForm(visit, place, "Turn the link off", hidden("on", "no"), {
            removes: "Whoever has the link cannot open the report any more. Turning it on makes another link.",
          }),
          postForm(visit, place, "Change what the page says", [hidden("on", "yes"), named], { plain: true }),
        ]
      : [
          html`<p>The link is off. Turning it on makes a new link; an older one never answers again.</p>`,
          postForm(visit, place, "Turn the link on", [hidden("on", "yes"), named]),
        ]),
  );
}
