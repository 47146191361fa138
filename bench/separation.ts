import { existsSync, readdirSync } from "node:fs";
import { compileNewest } from "../chapters/sandboxes/surfaces/compile-newest.ts";
import { readTools, readTraces } from "../src/fidelity/traces.ts";
import { deskTraces } from "../test/helpers/desk-traces.ts";
import type { ToolDefinition } from "../worlds/bundle.ts";
import { draw } from "../worlds/draw/index.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { generateTasks } from "../worlds/tasks/generate.ts";
import { reviewAll } from "../worlds/tasks/grading/review.ts";
import { type Separation, separation } from "../worlds/tasks/grading/separation.ts";
import { usable } from "./marks.ts";

/** How many tasks are written of a service. */
const COUNT = 60;

interface Service {
  readonly name: string;
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[] | undefined;
}

/** How many certified tasks of each service agents meet that did not do what was asked: a line a service. */
export async function* separations(): AsyncGenerator<string> {
  for await (const service of services()) yield lineOf(service);
}

async function* services(): AsyncGenerator<Service> {
  const desk = new URL("../worlds/samples/desk/tools.json", import.meta.url).pathname;
  yield { name: "desk", traces: deskTraces(), tools: await readTools(desk) };
  const data = process.env.SVC_DATA;
  if (data === undefined) return;
  for (const name of ["airline", "retail"]) {
    const files = ["tau2.gpt-4.1.json", "tau2.toolorchestra-gpt-4.1-mini.json"].map((f) => `${data}/dev/${name}/${f}`);
    if (existsSync(files[0]!)) yield service(name, files, `${data}/dev/${name}/tools.tau2.json`);
  }
  const folder = `${data}/dev2`;
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const tools = `${folder}/${name}/tools.json`;
    for (const size of ["train", "train-small"]) {
      const file = `${folder}/${name}/${size}/sessions.jsonl`;
      if (existsSync(file)) yield service(size === "train" ? name : `${name}, small`, [file], tools);
    }
  }
}

async function service(name: string, files: readonly string[], tools: string): Promise<Service> {
  const { traces } = await readTraces(files, () => {});
  return { name, traces, tools: existsSync(tools) ? await readTools(tools) : undefined };
}

function lineOf({ name, traces, tools }: Service): string {
  const { bundle, base } = compileNewest(traces, { name, ...(tools === undefined ? {} : { tools }) });
  const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
  const written = generateTasks(env.bundle, env.base, { seed: "1", count: COUNT, mined: traces });
  const { reviews } = reviewAll(written, env);
  const tasks = written.filter((_, i) => reviews[i]?.certificate.passed);
  const met = separation(tasks, env).map(({ agent, met, tasks: on }: Separation) => `${agent} ${met.length}/${on}`);
  return `${name}: ${tasks.length} of ${written.length} certified; ${usable(tasks)}; met by ${met.join(", ")}`;
}
