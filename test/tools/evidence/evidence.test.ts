import { createHash } from "node:crypto";
import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { chapters, lines, TOKEN, trial } from "./kit.ts";

bothSurfaces(
  "evidence is sent, listed, read and assigned",
  async (invoke, t) => {
    const content = [trial(1, 1), trial(2, 0, "Error: order not found"), { task_id: 3, traj: [] }];
    const posted = await invoke("evidence_post", { content, tag: "first", author: "Ann" }, t.org.push);
    expect(posted.status).toBe(201);
    expect(posted.body).toMatchObject({
      org: "acme",
      kind: "traces",
      format: "tau-bench",
      admitted: 2,
      surface: "main",
      tags: ["first"],
      provenance_kind: "synthetic",
      provenance_detected: true,
      origin: "push",
      never_pulled: true,
      stats: { traces: 2, calls: 2, tools: 1, refused: 1 },
      refused: [{ line: 3, reason: "an empty traj" }],
      superseded: false,
    });
    expect(posted.body.ids).toHaveLength(2);
    const again = await invoke("evidence_post", { content });
    expect([again.status, again.body.id, again.body.ids]).toEqual([200, posted.body.id, posted.body.ids]);

    const listed = await invoke("evidence_list", {}, t.org.read);
    expect(listed.body.data_access).toEqual({ full: 1 });
    expect(listed.body.evidence.map((each: { id: string }) => each.id)).toEqual([posted.body.id]);
    expect((await invoke("evidence_list", { kind: "document" })).body.evidence).toEqual([]);

    const eid = posted.body.id;
    const read = await invoke("evidence_get", { eid }, t.org.read);
    expect(read.body).toMatchObject({
      id: eid,
      by: "Ann",
      digest: createHash("sha256").update(JSON.stringify(content)).digest("hex"),
      versions: [{ id: eid, current: true, traces: 2 }],
    });
    const preview = await invoke("evidence_get", { eid, summary: true });
    expect(preview.body.preview.map((each: { request: string }) => each.request)).toEqual([
      "Where is order W1? I am ann_smith_42.",
      "Where is order W2? I am ann_smith_42.",
    ]);

    const newer = (await invoke("evidence_post", { content: lines([trial(7, 1), trial(8, 1)]), format: "jsonl" })).body
      .id;
    const assigned = await invoke(
      "evidence_assign",
      { eid, provenance: "production", superseded_by: newer, pipeline: "nightly" },
      t.org.push,
    );
    expect(assigned.body).toEqual({
      id: eid,
      org: "acme",
      agent: null,
      agent_version: null,
      pipeline: "nightly",
      provenance_kind: "production",
      provenance_kind_before: "synthetic",
      superseded_by: newer,
      surface: "main",
    });
    expect((await invoke("evidence_get", { eid: newer })).body.versions.map((each: { id: string }) => each.id)).toEqual(
      [eid, newer],
    );
    for (const wrong of [
      { superseded_by: eid },
      { superseded_by: "ev_none" },
      { agent: "ag_none" },
      { agent_version: "v1" },
    ]) {
      const refused = await invoke("evidence_assign", { eid, ...wrong });
      expect([refused.status, refused.body.fields[0].path]).toEqual([400, Object.keys(wrong)[0]]);
    }
    expect((await invoke("evidence_assign", { eid: newer, superseded_by: eid })).body.fields[0].message).toBe(
      "that evidence is superseded by this one",
    );
    expect((await invoke("evidence_assign", { eid, provenance: "staging" }, t.org.read)).status).toBe(403);
  },
  { chapters },
);

