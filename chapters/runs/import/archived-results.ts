import { badField, badRequest, tooLarge } from "../../errors.ts";
import { evalLog } from "../../evidence/reading/eval-log.ts";
import { type Raw, rawObject } from "./raw-results.ts";

/** What an archive may unpack to, bytes: about what a results file may be that comes as it is. */
const MOST_BYTES = 128 * 1024 * 1024;
const ZIP = 0x04034b50;

/** The Inspect log in a `.eval` archive, given in base64, as its JSON form has it. Refuses what is no archive, damaged or too large. */
export async function archivedResults(base64: string): Promise<Raw> {
  const archive = Buffer.from(base64, "base64");
  if (archive.length < 4 || archive.readUInt32LE(0) !== ZIP) throw badField("archive", "is no .eval archive in base64");
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of evalLog(archive)) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES)
      throw tooLarge(`The archive unpacks to more than ${MOST_BYTES / 1024 / 1024} MiB; import the log in parts.`);
    chunks.push(chunk);
  }
  try {
    return rawObject(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest("A sample of the evaluation log is not valid JSON.");
    throw error;
  }
}
