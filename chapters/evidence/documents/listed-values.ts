const HEADING = /^\s{0,3}(?:#{1,6}\s+(.+?)\s*#*|([^\s*\-+].{0,60}):)\s*$/;
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(.+?)\s*$/;

/** The list items under headings that name an axis, each with the words it is from. */
export function* listedValues(text: string): Generator<[field: string, value: string, quote: string]> {
  let field: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const heading = HEADING.exec(line);
    if (heading) field = fieldOf(heading[1] ?? heading[2] ?? "");
    const item = ITEM.exec(line);
    // What stands before a colon or dash is the name; the rest describes it.
    const name = item?.[1]
      ?.split(/\s[–—-]\s|:\s/)[0]
      ?.replace(/[*_`]/g, "")
      .trim();
    if (field !== undefined && name) yield [field, name, item?.[1] ?? name];
  }
  for (const [quote, who = ""] of text.matchAll(SPEAKS)) yield ["persona", who.trim().toLowerCase(), quote];
}

/** Who speaks in a story: `As a frequent flyer, I want …`. */
const SPEAKS = /\bAs an? ([a-z][a-z' -]{2,60}?), I\b/gi;

function fieldOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim()
    .replace(/s$/, "")
    .replace(/ /g, "_");
}
