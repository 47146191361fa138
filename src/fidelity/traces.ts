import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { AppError, unprocessable } from "../../chapters/errors.ts";
import { type OpenEvidence, openEvidence } from "../../chapters/evidence/reading/evidence.ts";
import { answersOf, toObserved } from "../../chapters/evidence/traces/observed.ts";
import { joinListings, traceName } from "../../chapters/sandboxes/surfaces/compile-newest.ts";
import type { ToolDefinition } from "../../worlds/bundle.ts";
import type { ObservedTrace } from "../../worlds/observation.ts";
import { filesOf } from "../evaluate/files.ts";

/** Where a replayed trace came from. */
export interface Origin {
  readonly file: string;
  /** What its file calls it. */
  readonly trajectory: string;
}

/** The traces of some files, and the tools listings that lay among them. */
export interface ReadTraces {
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[];
  /** By the id of the trace. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Tells a person something that is no result. */
export type Tell = (line: string) => void;

/** An error with the name of the file it is about, as everything read from files is told. */
export function inFile(error: unknown, file: string): unknown {
  return error instanceof AppError ? new AppError(error.code, error.reason, { names: [file] }) : error;
}

/** Reads traces of files and folders in any format, reports other content, and throws AppError where no trace is left. */
export async function readTraces(paths: readonly string[], tell: Tell): Promise<ReadTraces> {
  const traces: ObservedTrace[] = [];
  const listings: (readonly ToolDefinition[])[] = [];
  const origins = new Map<string, Origin>();
  for (const path of paths) {
    const files = filesOf(path);
    for (const file of files) {
      const opened = await open(file);
      if (opened.format.kind === "tool_listing") {
        listings.push(await opened.tools());
      } else if (opened.format.kind === "traces") {
        await readFile(file, opened, traces, origins);
      } else if (files.length > 1 || files[0] !== path) {
        tell(`${file} was left out: it holds no traces.`);
      } else {
        throw unprocessable("The file holds no traces.", { names: [file] });
      }
      tellRefusals(file, opened, tell);
    }
  }
  if (traces.length === 0) throw unprocessable("There are no traces to read in:", { names: [...paths] });
  return { traces, tools: joinListings(listings) ?? [], origins };
}

/** The tools of a listing. Throws AppError where the file holds none. */
export async function readTools(file: string): Promise<ToolDefinition[]> {
  const [only] = filesOf(file);
  const opened = await open(only ?? file);
  if (opened.format.kind !== "tool_listing") throw unprocessable("The file is no tools listing.", { names: [file] });
  return opened.tools();
}

async function open(file: string): Promise<OpenEvidence> {
  try {
    // Nothing is kept of what is read here, so values that look like secrets may stay.
    return await openEvidence(createReadStream(file), { allowSecrets: true });
  } catch (error) {
    throw inFile(error, file);
  }
}

async function readFile(
  file: string,
  opened: OpenEvidence,
  traces: ObservedTrace[],
  origins: Map<string, Origin>,
): Promise<void> {
  try {
    // Named as the service names what it stores, by bytes and place: the same evidence is compiled in the same order.
    const digest = await digestOfFile(file);
    let position = 0;
    for await (const { trace } of opened.traces()) {
      const name = traceName(digest, position++);
      const id = origins.has(name) ? `${name} ${traces.length}` : name;
      traces.push({ ...toObserved(trace, id), source: digest, answers: answersOf(trace) });
      origins.set(id, { file, trajectory: trace.session });
    }
  } catch (error) {
    throw inFile(error, file);
  }
}

async function digestOfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

function tellRefusals(file: string, { tally }: OpenEvidence, tell: Tell): void {
  const [first] = tally.refused;
  if (first)
    tell(
      `${file}: ${tally.refusedCount} item${tally.refusedCount === 1 ? " was" : "s were"} left out, first ${first.line}: ${first.reason}.`,
    );
}
