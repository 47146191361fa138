import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { household } from "../../../worlds/samples/household/index.ts";
import { playScript } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import type { Invoke } from "../../helpers/app.ts";

/** The test agent's program. */
export const agentProgram = [process.execPath, fileURLToPath(new URL("../runs/agent.mjs", import.meta.url))];

/** A file with the right calls and answer of every task of the household, and of those in another key. */
export function householdKey(other?: string): string {
  const home = household();
  const world = createWorld(home.bundle, home.base, { seed: home.seed });
  const entries = home.tasks.map((task) => {
    const { calls, answers } = playScript(world.fork(), task.script);
    return [task.request, { calls, answer: answers.at(-1)?.text ?? "", class: task.script.class }];
  });
  const known = other === undefined ? {} : JSON.parse(readFileSync(other, "utf8"));
  const file = join(mkdtempSync(join(tmpdir(), "home-")), "key.json");
  writeFileSync(file, JSON.stringify({ ...known, ...Object.fromEntries(entries) }));
  return file;
}

/** Connects the test agent with such a file; a fault makes it a worse one. */
export async function connectKnowing(invoke: Invoke, name: string, key: string, fault = ""): Promise<string> {
  const made = await invoke("agents_post", {
    kind: "command",
    name,
    command: agentProgram,
    env: { KEY: key, FAULT: fault },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.agent.id;
}
