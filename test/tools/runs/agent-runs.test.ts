import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { inOwnSession } from "../../helpers/child.ts";
import { connect, endOf, runToEnd, shopIn } from "./kit.ts";

bothSurfaces(
  "two versions of a command agent: the planted fault is found and named: compare_runs, run_get, run_trace, job_calls",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 24);
    const { environment } = shop;
    const required = (index: number) =>
      shop.tasks[index]?.checks.some(
        (check) => check.kind === "state" && check.changes.some((change) => change.required),
      );
    const indexes = shop.tasks.map((_, index) => index);
    const writes = indexes.filter(required).slice(0, 5);
    const reads = indexes.filter((index) => !required(index)).slice(0, 5);
    expect([writes.length, reads.length]).toEqual([5, 5]);
    const tasks = [...writes, ...reads].map(String);
    const good = await connect(invoke, shop, "good");
    const faulty = await connect(invoke, shop, "faulty", "skip");
    const a = await runToEnd(invoke, { agent: good, environment, tasks });
    const b = await runToEnd(invoke, { agent: faulty, environment, tasks });
    expect([a.status, b.status]).toEqual(["landed", "landed"]);
    const whole = (await invoke("run_group", { gid: a.group })).body;
    expect(whole.rates).toMatchObject({ met: 10, valid: 10, infra: 0, invalid: 0 });
    const half = (await invoke("run_group", { gid: b.group })).body;
    expect(half.rates).toMatchObject({ met: 5, failed: 5 });

    const compared = await invoke("compare_runs", { a: a.group, b: b.group });
    expect(compared.status).toBe(200);
    expect(compared.file).toContain("# Comparison");
    expect(compared.file).toContain("5 of 10 trials");
    expect(compared.verdict).toContain(" is worse: it met 5 of 10 trials, ");
    expect(compared.body.flips).toHaveLength(5);
    expect(compared.body.worse).toBe("b");
    expect(compared.body.causes[0].cause).toBe("missing_call");
    expect(compared.body.refused).toEqual([]);
    const calls = compared.body.flips[0].calls[0];
    expect(calls.calls.a).toBeGreaterThan(calls.calls.b);

    const { run } = half.environments[0];
    const read = (await invoke("run_get", { rid: run })).body;
    const failed = read.trials.find((trial: { end: string }) => trial.end === "failed");
    expect(read.by_state).toEqual({ met: 5, failed: 5, infra: 0, invalid: 0 });
    // Finding C21.
    const said = read.takeaways.join("\n");
    expect(said).toContain("Most failures: missing_call (5 of 5); a call that the task needs was not made");
    const lost = [
      ...new Set(read.trials.flatMap((row: { end: string; task: string }) => (row.end === "failed" ? [row.task] : []))),
    ];
    expect(said).toContain(`5 of 10 tasks failed: ${lost.join(", ")}.`);
    expect(said).toMatch(/Checks that were not met, by failed trials: \w+ \d/);
    expect(said).toContain(`Next: run_trace of trial ${failed.trial} `);
    const { tree } = (await invoke("run_trace", { rid: run, trial: failed.trial })).body;
    expect(tree).toMatchObject({ name: failed.trial, end: "failed" });
    expect(tree.checks.some((check: { verdict: string }) => check.verdict === "not_met")).toBe(true);

    const seen = await invoke("job_calls", { job_id: a.group });
    expect(seen.body.tally).toEqual({ 1: { met: 10, failed: 0, infra: 0, invalid: 0 } });
    expect(seen.body.tries).toHaveLength(10);
    const text = JSON.stringify(seen.body);
    for (const task of shop.tasks) expect(text).not.toContain(task.request.slice(0, 30));
    expect(text).not.toContain("args");

    const worlds = app.service.store.forOrg(org.id);
    const tokens = await worlds.tokens.list("world", { limit: 500 });
    expect(tokens.items).toEqual([]);
  },
);

