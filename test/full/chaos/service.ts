import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { WorldRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { type Invoke, invoker, startApp } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";
import { runToEnd, shopIn } from "../../tools/runs/kit.ts";
import { modelsAt } from "./provider.ts";

// A service on a folder, for a test to kill. With `start` it plays every task once in calm, prints those groups, starts
// the run that is disturbed, as two groups of 500 trials in all, and prints them. Then it lets go of worlds that are in
// use, at random, and prints how many.
const [dataDir = "", providerUrl = "", start] = process.argv.slice(2);
const TASKS = 20;
const app = await startApp({ dataDir, config: { ...OPEN_AGENTS.config, models: modelsAt(providerUrl) } });
const org = (await app.service.store.orgByTag("acme")) ?? (await app.org());
if (start === "start") await begin(invoker(app, "rest", await app.org()));

async function begin(invoke: Invoke): Promise<void> {
  const shop = await shopIn(app.service, org.id, TASKS);
  const key = JSON.parse(readFileSync(shop.key, "utf8"));
  // An agent that is wrong on some tasks: a fault that is not its own must not be told from these.
  const requests = Object.keys(key);
  for (const [i, request] of requests.entries())
    if (i % 4 === 0) key[request] = { calls: [], answer: "The answer is 12345678.", class: "answered" };
  writeFileSync(`${dataDir}/key.json`, JSON.stringify(key));
  const agent = fileURLToPath(new URL("../../tools/runs/agent.mjs", import.meta.url));
  const command = `echo $$ >> ${dataDir}/pids; exec ${process.execPath} ${agent}`;
  const env = { KEY: `${dataDir}/key.json`, FAULT: "" };
  const made = await invoke("agents_post", { kind: "command", name: "bot", command, env });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const { environment } = shop;
  const own = { agent: made.body.agent.id, environment };
  const loop = { harness: "react", environment };
  const calm = [(await runToEnd(invoke, own)).group, (await runToEnd(invoke, loop)).group];
  console.log(`calm ${calm.join(" ")} ${org.id}`);
  const groups = [];
  for (const args of [
    { ...own, trials: 15 },
    { ...loop, trials: 10 },
  ]) {
    const { status, body } = await invoke("start_run", args);
    if (status !== 202) throw new Error(JSON.stringify(body));
    groups.push(body.group);
  }
  console.log(`groups ${groups.join(" ")}`);
}

const ctx = ctxOf(app.service, { id: org.id, tag: "acme" }, { name: "chaos" });
let closed = 0;
for (;;) {
  const { items } = await ctx.store.records.list(WorldRecord, { limit: 40 });
  const used = items.filter((world) => world.ended_at === undefined);
  const one = used[Math.floor(Math.random() * used.length)];
  if (one) {
    ctx.worlds.close(one.id);
    closed += 1;
  }
  console.log(`worlds ${closed}`);
  await new Promise((resolve) => setTimeout(resolve, 60));
}
