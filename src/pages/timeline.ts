import { html } from "htm/preact";
import { type ComponentChild, type ComponentChildren, cloneElement, isValidElement, toChildArray } from "preact";
import type { PageSection, Step } from "../../chapters/findings/pages/page-doc.ts";
import { jsonTree } from "./json-tree.ts";

type Timeline = Extract<PageSection, { show: "timeline" }>;

/** A step with more characters in it than these starts collapsed. */
const OPEN_CHARS = 1500;

/** What a link to a step names. */
function stepId(n: number): string {
  return `step-${n}`;
}

/**
 * What happened, step by step: each opens and closes, is led to by a link, and shows its JSON as a tree. With `search`,
 * a form asks for the steps that hold some words; the island adds keys, copying, and a search without a reload.
 */
export function timeline({ steps, caption, heading }: Timeline, search: string | undefined): ComponentChild {
  const numbered = steps.some(({ n }) => n !== undefined);
  const words = (search ?? "").split(/\s+/).filter(Boolean);
  const items = steps.map((step) => stepItem(step, words.length > 0));
  const list = html`<ol class="timeline">${words.length === 0 ? items : marked(items, hitsOf(words))}</ol>`;
  if (!numbered && search === undefined) return html`<p class="soft">${caption}</p>${list}`;
  return html`
    <div data-island="viewer" data-name=${heading ?? "steps"}>
      ${
        search !== undefined &&
        html`
        <form method="get" role="search" class="inline">
          <label for="steps-q">Search the steps</label>
          <input id="steps-q" name="q" type="search" value=${search} autocomplete="off" />
          <button class="plain">Search</button>
        </form>
      `
      }
      <p class="soft" role="status">${caption}</p>
      ${waterfall(steps)}
      ${list}
    </div>
  `;
}

/** Any of some words, in any letter case. */
function hitsOf(words: readonly string[]): RegExp {
  const literal = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`(${literal.join("|")})`, "iu");
}

/** A tree in which every hit in a text is marked. */
function marked(children: ComponentChildren, hits: RegExp): ComponentChildren {
  return toChildArray(children).map((child) => {
    if (!isValidElement(child))
      // A split by a group has the hits in every second place.
      return String(child)
        .split(hits)
        .map((part, i) => (i % 2 === 1 ? html`<mark>${part}</mark>` : part));
    const { children: inner } = child.props as { children?: ComponentChildren };
    return cloneElement(child, {}, marked(inner, hits));
  });
}

function stepItem(step: Step, searched: boolean): ComponentChild {
  const { n, who, title, tone, badge, ms, at, detail, values = [], took = [], changes = [], decided = [] } = step;
  const head = html`
    <span class="who">${who}</span> <span class="said">${title}</span>
    ${badge !== undefined && html` <span class="badge ${tone ?? ""}">${badge}</span>`}
    ${[...times(ms, at), ...took].map((text) => html` <span class="soft">${text}</span>`)}
  `;
  const inside = [
    decided.map(({ text, tone: how }) => html`<p class="decided ${how}">Check: ${text}</p>`),
    detail !== undefined && html`<pre tabindex="0">${detail}</pre>`,
    values.map(({ name, value }) => html`<h3>${name}</h3>${jsonTree(value, `${name} of ${who}`)}`),
    changes.length > 0 &&
      html`<h3>Changed in the world</h3><ul class="changes">${changes.map((change) => html`<li>${change}</li>`)}</ul>`,
  ];
  const size = values.reduce((sum, { value }) => sum + (JSON.stringify(value) ?? "").length, 0);
  const collapses = values.length > 0;
  const open = searched || size <= OPEN_CHARS || decided.some((one) => one.tone === "bad");
  return html`
    <li class="is-${tone ?? "plain"}" id=${n === undefined ? undefined : stepId(n)} tabindex=${n === undefined ? undefined : -1}>
      ${n !== undefined && html`<a class="no" href=${`#${stepId(n)}`} aria-label=${`Step ${n}`}>${n}</a> `}
      ${collapses ? html`<details open=${open}><summary>${head}</summary>${inside}</details>` : html`${head}${inside}`}
    </li>
  `;
}

function times(ms: number | undefined, at: number | undefined): string[] {
  if (ms === undefined) return [];
  return [at === undefined ? duration(ms) : `${duration(ms)}, at ${duration(at)}`];
}

/** Milliseconds as people read them. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

interface Bar {
  readonly step: Step;
  readonly from: number;
  readonly to: number;
}

/** When each step was under way, as bars on one axis: a table that reads without them. Nothing where too little is known. */
function waterfall(steps: readonly Step[]): ComponentChild {
  const bars = barsOf(steps);
  const end = Math.max(0, ...bars.map(({ to }) => to));
  if (bars.length < 2 || end <= 0) return null;
  const x = (ms: number) => (100 * ms) / end;
  const row = ({ step: { n, who, tone, ms }, from, to }: Bar) => html`
    <tr>
      <td>${n === undefined ? who : html`<a href=${`#${stepId(n)}`}>${n}. ${who}</a>`}</td>
      <td class="bar">
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect x=${x(from).toFixed(2)} width=${Math.max(0.6, x(to - from)).toFixed(2)} y="1" height="6" class="is-${tone ?? "plain"}" />
        </svg>
      </td>
      <td class="n">${duration(from)}</td>
      <td class="n">${ms === undefined ? "" : duration(ms)}</td>
    </tr>
  `;
  return html`
    <details>
      <summary>Waterfall</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Waterfall">
        <table class="waterfall">
          <caption>When each step was under way, of ${duration(end)} in all.</caption>
          <thead><tr><th scope="col">Step</th><th scope="col">Under way</th><th scope="col" class="n">From</th><th scope="col" class="n">Took</th></tr></thead>
          <tbody>${bars.map(row)}</tbody>
        </table>
      </div>
    </details>
  `;
}

/** Steps whose time is known: by when they ended, or, where only lengths are known, one after the other. */
function barsOf(steps: readonly Step[]): Bar[] {
  if (steps.some(({ at }) => at !== undefined && at > 0))
    return steps.flatMap((step) =>
      step.at === undefined ? [] : [{ step, from: Math.max(0, step.at - (step.ms ?? 0)), to: step.at }],
    );
  let from = 0;
  return steps.flatMap((step) => {
    if (step.ms === undefined) return [];
    const bar = { step, from, to: from + step.ms };
    from = bar.to;
    return [bar];
  });
}
