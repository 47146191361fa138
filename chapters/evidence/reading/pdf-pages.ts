import type { ComputeTask } from "../../compute.ts";
import { AppError, tooLarge } from "../../errors.ts";

/** A page's text, empty where it holds none. The title of the file stands with each. */
export interface PdfPage {
  readonly page: number;
  readonly text: string;
  readonly title?: string;
}

/** Files of more pages, or of more text, are refused: no policy or manual has so much. */
const MOST_PAGES = 5000;
const MOST_CHARACTERS = 32 * 2 ** 20;

/** The pages of a PDF, on another thread: a large one takes seconds. */
export const readPdf: ComputeTask<Uint8Array, readonly PdfPage[]> = {
  name: "read_pdf",
  handsOver: (file) => [file.buffer as ArrayBuffer],
  run: (file) => pdfPages(file),
};

/** The pages of a PDF in order. Throws AppError: damaged, locked by a password, too many pages, more than `most` characters. */
export async function pdfPages(file: Uint8Array, most: number = MOST_CHARACTERS): Promise<PdfPage[]> {
  const { getDocumentProxy, getMeta } = await import("unpdf");
  const pages: string[] = [];
  let title: unknown;
  try {
    // A copy: the reader takes the bytes it is given for itself. Code of the file is never run.
    const document = await getDocumentProxy(Uint8Array.from(file), { isEvalSupported: false, verbosity: 0 });
    try {
      if (document.numPages > MOST_PAGES) throw tooLarge(`A PDF may have ${MOST_PAGES} pages at most.`);
      // One page after the other, so that what is held is one page and the text before it.
      let left = most;
      for (let n = 1; n <= document.numPages; n++) {
        const page = await document.getPage(n);
        const text = textOf((await page.getTextContent()).items);
        page.cleanup();
        left -= text.length;
        if (left < 0) throw tooLarge(`A PDF may hold ${most} characters of text at most.`);
        pages.push(text);
      }
      title = (await getMeta(document)).info?.Title;
    } finally {
      await document.destroy().catch(() => {});
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const locked = (cause as { name?: string }).name === "PasswordException";
    throw new AppError(
      locked ? "unprocessable" : "bad_request",
      locked ? "The PDF is locked by a password; send it without one." : "The PDF is damaged or cut off.",
    );
  }
  const named = typeof title === "string" && title.trim() !== "" ? { title: title.trim() } : {};
  return pages.map((text, i) => ({ page: i + 1, text, ...named }));
}

/** The text of a page's pieces, a line end where the page has one. */
function textOf(items: readonly object[]): string {
  return items
    .map((item) => ("str" in item ? `${item.str}${"hasEOL" in item && item.hasEOL ? "\n" : ""}` : ""))
    .join("");
}
