import { html } from "htm/preact";
import type { ComponentChild } from "preact";

/** Fields and items of one value that are shown as a tree; what is beyond stands as text. */
const MOST = 600;
/** A branch with no more characters than these stands on one line. */
const LINE = 72;
/** A branch with more fields or items than these starts collapsed, below the first level. */
const OPEN = 12;

/**
 * A JSON value as a tree that opens and closes. Its text is the value's JSON, so what is selected or copied of it is
 * JSON again. `name` is told to those who cannot see it.
 */
export function jsonTree(value: unknown, name: string): ComponentChild {
  const left = { nodes: MOST };
  return html`<div class="json" role="group" aria-label=${name}>${node(value, "", "", 0, left)}</div>`;
}

function node(value: unknown, key: string, after: string, depth: number, left: { nodes: number }): ComponentChild {
  left.nodes -= 1;
  const entries = entriesOf(value);
  const text = JSON.stringify(value) ?? "null";
  if (entries === undefined || entries.length === 0 || text.length <= LINE || left.nodes <= 0)
    return html`<div>${keyOf(key)}${leaf(value, text)}${after}</div>`;
  const list = Array.isArray(value);
  const told = list ? `${entries.length} items` : `${entries.length} fields`;
  return html`
    <details open=${depth === 0 || entries.length <= OPEN}><summary data-more=${told}>${keyOf(key)}${list ? "[" : "{"}</summary>
      <div class="in">${entries.map(([name, inner], i) =>
        node(inner, list ? "" : name, i === entries.length - 1 ? "" : ",", depth + 1, left),
      )}</div><div>${list ? "]" : "}"}${after}</div></details>
  `;
}

function entriesOf(value: unknown): [string, unknown][] | undefined {
  return typeof value === "object" && value !== null ? Object.entries(value) : undefined;
}

function keyOf(key: string): ComponentChild {
  return key === "" ? null : html`<span class="key">${JSON.stringify(key)}</span>: `;
}

function leaf(value: unknown, text: string): ComponentChild {
  const kind = typeof value === "string" ? "text" : typeof value === "object" && value !== null ? "" : "value";
  return kind === "" ? text : html`<span class="${kind}">${text}</span>`;
}
