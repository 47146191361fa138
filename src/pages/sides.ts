import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { PageLink, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { jsonTree } from "./json-tree.ts";

type Sides = Extract<PageSection, { show: "sides" }>;
type Row = Sides["rows"][number];
type Names = Pick<Sides, "a" | "b">;
type Link = (to: PageLink) => string | undefined;

/** Two sequences side by side as a list of rows; what differs stands below its row, and the first difference is marked. */
export function sides({ rows, caption, place, a, b }: Sides, link: Link = () => undefined): ComponentChild {
  // A page may hold several of them.
  const firstId = place === undefined ? "first-difference" : `${place}-first`;
  return html`
    <p class="soft">${caption}</p>
    ${rows.length === 0 && html`<p>Neither has any.</p>`}
    <ol class="sides">${rows.map((row) => item(row, { a, b }, link, firstId))}</ol>
  `;
}

function item(row: Row, names: Names, link: Link, firstId: string): ComponentChild {
  const { what, first = false, differences, text = [] } = row;
  return html`
    <li class=${what === undefined ? undefined : first ? "differs first" : "differs"} id=${first ? firstId : undefined}>
      ${what !== undefined && html`<p class="what">${first ? "First difference: " : ""}${what}</p>`}
      ${alike(row) ? html`<div class="pair alike">${side(row.a, "both", link)}</div>` : html`<div class="pair">${side(row.a, names.a, link)}${side(row.b, names.b, link)}</div>`}
      ${differences.length > 0 && html`<dl class="differences">${differences.map((each) => difference(each, names))}</dl>`}
      ${text.length > 0 && html`<p class="merged">${text.map(part)}</p>`}
    </li>
  `;
}

/** Whether both sides say the same, so that one says it for both. */
function alike({ a, b, what }: Row): boolean {
  return (
    what === undefined &&
    a?.link === undefined &&
    b?.link === undefined &&
    a?.title === b?.title &&
    a?.badge === b?.badge
  );
}

function side(shown: Row["a"], name: string, link: Link): ComponentChild {
  const told = html`<span class="arm">${name}</span>`;
  if (shown === undefined) return html`<div class="soft">${told} nothing</div>`;
  const { title, badge, tone, answer } = shown;
  const href = shown.link && link(shown.link);
  return html`
    <div>${told} <span class="said">${href === undefined ? title : html`<a href=${href}>${title}</a>`}</span>${badge !== undefined && html` <span class="badge ${tone ?? ""}">${badge}</span>`}${answer !== undefined && html`<details><summary>Its answer</summary>${jsonTree(answer.value, "Its answer")}</details>`}</div>
  `;
}

function difference({ path, a, b }: Row["differences"][number], names: Names): ComponentChild {
  return html`
    <dt>${path}</dt>
    <dd>${a === undefined ? html`<span class="soft">${names.a} has none</span>` : html`<del>${a}</del>`}</dd>
    <dd>${b === undefined ? html`<span class="soft">${names.b} has none</span>` : html`<ins>${b}</ins>`}</dd>
  `;
}

function part({ text, only }: NonNullable<Row["text"]>[number]): ComponentChild {
  return only === "a" ? html`<del>${text}</del>` : only === "b" ? html`<ins>${text}</ins>` : text;
}
