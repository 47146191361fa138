import { expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { draw } from "../../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../../worlds/world.ts";

const NAMES = ["Garden", "Kitchen", "Office", "Travel", "School", "Garage", "Attic", "Studio"];
const ITEMS = ["rake", "kettle", "stapler", "ticket", "ruler", "wrench", "lantern", "easel"];

/** Lists of things, of a server that answers in texts alone and makes up the id of all that it makes. */
class Lists {
  private readonly lists = new Map<string, { name: string; items: string[] }>();
  private readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  private id(): string {
    const digits = Array.from({ length: 7 }, () => "0123456789abcdef"[this.random.int(0, 15)]);
    return `${digits.join("")}${this.random.int(0, 9)}`;
  }

  call(tool: string, args: JsonObject): ObservedCall {
    const said = (result: string, isError = false): ObservedCall => ({ tool, args, result, isError });
    if (tool === "create_list") {
      const id = this.id();
      this.lists.set(id, { name: String(args.name), items: [] });
      return said(`Created **${args.name}** (${id})`);
    }
    const list = this.lists.get(String(args.list_id));
    if (list === undefined) return said(`There is no list ${args.list_id}.`, true);
    if (tool === "add_item") {
      list.items.push(String(args.item));
      return said(`Added ${args.item} to **${list.name}**.`);
    }
    return said([`# ${list.name}`, ...list.items.map((item) => `- ${item}`)].join("\n"));
  }
}

/** One session of a task: creates a list and puts the asked things on it, or only so many of them. */
function session(task: number, agent: number, done: number): ObservedTrace {
  const lists = new Lists(task * 100 + agent * 17 + 3);
  const calls: ObservedCall[] = [];
  const take = (tool: string, args: JsonObject) => {
    const call = lists.call(tool, args);
    calls.push(call);
    return String(call.result);
  };
  const name = NAMES[task % NAMES.length]!;
  const items = [ITEMS[(task * 3) % ITEMS.length]!, ITEMS[(task * 3 + 5) % ITEMS.length]!];
  const id = /\((\w+)\)/.exec(take("create_list", { name }))?.[1] ?? "";
  for (const item of items.slice(0, done)) take("add_item", { list_id: id, item });
  take("show_list", { list_id: id });
  return {
    id: `task ${task} agent ${agent}`,
    group: `task ${task}`,
    request: `Create the list "${name}" and put the ${items[0]} and the ${items[1]} on it.`,
    calls,
  };
}

/** Sessions of no request, from which the server is learnt. */
function practice(): ObservedTrace[] {
  return Array.from({ length: 60 }, (_, at) => {
    const random = new Random(at * 31 + 7);
    const lists = new Lists(at + 5000);
    const ids = ["00000000"];
    const calls = Array.from({ length: random.int(6, 14) }, () => {
      const first = ids.length === 1 || random.chance(0.15);
      if (first) {
        const call = lists.call("create_list", { name: random.pick(NAMES) });
        ids.push(/\((\w+)\)/.exec(String(call.result))?.[1] ?? "");
        return call;
      }
      const list_id = random.chance(0.1) ? random.pick(ids) : ids.at(-1)!;
      if (random.chance(0.5)) return lists.call("show_list", { list_id });
      return lists.call("add_item", { list_id, item: random.pick(ITEMS) });
    });
    return { id: `practice ${at}`, calls };
  });
}

function minedOf(traces: readonly ObservedTrace[]) {
  const { bundle, base } = compile([...practice(), ...traces], { name: "lists" });
  const env = { bundle, base: draw(bundle, base, { seed: "1" }) };
  const tasks = generateTasks(bundle, env.base, { seed: "1", count: 20, families: ["mined"], mined: traces });
  return { env, tasks };
}

const toolsOf = ({ script }: Task) => script.calls.map(({ tool }) => tool);

const THREE = [0, 1, 2];
const TASKS = [...NAMES.keys()];

test("a script refers to the id that a text tells", () => {
  const { tasks } = minedOf(TASKS.flatMap((task) => THREE.map((agent) => session(task, agent, 2))));
  expect(tasks.length).toBeGreaterThan(3);
  for (const task of tasks) {
    expect(toolsOf(task)).toEqual(["create_list", "add_item", "add_item"]);
    expect(task.script.calls[1]?.args.list_id).toMatch(/^\$1~"/);
  }
});

test("a session that left a part out does not show that the part is free", () => {
  const traces = TASKS.flatMap((task) => THREE.map((agent) => session(task, agent, agent === 0 ? 0 : 2)));
  const { env, tasks } = minedOf(traces);
  expect(tasks.length).toBeGreaterThan(3);
  for (const task of tasks) {
    const created = playScript(
      createWorld(env.bundle, env.base, { seed: "1" }),
      { ...task.script, calls: task.script.calls.slice(0, 1) },
      1,
    );
    expect(grade(task, created, env).end).toBe("failed");
  }
});

test("no task comes of sessions of which none did all that was asked", () => {
  // Each put on the list what another left out.
  const traces = TASKS.flatMap((task) => [session(task, 0, 1), { ...session(task, 1, 2), calls: withoutFirst(task) }]);
  expect(minedOf(traces).tasks).toEqual([]);
});

function withoutFirst(task: number): ObservedCall[] {
  const { calls } = session(task, 1, 2);
  return [calls[0]!, calls[2]!];
}

test("no task asks for what one session alone did, which the user may have excepted", () => {
  const excepting = (task: number, agent: number, done: number): ObservedTrace => ({
    ...session(task, agent, done),
    request: (session(task, agent, done).request ?? "")
      .replace(" and the ", " on it, but not the ")
      .replace(" on it.", "."),
  });
  const traces = TASKS.flatMap((task) => THREE.map((agent) => excepting(task, agent, agent === 0 ? 2 : 1)));
  expect(minedOf(traces).tasks).toEqual([]);
});