bothSurfaces(
  "a toolspec says what parameters held and where their values came from",
  async (invoke) => {
    const rows = Array.from({ length: 10 }, (_, i) => ({
      messages: [
        { role: "user", content: "Find and cancel." },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "a",
              type: "function",
              function: {
                name: "find",
                arguments: `{"email":"u${i}@shop.example","state":"${i % 2 === 0 ? "open" : "done"}"}`,
              },
            },
          ],
        },
        { role: "tool", tool_call_id: "a", content: `{"orders":[{"order_id":"W${1000 + i}"}]}` },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "b",
              type: "function",
              function: { name: "cancel", arguments: `{"order":{"id":"W${1000 + i}"},"days":${i + 1}}` },
            },
          ],
        },
        { role: "tool", tool_call_id: "b", content: "Error: not allowed" },
        { role: "assistant", content: "I cannot do that." },
      ],
    }));
    const { body } = await invoke("evidence_post", { content: lines(rows) });
    const spec = (await invoke("evidence_toolspec", { eid: body.id })).body;
    expect(spec.tools.map((tool: { tool: string }) => tool.tool)).toEqual(["cancel", "find"]);
    const [cancel, find] = spec.tools;
    expect(cancel).toMatchObject({ calls: 10, errors: 10 });
    expect(cancel.params).toMatchObject([
      {
        path: "order.id",
        types: ["string"],
        share: 1,
        distinct: 10,
        format: "id",
        from: [{ field: "find:orders[].order_id", n: 10 }],
      },
      { path: "days", types: ["integer"], range: [1, 10] },
    ]);
    expect(cancel.params[0].values).toBeUndefined();
    expect(find.params).toMatchObject([
      { path: "email", format: "email" },
      { path: "state", values: ["done", "open"] },
    ]);
    const listing = (await invoke("evidence_post", { content: [{ name: "find", inputSchema: { type: "object" } }] }))
      .body;
    expect(listing).toMatchObject({ kind: "tool_listing", format: "mcp", admitted: 1 });
    expect((await invoke("evidence_toolspec", { eid: listing.id })).status).toBe(422);
    expect((await invoke("evidence_toolspec", { eid: "ev_none" })).status).toBe(404);
  },
  { chapters },
);

bothSurfaces(
  "records are listed by kind and read as stored",
  async (invoke) => {
    const { body } = await invoke("evidence_post", { content: "# Returns\n\nWithin 30 days.", tag: "policy" });
    expect(body).toMatchObject({ kind: "document", format: "markdown", document: { title: "Returns", texts: 1 } });
    const all = (await invoke("org_records")).body;
    expect(all.kinds.find((each: { kind: string }) => each.kind === "evidence")).toEqual({
      kind: "evidence",
      count: 1,
      ids: [body.id],
    });
    expect(all.kinds.find((each: { kind: string }) => each.kind === "evidence_key")).toMatchObject({ count: 1 });
    const one = (await invoke("org_record_get", { kind: "evidence", rid: body.id })).body;
    expect(one).toMatchObject({ kind: "evidence", id: body.id, record: { id: body.id, tag: "policy" } });
    expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await invoke("org_record_get", { kind: "evidence", rid: "ev_none" })).status).toBe(404);
    expect((await invoke("org_record_get", { kind: "evidence_key", rid: "ek_any" })).status).toBe(404);
    expect((await invoke("org_records", { kind: "nothing" })).status).toBe(404);
    const paged = (await invoke("org_records", { kind: "evidence", limit: 1 })).body;
    expect(paged.kinds[0].ids).toEqual([body.id]);
  },
  { chapters },
);

bothSurfaces(
  "a trace with a secret is refused, with its kind and never the secret",
  async (invoke) => {
    const content = lines([trial(1, 1), trial(2, 1, `token\n${TOKEN}`)]);
    const posted = await invoke("evidence_post", { content });
    expect(posted.body).toMatchObject({ admitted: 1, refused: [{ line: 2, reason: "holds a secret (github)" }] });
    expect(JSON.stringify(posted.body)).not.toContain(TOKEN);
    const alone = await invoke("evidence_post", { content: [trial(3, 1, TOKEN)] });
    expect([alone.status, alone.body.reason]).toEqual([
      422,
      "Nothing could be taken; 1 refused. The first, item 1: holds a secret (github).",
    ]);
    const document = await invoke("evidence_post", { content: `The key is ${TOKEN}`, format: "text" });
    expect(document.status).toBe(422);
    expect((await invoke("evidence_list")).body.evidence).toHaveLength(1);
    expect((await invoke("evidence_post", { content, allow_secrets: true })).body).toMatchObject({
      admitted: 2,
      refused: [],
    });
  },
  { chapters },
);
