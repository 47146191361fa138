import { html } from "htm/preact";
import MarkdownIt from "markdown-it";
import type { ComponentChild, ComponentChildren } from "preact";
import type { Cell, PageDoc, PageLink, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { minuteOf } from "../../chapters/findings/pages/words.ts";
import type { Tier } from "../../chapters/tier.ts";
import { figure } from "./figure.ts";
import { heatTable } from "./heat.ts";
import { type Around, breakable, page, SHORT, table } from "./html.ts";
import { sides } from "./sides.ts";
import { timeline } from "./timeline.ts";

type Fact = Extract<PageSection, { show: "facts" }>["facts"][number];

/** A form that narrows the list of one section. */
export interface Narrowing {
  readonly heading: string;
  readonly form: ComponentChildren;
}

/** Where a page is shown: which links it may have, and what stands around it. */
export interface Frame extends Around {
  /** The address of another page; undefined where this one's readers cannot open it. */
  readonly link?: (to: PageLink) => string | undefined;
  /** Between the verdict and the sections. */
  readonly lead?: ComponentChildren;
  /** What the steps shown were searched for; absent where the page cannot be asked for a search. */
  readonly search?: string | undefined;
  /** What narrows a list, under the heading that it has. */
  readonly filter?: Narrowing | undefined;
  /** The way on in a list: below the one that `filter` narrows, else below the first section that is no facts. */
  readonly below?: ComponentChildren;
  /** Below the sections: the host's own forms. */
  readonly forms?: ComponentChildren;
  /** Whose page it is. */
  readonly owner?: string | undefined;
}

/** A page document as a whole HTML page. All of its texts are escaped; Markdown is rendered without HTML, links and images. */
export async function renderPage(doc: PageDoc, frame: Frame = {}): Promise<string> {
  const tier = commonTier(doc);
  const narrowed = doc.sections.findIndex(({ heading }) => heading !== undefined && heading === frame.filter?.heading);
  const listed = narrowed >= 0 ? narrowed + 1 : doc.sections[0]?.show === "facts" ? 2 : 1;
  const sections = await Promise.all(doc.sections.map((section) => rendered(section, frame, tier)));
  const made = minuteOf(doc.made_at);
  const { verdict } = doc;
  const children = html`
    <h1>${doc.title}</h1>
    ${doc.invented && html`<p class="invented">This is made-up data: an example, not a measurement.</p>`}
    ${
      verdict &&
      html`
        <p class="verdict is-${verdict.tone}">${verdict.text}</p>
        <p class="tier">${verdict.how}${verdict.tier !== tier && ` ${tierWords(verdict.tier)}`}</p>
      `
    }
    ${frame.lead}
    ${sections.slice(0, listed)}
    ${frame.below}
    ${sections.slice(listed)}
    ${frame.forms}
    <footer>
      ${tier !== undefined && html`<p>How ${tiersOf(doc).size === 1 ? "all of it was made" : "it was made, where nothing else is said"}: ${tierWords(tier)}</p>`}
      ${frame.owner === undefined ? "Made" : `${frame.owner}, made`} ${made} UTC.
    </footer>
  `;
  return page(doc.title, children, frame);
}

/** How often each tier is told on a page: of its verdict, its sections and its facts. */
function tiersOf({ verdict, sections }: PageDoc): ReadonlyMap<Tier, number> {
  const told = [
    ...(verdict === undefined ? [] : [verdict.tier]),
    ...sections.flatMap((section) =>
      "tier" in section
        ? [section.tier]
        : section.show === "facts"
          ? section.facts.flatMap(({ tier = [] }) => tier)
          : [],
    ),
  ];
  const counts = new Map<Tier, number>();
  for (const tier of told) counts.set(tier, (counts.get(tier) ?? 0) + 1);
  return counts;
}

/** The tier that most of a page has: it is said once, and another where it is another. */
function commonTier(doc: PageDoc): Tier | undefined {
  return [...tiersOf(doc)].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** How a number was made, in words. */
function tierWords(tier: Tier): string {
  if (tier === "human") return "Said by a person (tier: human).";
  if (tier === "deterministic") return "Computed by code from stored records (tier: deterministic).";
  return "Decided or written by a model (tier: llm-derived).";
}

async function rendered(section: PageSection, frame: Frame, common: Tier | undefined): Promise<ComponentChild> {
  const { heading } = section;
  const shown = await content(section, frame, common);
  // A browser unfolds what holds the place that a link names.
  if ("place" in section && section.place !== undefined)
    return html`<details class="folded"><summary>${heading}</summary><div id=${section.place}>${shown}</div></details>`;
  const filter = heading !== undefined && heading === frame.filter?.heading && frame.filter.form;
  return html`<section id=${filter ? "list" : undefined}>${heading !== undefined && html`<h2>${heading}</h2>`}${filter}${shown}</section>`;
}

async function content(section: PageSection, frame: Frame, common: Tier | undefined): Promise<ComponentChildren> {
  const made = "tier" in section && section.tier !== common ? section.tier : undefined;
  switch (section.show) {
    case "text":
      return section.paragraphs.map((paragraph) => html`<p>${paragraph}</p>`);
    case "markdown":
      return html`<div dangerouslySetInnerHTML=${{ __html: markdown(section.markdown) }} />`;
    case "facts":
      return html`<dl class="facts">${section.facts.map((each) => fact(each, frame, common))}</dl>`;
    case "table":
      return [
        table(
          frame.link === undefined ? withoutWays(section.caption) : section.caption,
          section.columns.map(({ name, kind }) => ({ name, n: kind === "number", wide: kind === "wide" })),
          section.rows.map((row) => row.map((each) => cell(each, frame))),
        ),
        note(made, section.of !== undefined && section.of > section.rows.length ? section : undefined),
      ];
    case "timeline":
      return [timeline(section, frame.search), note(made)];
    case "sides":
      return [sides(section, frame.link), note(made)];
    case "heat":
      return [heatTable(section, frame.link), note(made)];
    default:
      return [await figure(section, frame.link), note(made)];
  }
}

/** A caption without what it says of links, for a page that has none. */
function withoutWays(caption: string): string {
  const clauses = caption.split(/(?<=[.;])\s/).filter((clause) => !/\bopens?\b/.test(clause));
  return clauses.length === 0 ? caption : clauses.join(" ").replace(/;(?=\s\p{Lu}|$)/gu, ".");
}

function fact({ name, value, tier, how }: Fact, frame: Frame, common: Tier | undefined): ComponentChild {
  const made = [how, tier === common || tier === undefined ? undefined : `tier: ${tier}`].filter(Boolean).join("; ");
  return html`
    <div>
      <dt>${name}</dt>
      <dd>${typeof value === "string" ? breakable(value) : cell(value, frame)}</dd>
      ${made !== "" && html`<dd>${made}</dd>`}
    </div>
  `;
}

function note(
  tier: Tier | undefined,
  cut?: { readonly rows: readonly unknown[]; readonly of?: number | undefined },
): ComponentChild {
  const shown = [
    ...(cut === undefined ? [] : [`The first ${cut.rows.length} of ${cut.of} rows.`]),
    ...(tier === undefined ? [] : [tierWords(tier)]),
  ];
  return shown.length === 0 ? null : html`<p class="tier">${shown.join(" ")}</p>`;
}

/** A cell of a page's table, with the way to what it is of. */
export function cell(value: Cell, { link }: Frame): ComponentChildren {
  if (typeof value !== "object") return value;
  const href = value.place === undefined ? value.link && link?.(value.link) : `#${value.place}`;
  const toned =
    value.tone === undefined || value.tone === "plain"
      ? value.text
      : html`<span class=${value.tone}>${value.text}</span>`;
  if (href === undefined) return toned;
  return html`<a href=${href} class=${value.text.length <= SHORT ? "t" : undefined}>${toned}</a>`;
}

let parser: MarkdownIt | undefined;
let commentParser: MarkdownIt | undefined;

function markdown(text: string): string {
  parser ??= markdownParser();
  return parser.render(text);
}

/** A comment of this service as a code host shows it: without its hidden marks, its small print as a line of its own. */
export function shownComment(text: string): ComponentChild {
  commentParser ??= markdownParser().enable("link");
  const visible = text.replace(/<!--.*?-->/gs, "").replace(/<\/?sub>/g, "");
  return html`<div class="sent" dangerouslySetInnerHTML=${{ __html: commentParser.render(visible) }} />`;
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
