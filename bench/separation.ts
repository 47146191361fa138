import { existsSync, readdirSync, readFileSync } from "node:fs";
import { compileNewest } from "../chapters/sandboxes/surfaces/compile-newest.ts";
import { readTools, readTraces } from "../src/fidelity/traces.ts";
import { deskTraces } from "../test/helpers/desk-traces.ts";
import type { ToolDefinition } from "../worlds/bundle.ts";
import { draw } from "../worlds/draw/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { countDistinct } from "../worlds/tasks/distinct.ts";
import { generateTasks } from "../worlds/tasks/generate.ts";
import type { GradeEnv } from "../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../worlds/tasks/grading/review.ts";
import { type Separation, separation } from "../worlds/tasks/grading/separation.ts";
import { reviewKit } from "../worlds/tasks/grading/variation.ts";
import { type Losses, tellLosses } from "../worlds/tasks/losses.ts";
import type { Task } from "../worlds/tasks/schema.ts";
import { sequenceOf } from "../worlds/tasks/spread.ts";
import { corpusOf } from "../worlds/tasks/words/corpus.ts";
import { naturalness } from "../worlds/tasks/words/natural.ts";
import { printForReader, usable } from "./marks.ts";
import { RootCauses } from "./planted-faults.ts";
import { replayed } from "./replayed.ts";

/** A set of fewer says where its tasks were lost. */
const ENOUGH = 20;
/** How many tasks are written of a service. */
const COUNT = 60;

interface Service {
  readonly name: string;
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[] | undefined;
  /** What was pushed of its policy. */
  readonly documents?: readonly string[];
  /** Where its test sessions are, where it has some. */
  readonly folder?: string | undefined;
}

/**
 * A line a service: its distinct tasks that count, by family, how its mined ones judge other recorded sessions, and how
 * many of its tasks agents meet that did not do what was asked; at the end what planted faults were called, by kind and
 * family. SVC_ONLY narrows it to services whose names hold it,
 * and SVC_READ prints instead the tasks that a reader marks.
 */
export async function* separations(): AsyncGenerator<string> {
  const causes = new RootCauses();
  for await (const service of services()) yield await lineOf(service, causes);
  yield causes.lines().join("\n");
}

async function* services(): AsyncGenerator<Service> {
  const wanted = (name: string) => name.includes(process.env.SVC_ONLY ?? "");
  const desk = new URL("../worlds/samples/desk/tools.json", import.meta.url).pathname;
  if (wanted("desk")) yield { name: "desk", traces: deskTraces(), tools: await readTools(desk) };
  const data = process.env.SVC_DATA;
  if (data === undefined) return;
  for (const name of ["airline", "retail"]) {
    const files = ["tau2.gpt-4.1.json", "tau2.toolorchestra-gpt-4.1-mini.json"].map((f) => `${data}/dev/${name}/${f}`);
    if (!wanted(name) || !existsSync(files[0]!)) continue;
    const documents = [readFileSync(`${data}/dev/${name}/policy.tau2.md`, "utf8")];
    yield { ...(await service(name, files, `${data}/dev/${name}/tools.tau2.json`)), documents };
  }
  const folder = `${data}/dev2`;
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const tools = `${folder}/${name}/tools.json`;
    for (const size of ["train", "train-small"]) {
      const file = `${folder}/${name}/${size}/sessions.jsonl`;
      const named = size === "train" ? name : `${name}, small`;
      if (wanted(named) && existsSync(file))
        yield { ...(await service(named, [file], tools)), folder: `${folder}/${name}` };
    }
  }
}

async function service(name: string, files: readonly string[], tools: string): Promise<Service> {
  const { traces } = await readTraces(files, () => {});
  return { name, traces, tools: existsSync(tools) ? await readTools(tools) : undefined };
}

async function lineOf({ name, traces, tools, folder, documents }: Service, causes: RootCauses): Promise<string> {
  const { bundle, base, outOfFold } = compileNewest(traces, { name, ...(tools === undefined ? {} : { tools }) });
  const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
  const losses: Losses = new Map();
  const written = generateTasks(env.bundle, env.base, {
    seed: "1",
    count: COUNT,
    mined: traces,
    ...(documents && { documents }),
    measured: outOfFold,
    losses,
  });
  const certificates = written.map((task) => reviewTask(task, env, written, outOfFold).certificate);
  const certified = written.filter((_, i) => certificates[i]?.passed);
  const tasks = certified.filter((task) => certificates[written.indexOf(task)]?.neighbourhood?.poor === undefined);
  if (process.env.SVC_READ !== undefined) return `${name}: ${usable(tasks)}\n\n${printForReader(tasks)}`;
  const met = separation(tasks, env).map(
    ({ agent, met, tasks: on, trials }: Separation) => `${agent} ${met.length}/${on} (${trials})`,
  );
  const fates = new Map<string, number>();
  for (const { passed, verdicts, neighbourhood } of certificates) {
    const failed = verdicts.find((verdict) => !verdict.passed);
    const fate = passed ? neighbourhood?.poor && `held: ${neighbourhood.poor}` : `refused: ${failed?.name}`;
    if (fate) fates.set(fate, (fates.get(fate) ?? 0) + 1);
  }
  if (fates.size > 0) losses.set("written", fates);
  return [
    `${name}: ${countDistinct(tasks)} distinct, ${tasks.length} of ${written.length} count, ${certified.length - tasks.length} held`,
    ` (${counts(tasks, ({ family }) => family)}); one sequence of tools at most ${most(tasks)}`,
    await replayed(folder, tasks, traces, env),
    `; ${usable(tasks)}; ${naturally(tasks, env, traces)}; met by ${met.join(", ")}`,
    `; ${causes.add(tasks, env)}`,
    tasks.length < ENOUGH ? `; lost: ${tellLosses(losses)}` : "",
  ].join("");
}

/** How many of the requests that can be told of read as users speak, and why the others do not. */
function naturally(tasks: readonly Task[], env: GradeEnv, traces: readonly ObservedTrace[]): string {
  const corpus = corpusOf(traces);
  const read = tasks.map((task) => naturalness(reviewKit(env), task, corpus));
  const told = read.filter(({ verdict }) => verdict !== "not_decided");
  const natural = told.filter(({ verdict }) => verdict === "natural").length;
  const why = read.flatMap(({ verdict, reason }) =>
    verdict === "natural" ? [] : [verdict === "odd" ? reason.replace(/\d+/g, "N") : reason],
  );
  const reasons = [...Map.groupBy(why, (reason) => reason)].map(([reason, { length }]) => `${length} ${reason}`);
  return [`natural ${natural}/${told.length}`, ...reasons].join(", ");
}

function counts(tasks: readonly Task[], of: (task: Task) => string): string {
  return [...Map.groupBy(tasks, of)].map(([value, { length }]) => `${value} ${length}`).join(", ");
}

const most = (tasks: readonly Task[]): number =>
  Math.max(0, ...[...Map.groupBy(tasks, sequenceOf).values()].map(({ length }) => length));
