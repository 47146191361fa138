import type { ComputeTask } from "../../compute.ts";
import { AppError } from "../../errors.ts";

/** A page's text, empty where it holds none. The title of the file stands with each. */
export interface PdfPage {
  readonly page: number;
  readonly text: string;
  readonly title?: string;
}

/** Files of more pages are refused: no policy or manual has so many. */
const MOST_PAGES = 5000;

/** The pages of a PDF, on another thread: a large one takes seconds. */
export const readPdf: ComputeTask<Uint8Array, readonly PdfPage[]> = {
  name: "read_pdf",
  handsOver: (file) => [file.buffer as ArrayBuffer],
  run: (file) => pdfPages(file),
};

/** The pages of a PDF in order. Throws AppError: damaged, locked by a password, too many pages. */
export async function pdfPages(file: Uint8Array): Promise<PdfPage[]> {
  const { extractText, getDocumentProxy, getMeta } = await import("unpdf");
  let pages: readonly string[];
  let title: unknown;
  try {
    // A copy: the reader takes the bytes it is given for itself. Code of the file is never run.
    const document = await getDocumentProxy(Uint8Array.from(file), { isEvalSupported: false, verbosity: 0 });
    try {
      if (document.numPages > MOST_PAGES)
        throw new AppError("too_large", `A PDF may have ${MOST_PAGES} pages at most.`);
      pages = (await extractText(document, { mergePages: false })).text;
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
