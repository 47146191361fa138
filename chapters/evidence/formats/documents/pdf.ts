import type { DocumentFormat } from "../format.ts";
import { defined, object, text } from "../values.ts";

/** The media type of a PDF's pages, once they were taken out of the file: one record a page, with `page` and `text`. */
export const PDF_TYPE = "application/pdf";

/** The text of PDF files, page by page. Pages that hold no text (images of it) are refused and counted. */
export const pdf: DocumentFormat = {
  name: "pdf",
  kind: "document",
  detect(sample) {
    const first = object(sample.items[0]?.value);
    return sample.type === PDF_TYPE && first?.page !== undefined ? { score: 0.98, why: "a PDF file" } : undefined;
  },
  document(items, _whole, reading) {
    const pages = items.flatMap(({ value, place }) => {
      const words = text(object(value)?.text)?.trim();
      if (words === undefined || words === "") reading.refuse(place, "a page without text");
      return words === undefined || words === "" ? [] : [words];
    });
    if (pages.length === 0) return { texts: [], tables: [] };
    const title = text(object(items[0]?.value)?.title);
    return { texts: [defined({ title, text: pages.join("\n\n") })], tables: [] };
  },
};
