import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";
import { shopIn } from "../../runs/kit.ts";

bothSurfaces("modes are recorded whole or not at all, each with its words in a note", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 2);
  const store = t.app.service.store.forOrg(t.org.id);
  const stored = (
    await store.records.list((await import("../../../../chapters/records/sandboxes/sandboxes.ts")).TaskRecord)
  ).items;
  const task = stored[0]?.id;
  const one = { title: "Says there is nothing", description: "Orders *exist*.", example: "<b>#W1</b>", tasks: [task] };
  const bad = await invoke("failure_modes_post", { modes: [one, { title: "x", tasks: ["tk_none"] }] }, t.org.push);
  expect(bad).toMatchObject({ status: 400, body: { fields: [{ path: "modes.1.tasks" }] } });
  expect((await invoke("failure_modes", {}, t.org.read)).body.count).toBe(0);
  expect((await invoke("failure_mode_proposals")).body.count).toBe(0);
  expect((await invoke("failure_modes_post", { description: "no title" })).status).toBe(400);
  expect((await invoke("failure_modes_post", { modes: [one], title: "both" })).status).toBe(400);
  expect((await invoke("failure_modes_post", { modes: [{ ...one, behaviour: "sleepy" }] })).status).toBe(400);
  expect((await invoke("failure_modes_post", one, t.org.read)).status).toBe(403);
  expect((await invoke("failure_modes_post", { ...one, visibility: "staff" })).status).toBe(400);

  const made = await invoke("failure_modes_post", {
    modes: [one, { title: "Loops", behaviour: "loop" }],
    author: "ann",
  });
  expect(made).toMatchObject({ status: 201, body: { stored: 2, tier: "human" } });
  const [mode] = made.body.failure_modes;
  expect(mode).toMatchObject({
    title: one.title,
    status: "reported",
    by: "ann",
    generatable: false,
    tasks: [{ environment: shop.environment, task }],
    line: "Reported; agents are held to it by 1 task.",
  });
  const notes = (await invoke("failure_mode_proposals")).body;
  expect(notes).toMatchObject({ count: 2, flags: { mode: 2 } });
  expect(notes.feedback[0]).toMatchObject({
    id: mode.note,
    text: `${one.title}\n\n${one.description}\n\n${one.example}`,
    mode: { id: mode.id, status: "reported" },
  });

  const list = await invoke("failure_modes", {}, t.org.read);
  expect(list.body).toMatchObject({ count: 2, to_classify: [mode.id], audience: "customer", tier: "human" });
  expect(list.body.failure_modes.map(({ title }: { title: string }) => title)).toEqual([one.title, "Loops"]);
  expect(list.body.generatable).toContain("false_no_data");
  expect(list.body.generatable).not.toContain("crash");
  expect(list.verdict).toBe("2 failure modes: 0 reproduced, 0 fixed, 2 not reproduced yet.");
  const paged = await invoke("failure_modes", { limit: 1 });
  expect(paged.body.count).toBe(1);
  expect((await invoke("failure_modes", { limit: 1, cursor: paged.body.next })).body.failure_modes[0].title).toBe(
    "Loops",
  );
});

bothSurfaces("a mode is changed by the record's own words, and its history keeps each status", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 1);
  const { body } = await invoke("failure_modes_post", { title: "Wrong order" });
  const mid = body.failure_modes[0].id;
  const patch = (change: Record<string, unknown>, as?: string) => invoke("failure_modes_patch", { mid, ...change }, as);
  expect((await patch({ status: "reported" })).body).toMatchObject({ changed: [], generatable: false });
  expect((await patch({ behaviour: "sleepy" })).status).toBe(400);
  expect((await patch({ bucket: "env_none" })).body.fields).toMatchObject([{ path: "bucket" }]);
  expect((await patch({ target: { tool: "fly" } })).body.fields).toMatchObject([{ path: "target.tool" }]);
  expect((await patch({ status: "fixed" }, t.org.read)).status).toBe(403);
  const change = { behaviour: "wrong_argument", bucket: shop.environment, target: { tool: "get_order" } };
  const changed = await patch({ ...change, status: "confirmed", by: "bea" });
  expect(changed.body).toMatchObject({
    changed: ["behaviour", "bucket", "target", "status"],
    generatable: true,
    failure_mode: {
      ...change,
      status: "confirmed",
      history: [{ status: "reported" }, { status: "confirmed", by: "bea" }],
    },
  });
  expect((await patch(change)).body.changed).toEqual([]);
  expect((await patch({ status: "fixed" })).body.failure_mode.line).toBe("Fixed.");
  const other = await t.app.org("other");
  const unknown = await invoke("failure_modes_patch", { mid: "fm_none", status: "fixed" });
  expect(unknown.status).toBe(404);
  const foreign = await invoke("failure_modes_patch", { mid, status: "fixed", orgtag: "other" }, other.admin);
  expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
});

bothSurfaces("what is for staff is theirs alone", async (invoke, t) => {
  const staff = { orgtag: "acme", title: "Ours to mend", visibility: "staff" };
  const made = await invoke("failure_modes_post", staff, t.app.operator);
  expect(made.status).toBe(201);
  const mid = made.body.failure_modes[0].id;
  expect((await invoke("failure_modes", { audience: "staff" })).body).toMatchObject({ count: 0, audience: "customer" });
  expect((await invoke("failure_modes_patch", { mid, status: "fixed" })).status).toBe(404);
  expect((await invoke("org_record_get", { kind: "failure_mode", rid: mid })).status).toBe(404);
  expect((await invoke("record_feedback", { text: "me too", mode: { id: mid } })).status).toBe(404);
  const seen = await invoke("failure_modes", { orgtag: "acme", audience: "staff" }, t.app.operator);
  expect(seen.body.count).toBe(1);
});

bothSurfaces("a note joins a mode that stands, or makes one", async (invoke) => {
  const made = await invoke("make_failure_modes", {
    text: "It refuses refunds.",
    about: { kind: "trace", id: "s1" },
    make_mode: true,
  });
  const { id } = made.body.feedback.mode;
  expect((await invoke("failure_modes")).body.failure_modes[0]).toMatchObject({
    id,
    title: "It refuses refunds.",
    reported: ["s1"],
    note: made.body.feedback.id,
  });
  const joined = await invoke("record_feedback", { text: "Again today.", mode: { id }, polarity: "negative" });
  expect(joined.body).toMatchObject({ flag: "mode", label: "It refuses refunds.", feedback: { mode: { id } } });
  expect((await invoke("failure_modes")).body.count).toBe(1);
  expect((await invoke("record_feedback", { text: "x", mode: { id, title: "other" } })).status).toBe(400);
  expect((await invoke("record_feedback", { text: "x", mode: { id: "fm_none" } })).status).toBe(404);
});
