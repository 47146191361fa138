import { invoker, startApp } from "../../helpers/app.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";
import { shopIn } from "./kit.ts";

// A service on a folder, killed when so many trials are written. With `start` it begins a run of an agent that takes its
// time and prints the group. It counts in its own process: a test that counted would come late on a busy machine.
const [dataDir = "", until, start] = process.argv.slice(2);
const app = await startApp({ dataDir, ...OPEN_AGENTS });
const known = await app.service.store.orgByTag("acme");
const store = app.service.store.forOrg(known?.id ?? (await app.org()).id);
if (start === "start") {
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const { environment } = await shopIn(app.service, org.id, 12);
  const line = `read turn; echo $$ >> ${dataDir}/pids; sleep 0.2; echo '{"answer":"x"}'`;
  const { body } = await invoke("agents_post", { kind: "command", name: "slow", command: line });
  const run = await invoke("start_run", { agent: body.agent.id, environment, trials: 5 });
  console.log(`group ${run.body.group} ${org.id}`);
}
for (;;) {
  const { items } = await store.jobs.list({ kind: "run", limit: 1 });
  const counts = items[0] ? await store.trials.tally(items[0].id) : {};
  if (Object.values(counts).reduce((sum, n) => sum + n, 0) >= Number(until)) process.kill(process.pid, "SIGKILL");
  await new Promise((resolve) => setTimeout(resolve, 20));
}
