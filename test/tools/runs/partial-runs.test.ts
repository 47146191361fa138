import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { connect, refusedStart, runToEnd, shopIn } from "./kit.ts";

// Findings E55 and E56.
bothSurfaces(
  "a run on what had failed replaces no whole run, says what it is, and is compared with no confidence",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 12);
    const { environment } = shop;
    const agent = await connect(invoke, shop, "bot", "skip");
    const first = await runToEnd(invoke, { agent, environment, timeout_seconds: 47 });
    const { failed, met } = (await invoke("run_group", { gid: first.group })).body.rates;
    expect(Math.min(failed, met)).toBeGreaterThan(0);
    const command = [process.execPath, fileURLToPath(new URL("./agent.mjs", import.meta.url))];
    await invoke("agents_patch", {
      aid: agent,
      version: "2",
      command,
      env: { KEY: shop.key, FAULT: "" },
    });

    const again = await runToEnd(invoke, { agent, environment, selection: "failed_last", timeout_seconds: 47 });
    expect(again.started.body.tasks).toBe(failed);
    expect((await invoke("run_group", { gid: again.group })).body.rates.met).toBe(failed);
    const last = async () => (await invoke("last_run", { env: environment })).body;
    expect(await last()).toMatchObject({ group: first.group, total: 12 });
    const fileOf = async (name: string, args: Record<string, unknown>) =>
      JSON.parse((await invoke(name, { ...args, format: "json" })).file ?? "{}");
    expect((await fileOf("org_status", {})).newest_group.group).toBe(first.group);
    const compared = async (b: string) => fileOf("compare_runs", { a: first.group, b });
    const chosen = {
      confidence: 0,
      words: "no difference shown",
      chosen_by_outcome: expect.stringContaining("failed_last"),
      verdict: expect.stringMatching(/^Cannot tell .*: the tasks of b were chosen by how trials had ended/),
    };
    expect(await compared(again.group)).toMatchObject(chosen);
    // What goes on with such a choice is one too, and what failed has been met since.
    const repeated = await runToEnd(invoke, { agent, group: again.group });
    expect(await compared(repeated.group)).toMatchObject(chosen);
    expect(await refusedStart(invoke, { agent, environment, selection: "failed_last" })).toMatchObject({ status: 409 });

    const whole = await runToEnd(invoke, { agent, group: first.group });
    expect((await invoke("run_group", { gid: whole.group })).body.timeout_seconds).toBe(47);
    expect(await last()).toMatchObject({ group: whole.group, total: 12 });
    const told = await compared(whole.group);
    expect(told).not.toHaveProperty("chosen_by_outcome");
    expect(told).toMatchObject({ b: { planned: 12, missing: { infra: 0, invalid: 0, not_played: 0 } } });

    const paths = async () => (await invoke("surface_progress", { surface: "shop" })).body.versions.at(-1).paths;
    const before = await paths();
    expect(new Set(Object.values(before))).toEqual(new Set(["met"]));
    const one = await runToEnd(invoke, { agent, environment, tasks: ["0"], timeout_seconds: 47 });
    expect(one.started.body.tasks).toBe(1);
    expect(await paths()).toEqual(before);
  },
);
