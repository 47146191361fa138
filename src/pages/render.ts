import MarkdownIt from "markdown-it";
import { type ComponentChild, type ComponentChildren, h } from "preact";
import type { Cell, PageDoc, PageLink, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import type { Tier } from "../../chapters/tier.ts";
import { figure } from "./figure.ts";
import { heatTable } from "./heat.ts";
import { breakable, page, table } from "./html.ts";

/** Where a page is shown: which links it may have, and what stands around it. */
export interface Frame {
  /** The address of another page; undefined where this one's readers cannot open it. */
  readonly link?: (to: PageLink) => string | undefined;
  readonly navigation?: ComponentChild;
  /** Below the sections: the host's own forms. */
  readonly acts?: ComponentChildren;
  /** Whose page it is. */
  readonly owner?: string | undefined;
}

/** A page document as a whole HTML page. All of its texts are escaped; Markdown is rendered without HTML, links and images. */
export async function renderPage(doc: PageDoc, frame: Frame = {}): Promise<string> {
  const sections = await Promise.all(doc.sections.map((section) => rendered(section, frame)));
  const made = new Date(doc.made_at * 1000).toISOString().slice(0, 16).replace("T", " ");
  const { verdict } = doc;
  return page(
    doc.title,
    [
      h("h1", null, doc.title),
      doc.invented === true
        ? h("p", { class: "invented" }, "This is made-up data: an example, not a measurement.")
        : null,
      verdict === undefined
        ? null
        : [
            h("p", { class: `verdict is-${verdict.tone}` }, verdict.text),
            h("p", { class: "tier" }, `${verdict.how} ${tierWords(verdict.tier)}`),
          ],
      ...sections,
      frame.acts,
      h("footer", null, `${frame.owner === undefined ? "Made" : `${frame.owner}, made`} ${made} UTC.`),
    ],
    frame.navigation,
  );
}

/** How a number was made, in words. */
function tierWords(tier: Tier): string {
  if (tier === "human") return "Said by a person (tier: human).";
  if (tier === "deterministic") return "Computed by code from stored records (tier: deterministic).";
  return "Decided or written by a model (tier: llm-derived).";
}

async function rendered(section: PageSection, frame: Frame): Promise<ComponentChild> {
  return h(
    "section",
    null,
    section.heading === undefined ? null : h("h2", null, section.heading),
    await content(section, frame),
  );
}

async function content(section: PageSection, frame: Frame): Promise<ComponentChildren> {
  switch (section.show) {
    case "text":
      return section.paragraphs.map((paragraph) => h("p", null, paragraph));
    case "markdown":
      return h("div", { dangerouslySetInnerHTML: { __html: markdown(section.markdown) } });
    case "facts":
      return h(
        "dl",
        { class: "facts" },
        section.facts.map(({ name, value, tier, how }) =>
          h(
            "div",
            null,
            h("dt", null, name),
            h("dd", null, typeof value === "string" ? breakable(value) : cell(value, frame)),
            how === undefined && tier === undefined ? null : h("dd", null, [how, tier].filter(Boolean).join("; ")),
          ),
        ),
      );
    case "table":
      return [
        table(
          section.caption,
          section.columns.map(({ name, kind }) => ({ name, n: kind === "number", wide: kind === "wide" })),
          section.rows.map((row) => row.map((each) => cell(each, frame))),
        ),
        note(section.tier, section.of !== undefined && section.of > section.rows.length ? section : undefined),
      ];
    case "timeline":
      return [
        h("p", { class: "soft" }, section.caption),
        h(
          "ol",
          { class: "timeline" },
          section.steps.map((step) =>
            h(
              "li",
              { class: `is-${step.tone ?? "plain"}` },
              h("span", { class: "who" }, step.who),
              " ",
              step.title,
              step.badge === undefined ? null : [" ", h("span", { class: `badge ${step.tone ?? ""}` }, step.badge)],
              step.ms === undefined ? null : h("span", { class: "soft" }, ` ${Math.round(step.ms)} ms`),
              step.detail === undefined ? null : h("pre", { tabIndex: 0 }, step.detail),
              (step.changes ?? []).length === 0
                ? null
                : h(
                    "ul",
                    { class: "changes" },
                    step.changes?.map((change) => h("li", null, change)),
                  ),
            ),
          ),
        ),
        note(section.tier),
      ];
    case "heat":
      return [heatTable(section), note(section.tier)];
    default:
      return [await figure(section), note(section.tier)];
  }
}

function note(
  tier: Tier,
  cut?: { readonly rows: readonly unknown[]; readonly of?: number | undefined },
): ComponentChild {
  const shown = cut === undefined ? "" : `The first ${cut.rows.length} of ${cut.of} rows. `;
  return h("p", { class: "tier" }, `${shown}${tierWords(tier)}`);
}

function cell(value: Cell, { link }: Frame): ComponentChildren {
  if (typeof value !== "object") return value;
  const href = value.link && link?.(value.link);
  const toned =
    value.tone === undefined || value.tone === "plain" ? value.text : h("span", { class: value.tone }, value.text);
  return href === undefined ? toned : h("a", { href }, toned);
}

let parser: MarkdownIt | undefined;

function markdown(text: string): string {
  parser ??= markdownParser();
  return parser.render(text);
}

/** What scrolls is moved by keyboard too: tables that are wider than a phone, and code that is longer than its place. */
function markdownParser(): MarkdownIt {
  const made = new MarkdownIt({ html: false, linkify: false }).disable(["link", "image", "autolink", "reference"]);
  const { rules } = made.renderer;
  const code = (content: string) => `<pre tabindex="0"><code>${made.utils.escapeHtml(content)}</code></pre>\n`;
  rules.table_open = () => '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules.table_close = () => "</table></div>\n";
  rules.fence = (tokens, i) => code(tokens[i]?.content ?? "");
  rules.code_block = rules.fence;
  return made;
}
