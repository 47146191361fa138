import { type ComponentChild, type ComponentChildren, h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import { STYLE } from "./style.ts";

/** What every page may do: nothing but show its own style; forms go to this service alone. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'";

/** A whole HTML page: no script, no outside request, not for search engines. Text is escaped by the renderer. `navigation` stands before what is main. */
export function page(title: string, children: ComponentChildren, navigation?: ComponentChild): string {
  const body = h(
    "html",
    { lang: "en" },
    h(
      "head",
      null,
      h("meta", { charSet: "utf-8" }),
      h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
      h("meta", { name: "robots", content: "noindex" }),
      h("meta", { "http-equiv": "Content-Security-Policy", content: PAGE_POLICY }),
      h("title", null, title),
      h("style", { dangerouslySetInnerHTML: { __html: STYLE } }),
    ),
    h(
      "body",
      null,
      navigation === undefined ? null : [h("a", { class: "skip", href: "#main" }, "To the content"), navigation],
      h("main", { id: "main" }, children),
    ),
  );
  return `<!doctype html>\n${renderToStaticMarkup(body)}\n`;
}

/** A text in which a day and a time stay on one line. */
export function unbroken(text: string): ComponentChildren {
  const [, time, rest] = /^(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?)([\s\S]*)$/.exec(text) ?? [];
  return time === undefined ? text : [h("span", { class: "t" }, time), rest];
}

/** A text that may be broken after its underscores, where a word is longer than its place. */
export function breakable(text: string): ComponentChildren {
  return text.split(/(?<=_)/).flatMap((part, i) => (i === 0 ? [part] : [h("wbr", null), part]));
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
    // What scrolls can be reached and moved by keyboard.
    { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      null,
      h("caption", null, caption),
      h(
        "thead",
        null,
        h("tr", null, ...columns.map((column, i) => h("th", { scope: "col", ...kind(i) }, column.name))),
      ),
      h(
        "tbody",
        null,
        ...rows.map((row) =>
          h("tr", null, ...row.map((cell, i) => h("td", kind(i), typeof cell === "string" ? unbroken(cell) : cell))),
        ),
      ),
    ),
  );
}
