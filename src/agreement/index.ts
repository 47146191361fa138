import { unprocessable } from "../../chapters/errors.ts";
import { compileNewest } from "../../chapters/sandboxes/surfaces/compile-newest.ts";
import { measureAgreement } from "../../worlds/tasks/observed/agreement.ts";
import { readRecords } from "../fidelity/records.ts";
import { readTools, readTraces, type Tell } from "../fidelity/traces.ts";
import { readOptions } from "./options.ts";
import { countsJson, table } from "./report.ts";

/** `svc agreement`: mines tasks from rewarded traces, grades others and compares with their rewards. Exit status 0 when measured. */
export async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const tell: Tell = (line) => void process.stderr.write(`${line}\n`);
  const train = await readTraces(options.train, tell);
  const test = await readTraces(options.test, tell);
  const listed = options.tools === undefined ? train.tools : await readTools(options.tools);
  const records = options.records.length === 0 ? undefined : await readRecords(options.records);
  const compiled = compileNewest(train.traces, {
    name: "measured",
    ...(listed.length === 0 ? {} : { tools: listed }),
    ...(records === undefined ? {} : { records }),
  });
  const agreement = measureAgreement(compiled, train.traces, test.traces);
  if (agreement.tasks === 0) throw unprocessable("No training trace carries both a task id and a full reward.");
  if (agreement.judged.length === 0)
    throw unprocessable("No test trace carries a reward and the task id of a rewarded training trace.");
  const lines = options.json ? [JSON.stringify(countsJson(agreement))] : table(agreement, test.origins);
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}
