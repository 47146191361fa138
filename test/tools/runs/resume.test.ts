import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { canonicalJson } from "../../../worlds/digest.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";
import { shopRows } from "../../worlds/fixtures/shop.ts";
import { endOf, runToEnd, shopIn } from "./kit.ts";

bothSurfaces(
  "a stopped run is gone on with: what it finished stays, only what is missing is played",
  async (invoke, { app, org }) => {
    const folder = mkdtempSync(join(tmpdir(), "resume-"));
    try {
      const { environment } = await shopIn(app.service, org.id, 3);
      const [go, log] = [join(folder, "go"), join(folder, "log")];
      // The first try of each task is quick; the second waits to be let go.
      const wait = `case "$SVC_TRIAL_ID" in *.1.1) ;; *) while [ ! -e ${go} ]; do sleep 0.1; done;; esac`;
      const command = `read turn; ${wait}; echo "$SVC_TRIAL_ID" >> ${log}; while echo '{"answer":"x"}'; read turn; do :; done`;
      const made = await invoke("agents_post", { kind: "command", name: "waits", command });
      const started = await invoke("start_run", {
        agent: made.body.agent.id,
        environment,
        trials: 2,
        timeout_seconds: 3_600,
      });
      const old = started.body.group;
      while ((await invoke("watch_job", { job_id: old })).body.n < 3) await sleep(50);
      expect((await invoke("start_run", { resume: old })).status).toBe(409);
      const oldRun = (await invoke("runs_list", { group: old })).body.runs[0].id;
      await invoke("job_stop", { job_id: old });
      expect(await endOf(invoke, old)).toBe("stopped");
      expect((await invoke("run_group", { gid: old })).body.counts).toMatchObject({ failed: 3, planned: 6 });

      for (const [args, path] of [
        [{ resume: old, environment }, "environment"],
        [{ resume: old, trials: 3 }, "trials"],
        [{ resume: old, resume_group: old }, "resume_group"],
      ] as const) {
        const refused = await invoke("start_run", args);
        expect([refused.status, refused.body.fields?.[0].path]).toEqual([400, path]);
      }
      expect((await invoke("start_run", { resume: "rg_none" })).status).toBe(404);
      expect((await invoke("start_run", { resume: old }, org.read)).status).toBe(403);

      const next = await invoke("start_run", { resume_group: old, by: "me" }, org.push);
      expect(next).toMatchObject({ status: 202, body: { resumes: old, tasks: 3, trials: 6, deduplicated: false } });
      expect(await invoke("start_run", { resume: oldRun })).toMatchObject({
        status: 200,
        body: { deduplicated: true, job: next.body.job },
      });
      writeFileSync(go, "");
      expect(await endOf(invoke, next.body.job)).toBe("landed");

      const told = async (job_id: string, kind: string) =>
        (await invoke("job_audit", { job_id })).body.events.find((event: { kind: string }) => event.kind === kind);
      expect(await told(old, "resumed")).toMatchObject({ fields: { group: next.body.job, by: "me" } });
      expect(await told(next.body.job, "resumes")).toMatchObject({ fields: { group: old, by: "me" } });
      const group = (await invoke("run_group", { gid: next.body.group })).body;
      expect(group).toMatchObject({ status: "landed", resumes: old, rates: { failed: 6, infra: 0 } });
      const trialsOf = async (gid: string) => {
        const [run] = (await invoke("runs_list", { group: gid })).body.runs;
        const { trials } = (await invoke("run_get", { rid: run.id })).body;
        return trials.map(({ trial, n, attempt, started_at }: Record<string, unknown>) => ({
          trial,
          n,
          attempt,
          started_at,
        }));
      };
      const kept = (await trialsOf(next.body.group)).filter(({ n }: { n: number }) => n === 1);
      expect(kept).toEqual(await trialsOf(old));
      expect(existsSync(log) && readFileSync(log, "utf8").trim().split("\n")).toHaveLength(6);
      expect((await invoke("run_group", { gid: old })).body).toMatchObject({
        status: "stopped",
        resumed_by: next.body.group,
      });
      for (const id of [old, next.body.group]) expect((await invoke("start_run", { resume: id })).status).toBe(409);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  OPEN_AGENTS,
);

bothSurfaces(
  "a run is played on the rows it was planned with, drawn anew since or not",
  async (invoke, { app, org }) => {
    const folder = mkdtempSync(join(tmpdir(), "resume-"));
    try {
      const shop = await shopIn(app.service, org.id, 3);
      const file = fileURLToPath(new URL("./agent.mjs", import.meta.url));
      const command = `[ -e ${join(folder, "go")} ] || sleep 600; exec ${process.execPath} ${file}`;
      const made = await invoke("agents_post", { kind: "command", name: "late", command, env: { KEY: shop.key } });
      const { environment } = shop;
      const started = await invoke("start_run", { agent: made.body.agent.id, environment, timeout_seconds: 3_600 });
      await invoke("job_stop", { job_id: started.body.job });
      expect(await endOf(invoke, started.body.job)).toBe("stopped");
      const store = app.service.store.forOrg(org.id);
      const empty = Object.fromEntries(Object.keys(shopRows.tables).map((name) => [name, {}]));
      const base_blob = await store.blobs.put(new TextEncoder().encode(canonicalJson({ ...shopRows, tables: empty })));
      await store.records.update(Environment, environment, (row) => ({ ...row, base_blob, seed: "another" }));
      writeFileSync(join(folder, "go"), "");
      const next = await invoke("start_run", { resume: started.body.group });
      expect(await endOf(invoke, next.body.job)).toBe("landed");
      expect((await invoke("run_group", { gid: next.body.group })).body.rates).toMatchObject({ met: 3, valid: 3 });
      // A start of today plans with the rows of today, and says so in its terms.
      const fresh = await runToEnd(invoke, { agent: made.body.agent.id, environment });
      expect((await invoke("run_group", { gid: fresh.group })).body.rates.met).toBeLessThan(3);
      const compared = await invoke("compare_runs", { a: next.body.group, b: fresh.group });
      expect(compared.file).toContain("The drawn rows were others.");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  OPEN_AGENTS,
);

bothSurfaces("what has landed, and what was imported, is not gone on with", async (invoke, { app, org }) => {
  const { environment } = await shopIn(app.service, org.id, 2);
  const { group } = await runToEnd(invoke, { harness: "reference", environment });
  const refused = await invoke("start_run", { resume: group });
  expect([refused.status, refused.body.reason]).toEqual([409, expect.stringContaining("landed")]);
  const results = {
    info: { environment_info: { domain_name: "shop" }, agent_info: { llm: "m" } },
    simulations: [{ id: "s", task_id: "1", reward_info: { reward: 1 }, messages: [{ role: "user", content: "hi" }] }],
  };
  const imported = await invoke("runs_post", { results });
  expect(imported.status, JSON.stringify(imported.body)).toBe(201);
  expect((await invoke("start_run", { resume: imported.body.id })).status).toBe(409);
});
