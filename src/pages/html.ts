import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import { STYLE } from "./style.ts";

/** What every page may do: nothing but show its own style; forms go to this service alone. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'";

/** The same for a page with islands: it also runs scripts of this service, and they ask this service alone. */
export const SCRIPT_POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'`;

/** What stands around a page. */
export interface Around {
  /** Before what is main. */
  readonly navigation?: ComponentChild;
  /** The address of the script that starts islands; absent on a page that runs no script. */
  readonly script?: string | undefined;
}

/** A whole HTML page: no outside request, no inline script, not for search engines. Text is escaped by the renderer. */
export function page(title: string, children: ComponentChildren, { navigation, script }: Around = {}): string {
  const body = html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta http-equiv="Content-Security-Policy" content=${script === undefined ? PAGE_POLICY : SCRIPT_POLICY} />
        <title>${title}</title>
        ${script !== undefined && html`<script type="module" src=${script} />`}
        <style dangerouslySetInnerHTML=${{ __html: STYLE }} />
      </head>
      <body>
        ${navigation && html`<a class="skip" href="#main">To the content</a>${navigation}`}
        <main id="main">${children}</main>
      </body>
    </html>
  `;
  return `<!doctype html>\n${renderToStaticMarkup(body)}\n`;
}

/** A text in which a day and a time stay on one line. */
export function unbroken(text: string): ComponentChildren {
  const [, time, rest] = /^(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?)([\s\S]*)$/.exec(text) ?? [];
  return time === undefined ? text : html`<span class="t">${time}</span>${rest}`;
}

/** A text that may be broken after its underscores and before an address's host, where a word is longer than its place. */
export function breakable(text: string): ComponentChildren {
  return text.split(/(?<=_)|(?=@)/).flatMap((part, i) => (i === 0 ? [part] : [html`<wbr />`, part]));
}

/** Characters of a name that stays on one line: of a link, and of a cell where a table has many columns. */
export const SHORT = 20;

/** Columns beside each other that a phone's window holds; one of sentences counts twice, and so does one of times, which never break. */
const PHONE_COLUMNS = 3;

/**
 * A table with a caption; `n` columns are right-aligned numbers, `wide` ones hold sentences, a `pick` one a box to tick.
 * On a phone, rows that it does not hold are shown as cards: what they are of, then each field with its column's name.
 */
export function table(
  caption: string,
  all: readonly {
    readonly name: string;
    readonly n?: boolean;
    readonly wide?: boolean;
    readonly pick?: boolean;
    /** What stands in the head in place of the name. */
    readonly head?: ComponentChild;
    readonly sorted?: "ascending" | "descending" | undefined;
  }[],
  said: readonly (readonly ComponentChildren[])[],
  /** Rows that stand apart below the others, under a heading of their own. */
  apart?: { readonly heading: ComponentChild; readonly rows: readonly (readonly ComponentChildren[])[] },
): ComponentChild {
  // A column that no row says anything for tells nothing.
  const every = [...said, ...(apart?.rows ?? [])];
  const told = all.map((_, i) => every.length === 0 || every.some((row) => row[i] !== ""));
  const kept = <T>(row: readonly T[]) => row.filter((_, i) => told[i]);
  const columns = kept(all);
  const kind = (i: number) => (columns[i]?.n ? "n" : columns[i]?.wide ? "w" : undefined);
  const heads = columns.map(
    ({ name, head = name, sorted }, i) => html`<th scope="col" class=${kind(i)} aria-sort=${sorted}>${head}</th>`,
  );
  const cards =
    columns.reduce((sum, { wide, name }) => sum + (wide || name.endsWith("(UTC)") ? 2 : 1), 0) > PHONE_COLUMNS;
  const lead = columns.findIndex(({ n, pick }) => !n && !pick);
  const place = (i: number) =>
    !cards || i < lead ? {} : i === lead ? { "data-lead": true } : { "data-of": columns[i]?.name };
  const short = (cell: ComponentChildren) =>
    cards && typeof cell === "string" && cell.length <= SHORT ? "t" : undefined;
  const field = (cell: ComponentChildren, i: number) =>
    html`<td class=${kind(i) ?? short(cell)} ...${place(i)}>${typeof cell !== "string" ? cell : /^\w+$/.test(cell) ? breakable(cell) : unbroken(cell)}</td>`;
  const body = (of: typeof said) => html`<tbody>${of.map((row) => html`<tr>${kept(row).map(field)}</tr>`)}</tbody>`;
  // What scrolls can be reached and moved by keyboard.
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class=${cards ? "cards" : undefined}>
        <caption>${caption}</caption>
        <thead><tr>${heads}</tr></thead>
        ${said.length > 0 && body(said)}
        ${apart && html`<tbody><tr><th scope="rowgroup" colspan=${columns.length}>${apart.heading}</th></tr></tbody>${body(apart.rows)}`}
      </table>
    </div>
  `;
}
