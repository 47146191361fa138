import { expect } from "vitest";
import { TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces } from "../../../helpers/app.ts";
import { shopIn } from "../../runs/kit.ts";
import { deskTraces, ended, ok } from "../../sandboxes/kit.ts";

bothSurfaces("personas are added once, with what is said of them", async (invoke, { org }) => {
  expect((await invoke("dimensions_personas_post", { add: ["x"] }, org.read)).status).toBe(403);
  expect((await invoke("dimensions_personas_post", {})).body.fields[0].path).toBe("add");
  expect((await invoke("dimensions_personas_post", { add: ["x"], cited: ["ev_no"] })).body.fields[0].path).toBe(
    "cited.0",
  );
  expect((await invoke("dimensions_personas_post", { add: ["x"], draw: true })).status).toBe(404);
  expect((await ok(invoke("dimensions_personas_get"))).body).toEqual({ added: [], draw: [] });
  const { body: evidence } = await ok(invoke("evidence_post", { content: deskTraces(30) }));
  const input = {
    add: ["Night owl"],
    personas: [{ value: "Parent", profile: { register: "terse" }, weight: 2, jobs: ["cancel order"] }],
    cited: [evidence.id],
    stated_from: "a talk",
    by: "ann",
  };
  const { body, status } = await ok(invoke("dimensions_personas_post", input, org.push));
  expect(status).toBe(201);
  expect(body.draw).toEqual([]);
  expect(body.added).toMatchObject([
    { value: "Night owl", by: "ann", tier: "human", status: "accepted", cites: [evidence.id] },
    { value: "Parent", weight: 2, jobs: ["cancel order"], profile: { register: "terse", stated_from: "a talk" } },
  ]);
  const again = (await ok(invoke("dimensions_personas_post", { add: ["night-owls"], notes: "twice" }))).body;
  expect(again.added).toMatchObject([{ id: body.added[0].id, value: "Night owl", profile: { notes: "twice" } }]);
  expect((await ok(invoke("dimensions_personas_get", {}, org.read))).body.added).toHaveLength(2);
});

bothSurfaces("a persona's draw makes tasks that it asks, in its register", async (invoke, { app, org }) => {
  await shopIn(app.service, org.id, 2);
  const drawn = async (job: string) => {
    const done = await ended(invoke, job);
    if (done.status !== "landed") throw new Error(`the draw ended ${done.status}: ${done.note}`);
    const where = { environment: done.result.environment as string };
    const tasks = (await app.service.store.forOrg(org.id).records.list(TaskRecord, { where, limit: 500 })).items;
    return { result: done.result, tasks };
  };
  const personas = [{ value: "Parent", profile: { register: "terse" } }];
  const { body } = await ok(invoke("dimensions_personas_post", { personas, draw: true, n: 8 }));
  expect(body.draw).toMatchObject([{ persona: "Parent", surface: "shop", register: "terse" }]);
  const first = await drawn(body.draw[0].job);
  expect(first.result).toMatchObject({ persona: "Parent", usd: 0, draft: 0 });
  expect(first.result.certified).toBeGreaterThan(0);
  expect(first.tasks.length).toBeGreaterThan(0);
  for (const { task } of first.tasks) {
    expect(task.voice).toEqual({ persona: "Parent", register: "terse" });
    expect(task.cell).toMatchObject({ persona: "Parent", register: "terse" });
  }
  const listed = (await ok(invoke("dimensions_personas_get"))).body.draw;
  expect(listed).toMatchObject([{ job: body.draw[0].job, status: "landed", persona: "Parent", result: first.result }]);
  expect((await invoke("dimensions_persona_draw", { value: "Nobody" })).status).toBe(404);
  expect((await invoke("dimensions_persona_draw", { value: "Parent" }, org.read)).status).toBe(403);
  await ok(invoke("dimension_value_dismiss", { value_id: body.added[0].id }));
  expect((await invoke("dimensions_persona_draw", { value: "Parent" })).status).toBe(409);
  await ok(invoke("dimensions_personas_post", { add: ["Kim"] }));
  const pressed = await ok(invoke("dimensions_persona_draw", { value: "Kim", surface: "shop", by: "ann" }, org.push));
  expect(pressed.status).toBe(202);
  expect(pressed.body).toMatchObject({ persona: "Kim", register: "plain", by: "ann", voiced: false });
  expect(pressed.body.note).toContain("no words for this persona");
  const second = await drawn(pressed.body.job);
  for (const { task } of second.tasks) expect(task.voice).toEqual({ persona: "Kim", register: "plain" });
});

