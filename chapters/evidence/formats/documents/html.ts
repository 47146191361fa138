import type { HTMLElement, Node } from "node-html-parser";
import { tooLarge, unprocessable } from "../../../errors.ts";
import type { DocumentFormat } from "../format.ts";
import { defined } from "../values.ts";

/** Longer pages are no documents, and would hold up other callers while they are read. Characters. */
const MOST = 4 * 1024 * 1024;
/** Elements of one name that may stand open at once: the parser takes the square of that. */
const MOST_OPEN = 1000;
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** What the next of its kind closes. */
const CLOSED_BY_NEXT = new Set("p li dt dd td th tr option h1 h2 h3 h4 h5 h6".split(" "));

/** What holds no words of the document. */
const SILENT = new Set(["script", "style", "noscript", "template", "svg", "iframe", "head", "nav", "object", "canvas"]);
const BLOCKS = new Set(
  "address article aside blockquote body dd div dl dt fieldset figcaption figure footer form header html main ol p section table tbody tfoot thead ul details summary".split(
    " ",
  ),
);

/** HTML documents: their words, with headings, lists and tables as Markdown writes them. Scripts, styles and menus are left out. */
export const html: DocumentFormat = {
  name: "html",
  kind: "document",
  detect(sample) {
    if (sample.shape !== "text") return undefined;
    if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html[\s>])/i.test(sample.text))
      return { score: 0.95, why: "a document that begins as HTML" };
    if (sample.type === "text/html" || sample.type === "application/xhtml+xml")
      return { score: 0.9, why: "the media type says so" };
    return /^\s*<(?:head|body|div|main|article|section|h[1-6]|p|table|ul|ol)[\s>]/i.test(sample.text) &&
      /<\/[a-z][a-z0-9]*>/i.test(sample.text)
      ? { score: 0.6, why: "text of elements" }
      : undefined;
  },
  async document(_items, whole, reading) {
    if (whole.length > MOST) throw tooLarge("An HTML document may have 4 Mi characters at most.");
    const page = bare(whole);
    if (isTooDeep(page)) throw unprocessable("The HTML document leaves too many elements open to be read.");
    const { parse } = await import("node-html-parser");
    const root = parse(page);
    reading.lose("image", root.querySelectorAll("img").length);
    const words = tidy(markdownOf(root));
    if (words === "") return { texts: [], tables: [] };
    const named = root.querySelector("title") ?? root.querySelector("h1");
    const title = named?.textContent.replace(/\s+/g, " ").trim();
    return { texts: [defined({ title: title === "" ? undefined : title, text: words })], tables: [] };
  },
};

/** The document without what comes before its elements, and without comments. */
function bare(text: string): string {
  const kept: string[] = [];
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf("<!--", at);
    const end = open === -1 ? -1 : text.indexOf("-->", open + 4);
    kept.push(text.slice(at, open === -1 ? text.length : open));
    at = end === -1 ? text.length : end + 3;
  }
  return kept.join("").replace(/<(?:!doctype|\?xml)\b[^>]*>/gi, "");
}

function isTooDeep(text: string): boolean {
  const open = new Map<string, number>();
  // A tag needs an end: what follows the last one holds none.
  for (const [tag, slash, name] of text.slice(0, text.lastIndexOf(">") + 1).matchAll(/<(\/?)([a-z][^\s/>]*)[^>]*>/gi)) {
    const key = (name ?? "").toLowerCase();
    if (VOID.has(key) || CLOSED_BY_NEXT.has(key) || tag.endsWith("/>")) continue;
    const n = Math.max(0, (open.get(key) ?? 0) + (slash === "" ? 1 : -1));
    if (n > MOST_OPEN) return true;
    open.set(key, n);
  }
  return false;
}

/** Deeper elements are taken as plain text: nothing that is read is nested so deep. */
const DEPTH = 200;

function markdownOf(node: Node, depth = 0): string {
  // 3 is a text node, 1 an element; the parser's own names for them would load it.
  if (node.nodeType === 3) return node.text.replace(/\s+/g, " ");
  if (node.nodeType !== 1) return "";
  const element = node as HTMLElement;
  const tag = (element.rawTagName ?? "").toLowerCase();
  if (SILENT.has(tag)) return "";
  if (depth > DEPTH) return element.text;
  if (tag === "pre") return `\n\n\`\`\`\n${element.text.trim()}\n\`\`\`\n\n`;
  if (tag === "br") return "\n";
  if (tag === "hr") return "\n\n---\n\n";
  const inside = element.childNodes.map((child) => markdownOf(child, depth + 1)).join("");
  if (/^h[1-6]$/.test(tag)) return `\n\n${"#".repeat(Number(tag[1]))} ${oneLine(inside)}\n\n`;
  if (tag === "li") return `\n- ${inside.trim()}`;
  if (tag === "tr") return `\n${inside.trimEnd()} |`;
  if (tag === "td" || tag === "th") return `| ${oneLine(inside)} `;
  return BLOCKS.has(tag) ? `\n\n${inside}\n\n` : inside;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function tidy(text: string): string {
  return text
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n[ \t]+(?=\S)/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
