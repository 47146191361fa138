import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { bothSurfaces, FakeClock } from "../../../helpers/app.ts";
import { testRepo } from "../../../helpers/git.ts";
import { endOf, runToEnd, shopIn } from "../../runs/kit.ts";

const AGENT = readFileSync(new URL("../../runs/agent.mjs", import.meta.url), "utf8");
/** Ends at once where its checkout is not as its commit and setup say, or where it sees more than it was given. */
const GUARD = `
import { existsSync, writeFileSync } from "node:fs";
const leaked = Object.keys(process.env).filter((name) => /^(SVC_(?!TRIAL_)|npm_|VITEST|NODE_ENV)/.test(name));
if (leaked.length > 0) { console.error("sees " + leaked); process.exit(9); }
if (!existsSync("ready.txt")) { console.error("no setup"); process.exit(9); }
if (existsSync("mark.txt")) { console.error("another trial was here"); process.exit(9); }
writeFileSync("mark.txt", "x");
`;
const SETUP = 'test -z "$KEY" && cat agent.mjs | wc -c > ready.txt && date +%s%N > setup-at';
const node = process.execPath;

bothSurfaces(
  "a repository agent is cloned at its commit, set up once and run in a copy per trial",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 4);
    const repo = testRepo({ "agent.mjs": `${GUARD}\n${AGENT}` });
    try {
      const first = repo.git("rev-parse", "HEAD");
      const made = await invoke(
        "agents_post",
        {
          kind: "repository",
          name: "bot",
          url: repo.folder,
          setup: SETUP,
          run: [node, "agent.mjs"],
          env: { KEY: shop.key },
        },
        org.push,
      );
      expect(made).toMatchObject({ status: 201, body: { job: null, agent: { kind: "repository", available: true } } });
      expect(made.body.agent.versions[0]).toMatchObject({
        kind: "repository",
        ref: "main",
        sha: first,
        setup: SETUP,
        env: ["KEY"],
      });
      expect(JSON.stringify(made.body)).not.toContain(shop.key);
      const aid = made.body.agent.id;
      const trees = `${app.dataDir}/agents`;
      const setups = () =>
        readdirSync(trees)
          .filter((name) => name.endsWith(".ready"))
          .map((name) => readFileSync(`${trees}/${name.slice(0, -6)}/setup-at`, "utf8"));
      const run = { agent: aid, environment: shop.environment, trials: 2 };
      const one = await runToEnd(invoke, run);
      expect(one.status).toBe("landed");
      expect((await invoke("run_group", { gid: one.group })).body.rates).toMatchObject({
        met: 8,
        failed: 0,
        infra: 0,
      });
      const { tries } = (await invoke("job_calls", { job_id: one.group })).body;
      expect(tries[0].egress).toMatchObject({ forwarded: 0, refused: 0 });

      const [firstSetup] = setups();
      // A worse commit is another version; the first one still runs as it was.
      repo.commit({ "agent.mjs": `${GUARD}\nprocess.env.FAULT = "silent";\n${AGENT}` }, "worse");
      expect(
        (await invoke("agent_versions_post", { aid, ref: "worse", url: "https://elsewhere.example/x/y.git" })).status,
      ).toBe(422);
      const worse = await invoke("agent_versions_post", { aid, ref: "worse" }, org.push);
      expect(worse.body.version).toMatchObject({
        ref: "worse",
        command: [node, "agent.mjs"],
        env: ["KEY"],
      });
      const two = await runToEnd(invoke, { ...run, agent_version: worse.body.version.version });
      expect((await invoke("run_group", { gid: two.group })).body.rates).toMatchObject({ met: 0, failed: 8 });
      const again = await runToEnd(invoke, { ...run, agent_version: "1", trials: 1 });
      expect((await invoke("run_group", { gid: again.group })).body.rates).toMatchObject({ met: 4 });
      expect(setups()).toHaveLength(2);
      expect(setups()).toContain(firstSetup);

      expect(await invoke("agents_patch", { aid, run: "node other.mjs" })).toMatchObject({
        status: 400,
        body: { fields: [{ path: "env" }] },
      });
      expect(await invoke("agents_patch", { aid, command: "x" })).toMatchObject({
        status: 400,
        body: { fields: [{ path: "command" }] },
      });
      const changed = await invoke("agents_patch", {
        aid,
        setup: "exit 3",
        run: [node, "agent.mjs"],
        env: {},
        version: "bad",
      });
      expect(changed.body.versions.at(-1)).toMatchObject({ version: "bad", setup: "exit 3", env: [] });
      const failed = await invoke("start_run", { ...run, agent_version: "bad" });
      expect(await endOf(invoke, failed.body.job)).toBe("failed");
      const { jobs } = (await invoke("jobs_list")).body;
      expect(JSON.stringify(jobs)).toContain("The setup of the agent's repository failed");

      expect(await invoke("agents_post", { kind: "repository", name: "x", url: `${repo.folder}/none` })).toMatchObject({
        status: 422,
      });
      expect(
        (await invoke("agents_post", { kind: "repository", name: "x", url: repo.folder, ref: "none" })).status,
      ).toBe(422);
      expect((await invoke("agents_post", { kind: "repository", name: "x" })).body.fields[0].path).toBe("url");
    } finally {
      repo.close();
    }
  },
);

