import { type ComponentChild, type ComponentChildren, h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --back: #ffffff; --good: #1a7f4b; --bad: #b3261e; --mark: #2f5fb3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf1; --soft: #a3adba; --line: #39424e; --back: #12161b; --good: #5cc98d; --bad: #f2877e; --mark: #8db4f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .5rem 0; max-width: 46rem; } .soft { color: var(--soft); } .verdict { font-size: 1.15rem; font-weight: 600; border-left: 4px solid var(--mark); padding: .5rem 0 .5rem .75rem; }
.scroll { overflow-x: auto; } .scroll + .scroll { margin-top: 1.25rem; } table { border-collapse: collapse; min-width: 24rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; } th { font-weight: 600; color: var(--soft); } .n { text-align: right; white-space: nowrap; } .w { min-width: 15rem; }
.good { color: var(--good); } .bad { color: var(--bad); } caption { text-align: left; color: var(--soft); padding-bottom: .25rem; max-width: min(46rem, 100vw - 2rem); }
svg { display: block; max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
`;

/** A whole HTML page: no script, no outside request, not for search engines. Text is escaped by the renderer. */
export function page(title: string, children: ComponentChildren): string {
  const body = h(
    "html",
    { lang: "en" },
    h(
      "head",
      null,
      h("meta", { charSet: "utf-8" }),
      h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
      h("meta", { name: "robots", content: "noindex" }),
      h("meta", { "http-equiv": "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" }),
      h("title", null, title),
      h("style", { dangerouslySetInnerHTML: { __html: STYLE } }),
    ),
    h("body", null, h("main", null, children)),
  );
  return `<!doctype html>\n${renderToStaticMarkup(body)}\n`;
}

/** A table with a caption; `n` columns are right-aligned numbers, `wide` ones hold sentences. */
export function table(
  caption: string,
  columns: readonly { readonly name: string; readonly n?: boolean; readonly wide?: boolean }[],
  rows: readonly (readonly ComponentChildren[])[],
): ComponentChild {
  const kind = (i: number) => (columns[i]?.n ? { class: "n" } : columns[i]?.wide ? { class: "w" } : {});
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      null,
      h("caption", null, caption),
      h(
        "thead",
        null,
        h("tr", null, ...columns.map((column, i) => h("th", { scope: "col", ...kind(i) }, column.name))),
      ),
      h("tbody", null, ...rows.map((row) => h("tr", null, ...row.map((cell, i) => h("td", kind(i), cell))))),
    ),
  );
}
