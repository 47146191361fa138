import type { Compute } from "../../compute.ts";
import { PDF_TYPE } from "../formats/documents/pdf.ts";
import { once, readAll, resumed, takeHead } from "./bytes.ts";
import { isCassette, recordedExchanges } from "./cassette.ts";
import { evalLog } from "./eval-log.ts";
import { pdfPages, readPdf } from "./pdf-pages.ts";

/** What a body turned out to hold, as text that can be read. */
export interface Contained {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly type: string | undefined;
}

/** Larger recordings are refused: YAML is read slowly, and other callers wait meanwhile. Bytes. */
const CASSETTE_BYTES = 16 * 1024 * 1024;
/** How much of a body is looked at to tell what it is in, bytes. */
const LOOKED_AT = 4096;

/** How a JSON text begins that holds a list or an object as a text: what was written as JSON twice. */
const TEXT_OF_JSON = /^\ufeff?\s*"(?:\s|\\[nrt])*[{[]/;

/** The text that a whole JSON text is; undefined where it is none, as in a table whose first cell is quoted. */
function textIn(file: Buffer): string | undefined {
  try {
    const value: unknown = JSON.parse(file.toString("utf8").trim());
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes the content out of what it is wrapped in: an archive of an evaluation log, a PDF, a YAML recording of HTTP
 * exchanges, JSON that was written as JSON once more. All else is passed on as it comes. Throws AppError for what cannot be opened.
 */
export async function contained(
  bytes: AsyncIterable<Uint8Array>,
  type: string | undefined,
  compute?: Compute,
): Promise<Contained> {
  const given = bytes[Symbol.asyncIterator]();
  const head = await takeHead(given, LOOKED_AT);
  const rest = resumed(head, given);
  if (head.length >= 4 && head.readUInt32LE(0) === 0x04034b50)
    return { bytes: evalLog(await readAll(rest)), type: "application/json" };
  if (/^\ufeff?\s*%PDF-/.test(head.toString("utf8", 0, 1024))) {
    const file = await readAll(rest);
    const pages = await (compute ? compute.run(readPdf, Uint8Array.from(file)) : pdfPages(file));
    return { bytes: lines(pages), type: PDF_TYPE };
  }
  if (isCassette(head)) {
    const text = (await readAll(rest, CASSETTE_BYTES)).toString("utf8");
    return { bytes: once(JSON.stringify(await recordedExchanges(text))), type: "application/json" };
  }
  if (TEXT_OF_JSON.test(head.toString("utf8", 0, 64))) {
    const file = await readAll(rest);
    return { bytes: once(textIn(file) ?? file), type: type === PDF_TYPE ? undefined : type };
  }
  // A type that the bytes do not bear out says nothing.
  return { bytes: rest, type: type === PDF_TYPE ? undefined : type };
}

async function* lines(values: readonly unknown[]): AsyncGenerator<Uint8Array> {
  for (const value of values) yield Buffer.from(`${JSON.stringify(value)}\n`);
}