bothSurfaces(
  "where commands are off no repository of this machine is cloned",
  async (invoke) => {
    const repo = testRepo({ "agent.mjs": "" });
    const refused = await invoke("agents_post", {
      kind: "repository",
      name: "x",
      url: repo.folder,
      run: "node agent.mjs",
    });
    expect(refused.status).toBe(403);
    repo.close();
  },
  { config: { commandsAllowed: false } },
);

bothSurfaces("how a repository is run is detected, pinned as a version and tried", async (invoke, { org }) => {
  const answer = `process.stdin.on("data", () => console.log(JSON.stringify({ answer: process.env.SVC_TRIAL_ID ? "ok" : "" })));\nprocess.stdin.on("end", () => process.exit(0));\n`;
  const repo = testRepo({
    "package.json": JSON.stringify({
      name: "bot",
      main: "other.js",
      scripts: { agent: "node src/bot.mjs", start: "false" },
    }),
    "src/bot.mjs": `${answer}console.error(process.env.SHOP_TOKEN);\n`,
  });
  try {
    const made = await invoke("agents_post", { kind: "repository", name: "bot", url: repo.folder }, org.push);
    expect(made).toMatchObject({ status: 201, body: { agent: { available: false } } });
    expect(made.body.agent.why_not).toContain("detect");
    const aid = made.body.agent.id;
    expect(await endOf(invoke, made.body.job)).toBe("landed");
    const { agent } = (await invoke("agents_get", { aid }, org.read)).body;
    expect(agent).toMatchObject({
      available: true,
      detected: {
        adapter: "svc",
        command: ["npm", "run", "--silent", "agent"],
        read: ["package.json"],
        env: ["SHOP_TOKEN"],
        tier: "deterministic",
      },
      versions: [{ version: "1" }, { command: ["npm", "run", "--silent", "agent"], sha: agent.detected.sha }],
    });
    expect(agent.versions[0]).not.toHaveProperty("command");
    expect(agent.detected.version).toBe(agent.versions[1].version);
    expect(await endOf(invoke, agent.detected.probe.job)).toBe("landed");
    const probe = (await invoke("job_status", { job_id: agent.detected.probe.job })).body.result;
    expect(probe).toMatchObject({ answered: true, connected: false });

    // The same commit again pins nothing more; a new one is pinned.
    const detect = async () => {
      const started = await invoke("agent_detect", { aid }, org.push);
      expect(started).toMatchObject({ status: 202, body: { agent: aid } });
      expect(await endOf(invoke, started.body.job)).toBe("landed");
      return (await invoke("agents_get", { aid })).body.agent;
    };
    expect((await detect()).versions).toHaveLength(2);
    const head = repo.commit({ "src/bot.mjs": answer });
    expect((await detect()).versions.at(-1)).toMatchObject({ sha: head });

    const bare = testRepo({ "README.md": "nothing to run" });
    const none = await invoke("agents_post", { kind: "repository", name: "none", url: bare.folder });
    expect(await endOf(invoke, none.body.job)).toBe("landed");
    const after = (await invoke("agents_get", { aid: "none" })).body.agent;
    expect(after).toMatchObject({
      available: false,
      detected: {
        line: expect.stringContaining("None of its files"),
      },
    });
    expect(after.versions).toHaveLength(1);
    expect((await invoke("start_run", { agent: "none" })).status).toBe(409);
    bare.close();
    const web = (await invoke("agents_post", { kind: "command", name: "c", command: "x" })).body.agent.id;
    expect((await invoke("agent_detect", { aid: web })).status).toBe(409);
    expect((await invoke("agent_detect", { aid }, org.read)).status).toBe(403);
  } finally {
    repo.close();
  }
});

const clock = new FakeClock();
bothSurfaces(
  "a schedule of kind scan scans the agent it names",
  async (invoke, { app }) => {
    const repo = testRepo({ "agent.mjs": "" });
    const made = { kind: "repository", name: "bot", url: repo.folder, run: "node agent.mjs" };
    const aid = (await invoke("agents_post", made)).body.agent.id;
    const schedule = await invoke("schedules_post", { kind: "scan", agent: aid, cadence: "hourly" });
    expect(schedule).toMatchObject({ status: 201, body: { agent: aid, fire_blocked: null } });
    const head = repo.commit({ "tools.ts": "1" });
    clock.advance(3_700);
    await app.service.schedules.tick();
    const jobs = (await invoke("jobs_list")).body.jobs.filter(({ kind }: { kind: string }) => kind === "agent_scan");
    expect(jobs).toHaveLength(1);
    expect(await endOf(invoke, jobs[0].id)).toBe("landed");
    expect((await invoke("agents_get", { aid })).body.agent.versions.at(-1)).toMatchObject({ sha: head });
    await invoke("agent_retire", { aid, retired: true });
    expect((await invoke("schedules_list")).body.schedules[0].fire_blocked).toContain("retired");
    repo.close();
  },
  { clock },
);
