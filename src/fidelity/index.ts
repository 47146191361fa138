import { closeSync, createWriteStream, existsSync, mkdirSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badRequest, unprocessable } from "../../chapters/errors.ts";
import type { ProposalResult } from "../../chapters/sandboxes/proposals/ask.ts";
import { compileNewest } from "../../chapters/sandboxes/surfaces/compile-newest.ts";
import { type FidelityReport, measureFidelity } from "../../worlds/fidelity/index.ts";
import { proposedLines, setAsideText } from "../evaluate/report.ts";
import { askModel, reportOf } from "./asking.ts";
import { readOptions } from "./options.ts";
import { readRecords } from "./records.ts";
import { countsJson, rowJson, table } from "./report.ts";
import { readSessions } from "./sessions.ts";
import { type Origin, readTools, readTraces, type Tell } from "./traces.ts";

/** `svc fidelity`: compiles from some traces, replays others, prints the comparison. Exit status 0 when measured. */
export async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const tell: Tell = (line) => void process.stderr.write(`${line}\n`);
  const train = await readTraces(options.train, tell);
  const replayed =
    options.sessions === undefined
      ? { ...(await readTraces(options.test, tell)), setup: undefined, unflagged: undefined }
      : await readSessions(options.sessions);
  const listed = options.tools === undefined ? train.tools : await readTools(options.tools);
  const records = options.records.length === 0 ? undefined : await readRecords(options.records);
  if (options.out !== undefined) tryToWrite(options.out);
  const inputs = { name: "measured", tools: listed.length === 0 ? undefined : listed, records };
  const asked = options.model === undefined ? undefined : await askModel(options, { ...inputs, traces: train.traces });
  const started = performance.now();
  const compiled = compileNewest(train.traces, {
    name: "measured",
    ...(listed.length === 0 ? {} : { tools: listed }),
    ...(records === undefined ? {} : { records }),
    ...(asked?.proposal === undefined ? {} : { proposal: { by: asked.model, program: asked.proposal } }),
  });
  const proposed = asked && reportOf(asked, compiled.report.proposed);
  for (const line of proposed === undefined ? [] : proposedLines(proposed)) tell(line);
  const { rows, tables } = compiled.report;
  if (compiled.setAside > 0) tell(`${setAsideText(compiled.setAside, compiled.changed)}.`);
  tell(
    `Compiled from ${compiled.traces.length} traces in ${((performance.now() - started) / 1000).toFixed(1)} s: ${rows} rows in ${Object.keys(tables).length} tables.`,
  );
  const report = measureFidelity(compiled, replayed.traces, compiled.traces, replayed.setup, replayed.unflagged, {
    selfReplay: true,
  });
  if (report.calls === 0) throw unprocessable("There is no call with a result to compare.");
  if (options.out !== undefined) await writeRows(options.out, report, replayed.origins);
  if (options.out !== undefined && asked !== undefined) writeProposal(`${options.out}.asked.json`, asked);
  const aside = { set_aside: compiled.setAside, changed_tools: compiled.changed };
  const json = { ...countsJson(report), ...aside, ...(proposed === undefined ? {} : { proposed }) };
  const lines = options.json ? [JSON.stringify(json)] : table(report);
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

/** Refuses a file that cannot be written before anything is computed for it; one that is there stays, none is left. */
function tryToWrite(path: string): void {
  const isThere = existsSync(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, "a"));
    if (!isThere) unlinkSync(path);
  } catch {
    throw badRequest("The file cannot be written:", { names: [path] });
  }
}

function writeProposal(path: string, { exchanges, proposal }: ProposalResult): void {
  try {
    writeFileSync(path, `${JSON.stringify({ exchanges, proposal: proposal ?? null }, null, 2)}\n`);
  } catch {
    throw badRequest("The file cannot be written:", { names: [path] });
  }
}

async function writeRows(path: string, report: FidelityReport, origins: ReadonlyMap<string, Origin>): Promise<void> {
  function* lines(): Generator<string> {
    for (const row of report.rows) yield `${JSON.stringify(rowJson(row, origins))}\n`;
  }
  try {
    await pipeline(Readable.from(lines()), createWriteStream(path));
  } catch {
    throw badRequest("The file cannot be written:", { names: [path] });
  }
}
