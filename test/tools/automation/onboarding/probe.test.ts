import { expect } from "vitest";
import { bothSurfaces, type Invoke } from "../../../helpers/app.ts";
import { connectKnowing, householdKey } from "../../agents/kit.ts";
import { endOf } from "../../runs/kit.ts";

const key = householdKey();
const connected = (invoke: Invoke, name: string, fault = "") => connectKnowing(invoke, name, key, fault);

bothSurfaces(
  "a probe says whether an agent answers, reaches the tools and ends in time: agent_probe",
  async (invoke, { org, app }) => {
    const aid = await connected(invoke, "good");
    const started = await invoke("agent_probe", { aid }, org.push);
    expect(started).toMatchObject({
      status: 202,
      body: { agent: aid, version: "1", stages: ["start", "ask", "read"] },
    });
    expect(await endOf(invoke, started.body.job)).toBe("landed");
    const { result } = (await invoke("job_status", { job_id: started.body.job })).body;
    expect(result).toMatchObject({
      id: started.body.probe,
      act: "probe",
      answered: true,
      connected: true,
      in_time: true,
      cause: null,
      tools: [{ tool: "get_chore", calls: 1, errors: 0 }],
      answer: { form: "text", lines: 1, class_given: true, class: "answered" },
    });
    expect(result.graded).toBeUndefined();
    expect(JSON.stringify(result)).not.toContain("20 minutes");
    const store = app.service.store.forOrg(org.id);
    expect((await store.records.kinds()).find((row) => row.kind === "agent_probe")?.count).toBe(1);
    // Nothing of it is a run, an environment or a world that stays.
    expect((await invoke("runs_list")).body.runs).toEqual([]);
    expect((await invoke("surfaces_list")).body.surfaces).toEqual([]);
    expect((await invoke("worlds_list")).body.worlds).toEqual([]);

    for (const [fault, said] of [
      ["crash", { answered: false, connected: true, in_time: false, cause: "crash", answer: { form: "none" } }],
      ["silent", { answered: false, connected: true, cause: null, answer: { form: "none", chars: 0 } }],
    ] as const) {
      const other = await connected(invoke, fault, fault);
      const { body } = await invoke("agent_probe", { aid: other });
      await endOf(invoke, body.job);
      expect((await invoke("job_status", { job_id: body.job })).body.result).toMatchObject(said);
    }
    const mute = await invoke("agents_post", {
      kind: "command",
      name: "mute",
      command: `read turn; echo '{"answer": "{\\"minutes\\": 20}"}'`,
    });
    const { body } = await invoke("agent_probe", { aid: mute.body.agent.id });
    await endOf(invoke, body.job);
    expect((await invoke("job_status", { job_id: body.job })).body.result).toMatchObject({
      answered: true,
      connected: false,
      tools: [],
      answer: { form: "json", class_given: false },
    });
  },
);

bothSurfaces("a smoke test grades one trial on the household: smoke_agent", async (invoke, { org }) => {
  const aid = await connected(invoke, "good");
  const started = await invoke("smoke_agent", { aid }, org.push);
  expect(started).toMatchObject({ status: 202, body: { stages: ["start", "play", "grade"] } });
  expect(started.body.accepted_ms).toBeGreaterThan(0);
  expect(started.verdict).toContain("one trial of version 1");
  await endOf(invoke, started.body.job);
  const { result } = (await invoke("job_status", { job_id: started.body.job })).body;
  expect(result).toMatchObject({ act: "smoke", graded: { end: "met", root_cause: null } });
  expect(result.tools.map(({ tool }: { tool: string }) => tool)).toEqual(["get_chore", "get_member"]);

  const silent = await connected(invoke, "silent", "silent");
  const { body } = await invoke("smoke_agent", { aid: silent });
  await endOf(invoke, body.job);
  expect((await invoke("job_status", { job_id: body.job })).body.result).toMatchObject({
    cause: "checks",
    graded: { end: "failed", root_cause: "stopped_early" },
  });
});

bothSurfaces("what cannot be started is neither probed nor smoked", async (invoke, { org }) => {
  const aid = await connected(invoke, "good");
  for (const tool of ["agent_probe", "smoke_agent"]) {
    expect((await invoke(tool, { aid: "nobody" })).status).toBe(404);
    expect((await invoke(tool, { aid, version: "9" })).status).toBe(404);
    expect((await invoke(tool, { aid }, org.read)).status).toBe(403);
  }
  await invoke("agent_version_patch", { aid, version: "1", retired: true });
  for (const tool of ["agent_probe", "smoke_agent"])
    expect((await invoke(tool, { aid, version: "1" })).status).toBe(409);
});