bothSurfaces(
  "what agents do wrong ends typed, and what is not their fault is tried again and stands beside",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 6);
    const { environment } = shop;
    const crash = await connect(invoke, shop, "crash", "crash");
    const silent = await connect(invoke, shop, "silent", "silent");
    const command = (name: string, line: string) => invoke("agents_post", { kind: "command", name, command: line });
    const hang = (await command("hang", "sleep 600")).body.agent.id;
    const flood = (await command("flood", "yes | tr -d '\\n'")).body.agent.id;
    const garbage = (await command("garbage", "while read line; do echo '<<>>'; done")).body.agent.id;
    const absent = (await command("absent", "exec /nonexistent/agent")).body.agent.id;
    const ledger = async (agent: string, rest: Record<string, unknown> = {}) => {
      const { group } = await runToEnd(invoke, { agent, environment, selection: "ci-2", ...rest });
      const { body } = await invoke("run_group", { gid: group });
      return { ledger: body.ledger, causes: body.root_causes, rates: body.rates, run: body.environments[0].run };
    };
    expect(await ledger(crash)).toMatchObject({
      ledger: [{ end: "failed", cause: "crash", trials: 2 }],
      causes: [{ cause: "crash", trials: 2 }],
    });
    expect((await ledger(silent)).ledger).toEqual([{ end: "failed", cause: "checks", trials: 2 }]);
    expect(await ledger(hang, { timeout_seconds: 0.5 })).toMatchObject({
      ledger: [{ end: "failed", cause: "timeout", trials: 2 }],
      causes: [{ cause: "timeout", trials: 2 }],
    });
    expect((await ledger(flood)).ledger).toEqual([{ end: "failed", cause: "flood", trials: 2 }]);
    expect(await ledger(garbage)).toMatchObject({ causes: [{ cause: "format", trials: 2 }] });
    const infra = await ledger(absent);
    expect(infra).toMatchObject({
      ledger: [{ end: "infra", cause: "could_not_start", trials: 2 }],
      rates: { valid: 0, bounds: { low: 0, high: 1 } },
    });
    expect((await invoke("run_get", { rid: infra.run })).body.attempts).toBe(6);
  },
);

bothSurfaces(
  "a run is watched, stopped, and its finished trials landed: watch_job, live_runs, job_stop, finish_run",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 6);
    const { environment } = shop;
    const line = `while read line; do echo '{"answer":"x"}'; done`;
    const quick = (
      await invoke("agents_post", {
        kind: "command",
        name: "slow on some",
        command: `case "$SVC_TRIAL_ID" in *.1.1) ;; *) sleep 600;; esac; ${line}`,
      })
    ).body.agent.id;
    const started = await invoke("start_run", { agent: quick, environment, trials: 2, timeout_seconds: 3_600 });
    expect(started).toMatchObject({ status: 202, body: { status: "queued", deduplicated: false, trials: 12 } });
    const again = await invoke("start_run", { agent: quick, environment, trials: 2, timeout_seconds: 3_600 });
    expect(again).toMatchObject({ status: 200, body: { deduplicated: true, job: started.body.job } });
    const { job } = started.body;
    let watched = (await invoke("watch_job", { job_id: job })).body;
    while (watched.n < 6 || watched.in_flight.length < 6) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      watched = (await invoke("watch_job", { job_id: job })).body;
    }
    expect(watched).toMatchObject({ n: 6, of: 12, status: "running" });
    expect(watched.in_flight).toHaveLength(6);
    expect(watched.estimate_seconds).toBeGreaterThan(0);
    expect((await invoke("live_runs")).body.runs.map((row: { kind: string }) => row.kind).sort()).toEqual([
      "run",
      "run_group",
    ]);
    expect(await invoke("finish_run", { job })).toMatchObject({ status: 409 });
    expect(await invoke("job_cancel", { job_id: job })).toMatchObject({ status: 409 });
    expect(await invoke("job_stop", { job_id: job, by: "me" })).toMatchObject({ status: 200, body: { stop: "asked" } });
    await endOf(invoke, job);
    const stopped = (await invoke("job_status", { job_id: job })).body;
    expect(stopped).toMatchObject({ status: "stopped", stop_by: "me", cut: 6 });
    expect((await invoke("job_stop", { job_id: job })).body.stop).toBe("ended already");
    const landing = await invoke("finish_run", { job });
    expect(landing).toMatchObject({ status: 202, body: { landed: 6, group: job } });
    await endOf(invoke, landing.body.job);
    expect((await invoke("run_group", { gid: job })).body).toMatchObject({ status: "landed", counts: { planned: 12 } });
    expect(await invoke("finish_run", { job })).toMatchObject({ status: 409 });
    expect((await invoke("finish_run", { job: landing.body.job })).status).toBe(409);
    // Finding C13.
    const audit = (await invoke("job_audit", { job_id: job })).body;
    type Event = { kind: string; at: number; seq: number; fields: Record<string, unknown> };
    const events: Event[] = audit.events;
    const own = events.filter(({ fields }) => fields.run === undefined);
    expect(own.map(({ kind }) => kind)).toEqual(["queued", "started", "stop_asked", "stopped", "finished"]);
    expect(own[2]?.fields).toEqual({ by: "me" });
    expect(own[4]?.fields).toMatchObject({ trials: 6, job: landing.body.job, by: expect.any(String) });
    const trials = events.filter(({ kind }) => kind.startsWith("trial"));
    const run = (await invoke("runs_list", { group: job })).body.runs[0].id;
    expect(new Set(trials.map(({ fields }) => fields.run))).toEqual(new Set([run]));
    const tries = (kind: string) =>
      trials.filter((event) => event.kind === kind).map(({ fields }) => `${fields.task}.${fields.n}.${fields.attempt}`);
    expect(tries("trial")).toHaveLength(6);
    expect(new Set(tries("trial_started")).size).toBe(12);
    expect(tries("trial_started")).toEqual(expect.arrayContaining(tries("trial")));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.every(({ at }, i) => i === 0 || at >= events[i - 1]!.at)).toBe(true);
    const ofRun = (await invoke("job_audit", { job_id: run })).body.events;
    expect(ofRun.at(-1)).toMatchObject({ kind: "finished", fields: { trials: 6 } });
    expect(ofRun.find(({ kind }: Event) => kind === "stop_asked")).toMatchObject({ fields: { by: "me" } });
    const text = await invoke("job_audit", { job_id: job, format: "text" });
    expect(text.file).toContain("stop_asked");
  },
);