bothSurfaces(
  "a persona shapes the words of what it asks, in its draw, a pipeline and a new voice",
  async (invoke, { app, org }) => {
    await shopIn(app.service, org.id, 2);
    const tasksOf = async (environment: string) =>
      (await app.service.store.forOrg(org.id).records.list(TaskRecord, { where: { environment }, limit: 500 })).items;
    const draw = async (value: string) => {
      const { body } = await ok(invoke("dimensions_persona_draw", { value, surface: "shop" }));
      const done = await ended(invoke, body.job);
      return { voiced: body.voiced, result: done.result, tasks: await tasksOf(done.result.environment) };
    };
    await ok(invoke("dimensions_personas_post", { add: ["angry caller", "frequent flyer", "Kim"] }));
    const angry = await draw("angry caller");
    expect([angry.voiced, angry.result.certified > 5]).toEqual([true, true]);
    for (const { task } of angry.tasks)
      expect(task.request).toMatch(/This is really frustrating\.|I've had enough of this\.|I expected better\./);
    for (const { task } of (await draw("frequent flyer")).tasks)
      expect(task.request).toContain("I'm a frequent flyer.");

    const plain = await draw("Kim");
    const [kim] = (await ok(invoke("dimensions_personas_get"))).body.added.filter(
      ({ value }: { value: string }) => value === "Kim",
    );
    const profile = { says: "I only order on Sundays\nMy cat knows you." };
    await ok(invoke("dimension_value_profile_post", { value_id: kim.id, profile }));
    const told = await draw("Kim");
    expect([plain.voiced, told.voiced, told.result.environment === plain.result.environment]).toEqual([
      false,
      true,
      false,
    ]);
    expect(told.result.certified).toBeGreaterThan(5);
    for (const { task } of told.tasks) expect(task.request).toMatch(/I only order on Sundays\.|My cat knows you\./);

    // A task in the words of one persona can be put in those of another.
    const { body: again } = await ok(
      invoke("environment_revoice", { env_id: told.result.environment, persona: "angry caller", register: "plain" }),
    );
    await ended(invoke, again.job);
    const turned = (await tasksOf(told.result.environment)).filter(({ task }) => task.voice.persona === "angry caller");
    expect(turned.length).toBeGreaterThan(5);
    for (const { task } of turned) expect(task.request).not.toMatch(/Sundays|My cat/);

    // How a persona talks is known of it where its register is.
    await ok(invoke("dimensions_personas_post", { personas: [{ value: "Lea", profile: { register: "terse" } }] }));
    const { body: terse } = await ok(
      invoke("environment_revoice", { env_id: angry.result.environment, persona: "Lea" }),
    );
    expect((await ended(invoke, terse.job)).result.changed.length).toBeGreaterThan(5);
    const short = (await tasksOf(angry.result.environment)).filter(({ task }) => task.voice.persona === "Lea");
    expect(short.length).toBeGreaterThan(5);
    for (const { task } of short) {
      expect(task.voice).toEqual({ persona: "Lea", register: "terse" });
      expect(task.request).not.toMatch(/frustrating|had enough|expected better/);
    }
  },
);

bothSurfaces("a pipeline's tasks are asked by the personas that the org stated", async (invoke, { app, org }) => {
  await ok(invoke("evidence_post", { content: deskTraces(30) }));
  const run = async () => {
    const { body } = await ok(invoke("pipeline_post", {}));
    const { result } = await ended(invoke, body.job);
    const [{ id: environment }] = result.environments;
    const where = { environment };
    const { items } = await app.service.store.forOrg(org.id).records.list(TaskRecord, { where, limit: 500 });
    return { environment, tasks: items.map(({ task }) => task) };
  };
  const before = await run();
  await ok(invoke("dimensions_personas_post", { add: ["angry caller", "night owls", "Kim"] }));
  const after = await run();
  expect(after.environment).not.toBe(before.environment);
  const asking = (tasks: typeof before.tasks) =>
    [...new Set(tasks.filter(({ family }) => family !== "mined").map(({ voice }) => voice.persona))].sort();
  expect(asking(before.tasks)).not.toContain("angry caller");
  // Kim is only a name: rules have no words for it, and its draw says so.
  expect(asking(after.tasks)).toEqual(["angry caller", "night owls"]);
  for (const task of after.tasks) if (task.family !== "mined") expect(task.request).toContain(task.voice.lead);
  expect(after.tasks.filter(({ family, voice }) => family === "mined" && voice.persona !== "recorded user")).toEqual(
    [],
  );
  expect((await run()).environment).toBe(after.environment);
});

// Findings A12 and A22.
bothSurfaces(
  "personas are taken from the pins of a document, and what a reader cannot find is said",
  async (invoke) => {
    const text = "# Personas\n\n- Frequent flyer: knows the rules\n\nAs a travel agent, I want to book for others.";
    const { body: document } = await ok(invoke("evidence_post", { content: text }));
    expect((await invoke("dimensions_personas_from_document", { source: document.id })).status).toBe(409);
    const { body: started } = await ok(invoke("evidence_extract", { eid: document.id }));
    await ended(invoke, started.job);
    const { status, body } = await ok(invoke("dimensions_personas_from_document", { source: document.id }));
    expect(status).toBe(201);
    expect(body.values.map(({ value }: { value: string }) => value).sort()).toEqual(["Frequent flyer", "travel agent"]);
    expect(body.pins[0]).toMatch(/^ex_|_/);
    expect(body.note).toBeUndefined();

    const { body: none } = await ok(invoke("evidence_post", { content: "# Rules\n\nAsk the user first." }));
    const { body: read } = await ok(invoke("dimensions_derive", { source: none.id }));
    const job = await ended(invoke, read.job);
    expect(job.result).toMatchObject({ proposed: [], note: expect.stringContaining("A rule read this") });
    const empty = (await ok(invoke("dimensions_personas_from_document", { source: none.id }))).body;
    expect([empty.values, empty.note]).toEqual([[], expect.stringContaining("found no persona")]);

    const long = `${"Words of a policy. ".repeat(400)}\n\n# Personas\n\n- Late reader\n`;
    const { body: large } = await ok(invoke("evidence_post", { content: long }));
    const { body: whole } = await ok(invoke("dimensions_derive", { source: large.id }));
    expect((await ended(invoke, whole.job)).result).toMatchObject({ partial: false, read_chars: expect.any(Number) });
  },
);
