import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelCall } from "../../../chapters/records/models/models.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { type Invoke, onBoth, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { folderOfRun } from "../../helpers/run/results-folder.ts";
import { type FakeProvider, startProvider } from "../../helpers/vendors/models.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";
import { placeIn, runToEnd } from "./kit.ts";

/** Tasks that leave out which row is meant, and nothing else. */
const tasks = generateTasks(shop, shopRows, { seed: "1", count: 30, families: ["ambiguous"] })
  .filter(({ script, user }) => user !== undefined && script.questions?.length === 1)
  .slice(0, 3);

let provider: FakeProvider;
let app: TestApp;
let orgs = 0;

beforeAll(async () => {
  provider = await startProvider();
  app = await startApp({ config: provider.config });
});
afterAll(async () => {
  await app.close();
  expect(provider.unscripted()).toBe(0);
  await provider.close();
});

const meant = ({ user }: Task) => String(user?.knows[0]?.value);
const act = (task: Task) => {
  const call = task.script.calls.at(-1);
  if (!call) throw new Error("the script makes no call");
  return call;
};

/** The call of each request without the row, and another row of its own table. */
function key(): string {
  const entries = tasks.map((task) => {
    const { tool, args } = act(task);
    const rows = Object.values(shopRows.tables).find((table) => Object.hasOwn(table, meant(task))) ?? {};
    const other = Object.keys(rows).find((name) => name !== meant(task));
    return [task.request, { tool, args: JSON.parse(JSON.stringify(args).replaceAll(meant(task), "<row>")), other }];
  });
  const file = join(folderOfRun("key-"), "key.json");
  writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
  return file;
}

async function scene(): Promise<{ org: TestOrg; invoke: Invoke; environment: string }> {
  orgs += 1;
  const org = await app.org(`org-${orgs}`);
  const { environment } = await placeIn(app.service, org.id, "shop", { bundle: shop, base: shopRows }, tasks);
  return { org, invoke: onBoth(app, org), environment };
}

async function trees(invoke: Invoke, args: Record<string, unknown>) {
  const { group } = await runToEnd(invoke, args);
  const { run } = (await invoke("run_group", { gid: group })).body.environments[0];
  const { trials } = (await invoke("run_trace", { rid: run })).body;
  return Promise.all(
    trials.map(async ({ trial }: { trial: string }) => (await invoke("run_trace", { rid: run, trial })).body.tree),
  );
}

describe("tasks with a simulated user", () => {
  it("a command agent that asks is told and meets them; one that only asks, and one that guesses, fail", async () => {
    expect(tasks).toHaveLength(3);
    const { invoke, environment } = await scene();
    const file = fileURLToPath(new URL("./asking-agent.mjs", import.meta.url));
    const connect = async (name: string) => {
      const env = { KEY: key(), FAULT: name };
      const made = await invoke("agents_post", { kind: "command", name, command: [process.execPath, file], env });
      return made.body.agent.id;
    };
    for (const tree of await trees(invoke, { agent: await connect("asks"), environment })) {
      expect(tree).toMatchObject({ end: "met", root_cause: null });
      expect(tree.answers).toHaveLength(2);
      expect(tree.said).toHaveLength(1);
      expect(tree.said[0]).toMatchObject({ calls: 0, tier: "deterministic" });
      expect(tasks.some((task) => tree.said[0].text.includes(meant(task)))).toBe(true);
    }
    for (const tree of await trees(invoke, { agent: await connect("forever"), environment })) {
      expect(tree).toMatchObject({ end: "failed", cause: "checks" });
      expect(tree.said.length).toBeGreaterThan(4);
      expect(tree.answers).toHaveLength(tree.said.length + 1);
    }
    for (const tree of await trees(invoke, { agent: await connect("guess"), environment }))
      expect(tree).toMatchObject({ end: "failed", cause: "checks", said: [] });
  });

  it("the reference meets them, and silence does not", async () => {
    const { invoke, environment } = await scene();
    for (const tree of await trees(invoke, { harness: "reference", environment })) {
      expect(tree).toMatchObject({ end: "met" });
      expect(tree.said).toHaveLength(1);
    }
    for (const tree of await trees(invoke, { harness: "null", environment })) expect(tree.end).toBe("failed");
  });

  it("a model's tool loop is answered by rule, and at the other tier by a model, which cannot make a value up", async () => {
    const { org, invoke, environment } = await scene();
    const [task] = tasks as [Task];
    const { tool, args } = act(task);
    const run = async (tier: string) => (await trees(invoke, { harness: "react", environment, tasks: ["0"], tier }))[0];
    const asks = { text: "Which one do you mean, please?", tokens: [5, 5] as [number, number] };
    const acts = { calls: [{ tool, args }], tokens: [5, 5] as [number, number] };
    const done = { text: "Done: it has been changed as you asked.", tokens: [5, 5] as [number, number] };
    const user = (reply: string, ends = false) => ({
      text: JSON.stringify({ ends, reply }),
      tokens: [5, 5] as [number, number],
    });

    provider.say(asks, acts, done);
    expect(await run("deterministic")).toMatchObject({ end: "met", said: [{ tier: "deterministic" }] });

    provider.say(asks, user(`It's ${meant(task)}, thanks.`), acts, done, user("", true));
    const told = await run("llm-derived");
    expect(told).toMatchObject({ end: "met", said: [{ text: `It's ${meant(task)}, thanks.`, tier: "llm-derived" }] });
    expect(told.exchanges.map(({ name }: { name: string }) => name)).toContain("simulated_user");
    const shown = provider.requests
      .map(({ body }) => JSON.stringify(body))
      .find((body) => body.includes("You play a user"));
    expect(shown).toContain(meant(task));

    // Twice a value that nobody knows, then no JSON at all: the rule replies in its place, and says so.
    provider.say(asks, user("It's ZZ-99999."), user("It's ZZ-99998."), acts, done, user("", true));
    const ruled = await run("llm-derived");
    expect(ruled).toMatchObject({ end: "met", said: [{ tier: "deterministic" }] });
    expect(ruled.said[0].text).toContain(meant(task));
    const calls = (await app.service.store.forOrg(org.id).records.list(ModelCall, { limit: 100 })).items;
    expect(
      calls
        .filter(({ pass }) => pass === "simulated_user")
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(["answered", "answered", "answered", "malformed", "malformed"]);
  });
});
