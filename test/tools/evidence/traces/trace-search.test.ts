import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bothSurfaces, invoker, startApp } from "../../../helpers/app.ts";

const session = (n: number, text: string, tool: string, answer: string) => ({
  traceId: `t${n}`,
  messages: [
    { role: "user", content: text },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${n}`, type: "function", function: { name: tool, arguments: `{"order":"W${n}"}` } }],
    },
    { role: "tool", tool_call_id: `c${n}`, content: answer },
    { role: "assistant", content: `Done with ${n}.` },
  ],
});

const content = [
  session(1, "Cancel order W1, please", "cancel_order", '{"status":"cancelled"}'),
  session(2, "Where is order W2?", "get_order", "Error: order not found"),
  session(3, "Where is my Rücksendung?", "get_order", '{"order":"W3","carrier":"Nordpost"}'),
];

bothSurfaces("a stored trace is found by words and filters, and read with its turns and calls", async (invoke, t) => {
  const eid = (await invoke("evidence_post", { content })).body.id;
  const found = async (asked: object) => {
    const { status, body } = await invoke("evidence_match", { eid, ...asked });
    expect(status, JSON.stringify(body)).toBe(200);
    expect([body.found.searched, body.found.of]).toEqual([3, 3]);
    expect(body.found.n).toBe(body.found.traces.length);
    return body.found.traces.map(({ position }: { position: number }) => position);
  };
  // Finding E58: search of what traces say.
  expect(await found({ q: "where order w2" })).toEqual([1]);
  expect(await found({ q: "rucksend*" })).toEqual([2]);
  expect(await found({ q: "nordpost" })).toEqual([2]);
  expect(await found({ filter: { tool: "get_order" } })).toEqual([1, 2]);
  expect(await found({ filter: { tool: "get_order", answer_class: "data" } })).toEqual([2]);
  expect(await found({ filter: { tool: "cancel_order", answer_class: "error:not_found" } })).toEqual([]);
  expect(await found({ filter: { agent: "nobody" } })).toEqual([]);
  expect(await found({ filter: { min_cost_usd: 1 } })).toEqual([]);
  expect(await found({ filter: {} })).toEqual([0, 1, 2]);
  const first = (await invoke("evidence_match", { eid, filter: {}, limit: 2 })).body.found;
  expect([first.n, first.n_is_least, first.traces.length]).toEqual([3, false, 2]);
  const second = (await invoke("evidence_match", { eid, filter: {}, limit: 2, cursor: first.next })).body.found;
  expect(second.traces.map(({ position }: { position: number }) => position)).toEqual([2]);
  expect(second.next).toBeUndefined();
  const plain = (await invoke("evidence_match", { eid })).body;
  expect([plain.matched_n, plain.found]).toEqual([3, undefined]);
  expect((await invoke("evidence_match", { eid, q: "?!" })).body.fields[0].path).toBe("q");
  expect((await invoke("evidence_match", { eid, limit: 2 })).body.fields[0].path).toBe("limit");

  // Finding A14: a stored trace is read with its turns and calls.
  const { id, session: named } = first.traces[0];
  expect(await found({ filter: { session: named } })).toEqual([0]);
  const flat = (await invoke("evidence_get", { eid, trace: id }, t.org.read)).body;
  expect(flat.trace).toMatchObject({
    id,
    position: 0,
    request: "Cancel order W1, please",
    calls: [{ tool: "cancel_order", args: { order: "W1" }, answer_class: "data" }],
    final_answer: "Done with 1.",
  });
  const { tree } = (await invoke("evidence_get", { eid, trace: id, view: "tree" }, t.org.read)).body;
  const calls = tree.children.flatMap((turn: { children?: { tool: string }[] }) => turn.children ?? []);
  expect(calls.map(({ tool }: { tool: string }) => tool)).toEqual(["cancel_order"]);
  expect(tree.children[0]).toMatchObject({ kind: "turn", turn: 0, role: "user", text: "Cancel order W1, please" });
  expect((await invoke("evidence_get", { eid, trace: "tr_none" })).status).toBe(404);
  expect((await invoke("evidence_get", { eid, view: "tree" })).body.fields[0].path).toBe("view");
});

bothSurfaces("records lists traces and the other kinds a copy takes, each read as stored", async (invoke, t) => {
  const eid = (await invoke("evidence_post", { content })).body.id;
  const other = (await invoke("evidence_post", { content: content.slice(0, 1) })).body.id;
  const { kinds } = (await invoke("org_records", {}, t.org.read)).body;
  const of = (kind: string) => kinds.find((each: { kind: string }) => each.kind === kind);
  expect(of("trace")).toMatchObject({ count: 4 });
  expect(of("trace").ids).toHaveLength(4);
  for (const kind of ["attributes", "trial", "job", "blob"]) expect(of(kind).ids).toHaveLength(of(kind).count);
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const [page] = (await invoke("org_records", { kind: "trace", limit: 2, ...(cursor ? { cursor } : {}) })).body.kinds;
    ids.push(...page.ids);
    expect(page.ids.length).toBeLessThanOrEqual(2);
    if (page.next === undefined) break;
    cursor = page.next;
  }
  expect(ids).toEqual(of("trace").ids);
  expect(ids.filter((id) => id.startsWith(eid))).toHaveLength(3);
  expect(ids.filter((id) => id.startsWith(other))).toHaveLength(1);
  const [id = ""] = ids.filter((each) => each.startsWith(`${eid}/0/`));
  const tr = id.split("/")[2];
  const read = (await invoke("org_record_get", { kind: "trace", rid: tr }, t.org.read)).body;
  expect(read).toMatchObject({ kind: "trace", id, record: { v: 1, request: "Cancel order W1, please" } });
  const member = (await invoke("mirror_get", { kinds: "trace" }, t.org.admin)).body.members;
  expect(member.find((each: { id: string }) => each.id === id).sha256).toBe(read.digest);
  expect((await invoke("org_record_get", { kind: "trace", rid: "tr_none" })).status).toBe(404);
  expect((await invoke("org_records", { kind: "trace", cursor: "xyz" })).status).toBe(400);
});

it("traces of a copy of an org are found too, though its search was made whole in the other one", async () => {
  const at = mkdtempSync(join(tmpdir(), "search-copy-"));
  const [first, copy] = [join(at, "first"), join(at, "copy")];
  const before = await startApp({ dataDir: first });
  const org = await before.org();
  const eid = (await invoker(before, "rest", org)("evidence_post", { content })).body.id;
  await before.close();
  cpSync(first, copy, { recursive: true });
  for (const dataDir of [first, copy]) {
    const app = await startApp({ dataDir });
    const { body } = await invoker(app, "rest", org)("evidence_match", { eid, q: "nordpost" });
    expect(body.found).toMatchObject({ n: 1, searched: 3 });
    expect(body.found).not.toHaveProperty("note");
    await app.close();
  }
  rmSync(at, { recursive: true });
});
