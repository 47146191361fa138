import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { PageSection } from "../../chapters/findings/pages/page-doc.ts";

type Sides = Extract<PageSection, { show: "sides" }>;
type Row = Sides["rows"][number];

/** Two sequences side by side as a list of rows; what differs stands below its row, and the first difference is marked. */
export function sides({ rows, caption, a, b }: Sides): ComponentChild {
  return html`
    <p class="soft">${caption}</p>
    ${rows.length === 0 && html`<p>Neither has any.</p>`}
    <ol class="sides">${rows.map((row) => item(row, { a, b }))}</ol>
  `;
}

function item(row: Row, names: { readonly a: string; readonly b: string }): ComponentChild {
  const { what, first = false, differences, text = [] } = row;
  return html`
    <li class=${what === undefined ? undefined : first ? "differs first" : "differs"} id=${first ? "first-difference" : undefined}>
      ${what !== undefined && html`<p class="what">${first ? "First difference: " : ""}${what}</p>`}
      <div class="pair">${side("a", row.a, names.a)}${side("b", row.b, names.b)}</div>
      ${differences.length > 0 && html`<dl class="differences">${differences.map(difference)}</dl>`}
      ${text.length > 0 && html`<p class="merged">${text.map(part)}</p>`}
    </li>
  `;
}

function side(arm: "a" | "b", shown: Row["a"], name: string): ComponentChild {
  const told = html`<abbr title=${name}>${arm}</abbr>`;
  if (shown === undefined) return html`<div class="soft">${told} nothing</div>`;
  const { title, badge, tone } = shown;
  return html`
    <div>${told} <span class="said">${title}</span>${badge !== undefined && html` <span class="badge ${tone ?? ""}">${badge}</span>`}</div>
  `;
}

function difference({ path, a, b }: Row["differences"][number]): ComponentChild {
  return html`
    <dt>${path}</dt>
    <dd>${a === undefined ? html`<span class="soft">a has none</span>` : html`<del>${a}</del>`}</dd>
    <dd>${b === undefined ? html`<span class="soft">b has none</span>` : html`<ins>${b}</ins>`}</dd>
  `;
}

function part({ text, only }: NonNullable<Row["text"]>[number]): ComponentChild {
  return only === "a" ? html`<del>${text}</del>` : only === "b" ? html`<ins>${text}</ins>` : text;
}