bothSurfaces(
  "an agent that ends by a signal, or says so, has failed: its first attempt counts and there is no second",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 6);
    const whole = await connect(invoke, shop, "whole");
    const { agent } = (await invoke("agents_get", { aid: whole })).body;
    const ends = ["kill -KILL $$", "kill -TERM $$", "exit 126", "exit 127", "exit 137", "exit 143"];
    for (const [i, end] of ends.entries()) {
      const line = `case "$SVC_TRIAL_ID" in *.1) read turn; ${end};; esac; exec ${agent.versions[0].command.join(" ")}`;
      const env = { KEY: shop.key, FAULT: "" };
      const version = `v${i}`;
      expect((await invoke("agent_versions_post", { aid: whole, version, command: line, env })).status).toBe(201);
      const tasks = { environment: shop.environment, selection: "ci-2" };
      const { group } = await runToEnd(invoke, { agent: whole, agent_version: version, ...tasks });
      const { ledger, environments, root_causes } = (await invoke("run_group", { gid: group })).body;
      expect([end, ledger]).toEqual([end, [{ end: "failed", cause: "crash", trials: 2 }]]);
      expect(root_causes).toEqual([{ cause: "crash", trials: 2 }]);
      expect((await invoke("run_get", { rid: environments[0].run })).body.attempts).toBe(2);
    }
  },
);

bothSurfaces(
  "an http agent's own error, refusal, broken answer or closed connection is its failure, with a call or without",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 3);
    let fails: (response: ServerResponse) => void = (response) => void response.end();
    let calls = false;
    const server = createServer(async (req, res) => {
      let text = "";
      for await (const chunk of req) text += chunk;
      const { trial_mcp_url: url, trial_mcp_token: token } = JSON.parse(text);
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const params = { name: "get_order", arguments: { order_id: "x" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      if (calls) await fetch(url, { method: "POST", headers, body }).then((answer) => answer.text());
      fails(res);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const made = await invoke("agents_post", { kind: "http", name: "remote", url });
      const status = (code: number) => (res: ServerResponse) => void res.writeHead(code).end("oops");
      const ways: [string, typeof fails, string][] = [
        ...[401, 429, 500, 502, 503].map((code): [string, typeof fails, string] => [`${code}`, status(code), "crash"]),
        ["closed", (res) => void res.destroy(), "crash"],
        ["no form", (res) => void res.end("<html>"), "format"],
      ];
      for (const [name, way, cause] of ways) {
        fails = way;
        calls = !calls;
        const { group } = await runToEnd(invoke, {
          agent: made.body.agent.id,
          environment: shop.environment,
          tasks: ["0"],
        });
        const { ledger, environments } = (await invoke("run_group", { gid: group })).body;
        expect([name, ledger]).toEqual([name, [{ end: "failed", cause, trials: 1 }]]);
        expect((await invoke("run_get", { rid: environments[0].run })).body.attempts).toBe(1);
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);

bothSurfaces(
  "an agent that ends before it answered has stopped early, whatever it did",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 3);
    const ended = async (name: string, command: string, timeout_seconds = 20) => {
      const made = await invoke("agents_post", { kind: "command", name, command });
      const run = { agent: made.body.agent.id, environment: shop.environment, tasks: ["0"], timeout_seconds };
      const { ledger, root_causes } = (await invoke("run_group", { gid: (await runToEnd(invoke, run)).group })).body;
      return [ledger[0].end, ledger[0].cause, root_causes[0]?.cause];
    };
    const early = ["failed", "stopped_early", "stopped_early"];
    expect(await ended("silent end", "read turn; exit 0")).toEqual(early);
    expect(await ended("reads nothing", "exit 0")).toEqual(early);
    expect(await ended("closes its output", "read turn; exec 1>&-; sleep 0.1; exit 0")).toEqual(early);
    expect(await ended("its child goes on", `${inOwnSession("sleep 1; echo late")} & exit 0`)).toEqual(early);
    expect(await ended("killed by its child", `${inOwnSession("kill -KILL $$")} & sleep 10`)).toEqual([
      "failed",
      "crash",
      "crash",
    ]);
    expect(await ended("no such program", "exec /nonexistent")).toEqual(["infra", "could_not_start", undefined]);
  },
);
