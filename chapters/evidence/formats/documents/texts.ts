import type { DocumentFormat, Item, Reading, TextDocument } from "../format.ts";
import { defined, label, object, text } from "../values.ts";

const MARKS = /^(?:#{1,6} \S|\s*[-*] \S|\s*\d+\. \S|```|\|.*\|\s*$|> )/m;

function textsOf(items: readonly Item[], whole: string, reading: Reading): TextDocument[] {
  if (items.length === 0)
    return whole.trim() === "" ? [] : [defined({ title: /^#{1,6} +(.+)$/m.exec(whole)?.[1]?.trim(), text: whole })];
  return items.flatMap(({ value, place }) => {
    const record = object(value);
    const words =
      typeof value === "string" ? value : (text(record?.content) ?? text(record?.text) ?? text(record?.body));
    if (words !== undefined)
      return [defined({ id: label(record?.id), title: text(record?.title) ?? text(record?.name), text: words })];
    reading.refuse(place, "no content, text or body");
    return [];
  });
}

function holdsTexts(items: readonly Item[]): boolean {
  return (
    items.length > 0 &&
    items.every(({ value }) => {
      const record = object(value);
      return (
        record !== undefined &&
        record.role === undefined &&
        (text(record.content) ?? text(record.text) ?? text(record.body)) !== undefined
      );
    })
  );
}

/** Markdown documents: one text, or a list of records with `content`. */
export const markdown: DocumentFormat = {
  name: "markdown",
  kind: "document",
  detect(sample) {
    if (sample.type === "text/markdown") return { score: 0.9, why: "the media type says so" };
    if (sample.shape === "text")
      return MARKS.test(sample.text) ? { score: 0.4, why: "text with headings, lists or tables" } : undefined;
    const marked =
      holdsTexts(sample.items) && sample.items.some(({ value }) => MARKS.test(text(object(value)?.content) ?? ""));
    return marked ? { score: 0.65, why: "records with content in Markdown" } : undefined;
  },
  document: (items, whole, reading) => ({ texts: textsOf(items, whole, reading), tables: [] }),
};

/** Plain texts: one text, or a list of records with `content`, `text` or `body`. */
export const plainText: DocumentFormat = {
  name: "text",
  kind: "document",
  detect(sample) {
    if (sample.shape === "text")
      return sample.text.trim() === "" ? undefined : { score: 0.2, why: "text that is nothing else" };
    return holdsTexts(sample.items) ? { score: 0.6, why: "records with content, text or body" } : undefined;
  },
  document: (items, whole, reading) => ({ texts: textsOf(items, whole, reading), tables: [] }),
};
