import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { household } from "../../../worlds/samples/household/index.ts";
import { playScript } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import type { Invoke } from "../../helpers/app.ts";
import { folderOfRun } from "../../helpers/run/results-folder.ts";

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
  const file = join(folderOfRun("home-"), "key.json");
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

/** Every row of the household read in a session of its own, and its tasks played, as tau-bench writes them. */
export function householdSessions(): object[] {
  const home = household();
  const world = createWorld(home.bundle, home.base, { seed: home.seed });
  const reads = Object.entries({
    members: "get_member",
    chores: "get_chore",
    pantry: "get_item",
    appointments: "get_appointment",
  });
  const looked = reads.flatMap(([table, tool]) =>
    [...world.rows(table)].map(([key, row]) => {
      const args = { [Object.keys(row)[0] ?? ""]: key };
      return {
        request: `Please look up ${key}.`,
        calls: [{ tool, args, answer: world.fork().call(tool, args).value }],
      };
    }),
  );
  const played = home.tasks.map((task) => ({
    request: task.request,
    calls: playScript(world.fork(), task.script).calls,
  }));
  return [...looked, ...played].map(({ request, calls }, task_id) => ({
    task_id,
    trial: 0,
    reward: 1,
    info: {},
    traj: [
      { role: "user", content: request },
      ...calls.flatMap(({ tool, args, answer }, i) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }],
        },
        {
          role: "tool",
          tool_call_id: `c${i}`,
          name: tool,
          content: typeof answer === "string" ? answer : JSON.stringify(answer),
        },
      ]),
      { role: "assistant", content: "Done." },
    ],
  }));
}
