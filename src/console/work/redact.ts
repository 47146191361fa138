import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badField } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut } from "../../../chapters/findings/pages/words.ts";
import { isRedacted, PostInput, reportPage } from "../../../chapters/findings/reports/reports.ts";
import { textParts } from "../../../chapters/findings/viewer/align.ts";
import { table } from "../../pages/html.ts";
import { hidden, postForm } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";

const PLACE = "/reports/preview";
/** What a report is made of, as its forms and addresses name it. */
const FIELDS = ["kind", "id", "against", "title", "markdown"] as const;
type ReportFields = Partial<Record<(typeof FIELDS)[number], string | null | undefined>>;
/** Texts that are shown as they are beside what the report says; all of them stand in the page below. */
const SHOWN = 40;
const CHARS = 300;

/** What a report would show and what would be taken out of it, before it is made. */
export const redactPages: readonly ConsoleRoute[] = [shows(PLACE, (visit) => previewed(visit, visit.query))];

/** The address of a preview. */
export function previewPath(asked: ReportFields): string {
  const told = Object.entries(asked).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `${CONSOLE}${PLACE}?${new URLSearchParams(told)}`;
}

/** The way to a report that was made of a page once more, of the page as it is now, with what identifies people taken out. */
export function againRedacted(view: {
  readonly kind: string;
  readonly source: string | null;
  readonly against?: string | undefined;
  readonly page: PageDoc;
}): ComponentChild {
  const { kind, source: id, against, page } = view;
  if (id === null || kind === "weekly" || isRedacted(page)) return null;
  return html`<p><a href=${previewPath({ kind, id, against })}>Redact it: make one without names, addresses and ids</a></p>`;
}

/** A report as it would be, with each text that it tells otherwise than the console does, and the forms that make it. */
export async function previewed(visit: Visit, of: URLSearchParams): Promise<View> {
  const fields = Object.fromEntries(FIELDS.flatMap((name) => (of.get(name) ? [[name, of.get(name)]] : [])));
  const { success, data } = PostInput.safeParse({ ...fields, orgtag: visit.org.tag });
  // A link must not put words of its own before a member: those come by a form.
  if (!success || (data.kind === "written" && of !== visit.form))
    throw badField("kind", "names no report; open this page from the page that you want to keep");
  const [page, whole] = await Promise.all([
    reportPage(visit.ctx, data),
    reportPage(visit.ctx, { ...data, redact: false }),
  ]);
  const changed = differing(whole, page);
  const carried = Object.entries(fields).map(([name, value]) => hidden(name, String(value)));
  const place = data.kind === "written" ? "/reports" : "/freeze";
  const lead = html`
    <section aria-label="What is taken out">
      <p class="verdict is-${changed.length === 0 ? "plain" : "warn"}">
        ${
          changed.length === 0
            ? "Nothing is taken out: no text here was found to identify anybody."
            : `${counted(changed.length, "text")} ${changed.length === 1 ? "changes" : "change"} in the report.`
        }
      </p>
      <p class="soft">Nothing is kept yet. Below is the report as its readers would see it: read it, for no rule finds every name.</p>
      ${postForm(visit, place, "Make the redacted report", carried, { name: "Make the redacted report" })}
      ${changed.length > 0 && postForm(visit, place, "Make it with names, addresses and ids", [...carried, hidden("whole", "yes")], { plain: true })}
      ${changed.length > 0 && html`<details open=${changed.length <= SHOWN}><summary>What is taken out</summary>${changesTable(changed)}</details>`}
    </section>
  `;
  return { doc: { ...page, title: `Preview: ${page.title}` }, lead };
}

function changesTable(changed: readonly TextChange[]): ComponentChild {
  return table(
    changed.length > SHOWN ? `The first ${SHOWN} of ${changed.length} texts.` : "Each text that differs, once.",
    [
      { name: "Here", wide: true },
      { name: "In the report", wide: true },
    ],
    changed.slice(0, SHOWN).map(({ here, there }) => {
      const parts = textParts(cut(here, CHARS), cut(there, CHARS));
      return [
        parts.map(({ text, only }) => (only === "a" ? html`<del>${text}</del>` : only === undefined && text)),
        parts.map(({ text, only }) => (only === "b" ? html`<ins>${text}</ins>` : only === undefined && text)),
      ];
    }),
  );
}

interface TextChange {
  readonly here: string;
  readonly there: string;
}

/** The texts of two pages of one form that differ, each pair once. */
function differing(whole: PageDoc, redacted: PageDoc): TextChange[] {
  const found = new Map<string, TextChange>();
  const walk = (here: unknown, there: unknown): void => {
    if (typeof here === "string" && typeof there === "string") {
      const [x, y] = [here.split("\n"), there.split("\n")];
      if (x.length > 1 && x.length === y.length) walk(x, y);
      else if (here !== there) found.set(`${here}\n${there}`, { here, there });
    } else if (typeof here === "object" && here !== null && typeof there === "object" && there !== null)
      for (const [name, value] of Object.entries(here)) walk(value, (there as Record<string, unknown>)[name]);
  };
  walk({ title: whole.title, sections: whole.sections }, { title: redacted.title, sections: redacted.sections });
  // A plot tells the beginnings of texts that a table tells whole.
  const all = [...found.values()];
  return all.filter(({ here }) => !(here.endsWith("…") && all.some((one) => isBeginning(here, one.here))));
}

function isBeginning(cutText: string, of: string): boolean {
  return cutText !== of && of.startsWith(cutText.slice(0, -1));
}
