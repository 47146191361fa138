import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadBundle } from "../../chapters/blobs.ts";
import { readInputs, surfaceEvidence } from "../../chapters/sandboxes/surfaces/surface-evidence.ts";
import { invoker, startApp } from "../helpers/app.ts";
import { ctxOf } from "../helpers/ctx.ts";
import { ended, ok } from "../tools/sandboxes/kit.ts";
import { svcHere } from "./svc-here.ts";

const folder = mkdtempSync(join(tmpdir(), "growing-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A conversation about one parcel after so many of its readings, as an agent's requests carry it: whole, each time longer. */
function conversation(parcel: number, readings: number) {
  const messages: object[] = [{ role: "user", content: `Where are parcel P-${parcel} and those after it?` }];
  for (let n = 0; n < readings; n++) {
    const id = `toolu_01${parcel}x${n}abcdefgh`;
    const found = { parcel_id: `P-${parcel + n}`, city: `City ${((parcel + n) * 37) % 89}`, grams: 100 + parcel + n };
    messages.push(
      {
        role: "assistant",
        content: [{ type: "tool_use", id, name: "get_parcel", input: { parcel_id: found.parcel_id } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: JSON.stringify(found) }] },
      { role: "assistant", content: `P-${parcel + n} is in ${found.city}.` },
      { role: "user", content: "And the next one?" },
    );
  }
  return { messages: messages.slice(0, -1) };
}

const PARCELS = [100, 200, 300, 400, 500, 600];

it("a session that was pushed, and again when it had grown, is one where it is compiled", async () => {
  const dataDir = join(folder, "data");
  const files = {
    early: PARCELS.slice(0, 4).map((parcel) => conversation(parcel, 2)),
    late: PARCELS.map((parcel) => conversation(parcel, 4)),
  };
  for (const [name, rows] of Object.entries(files))
    writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => JSON.stringify(row)).join("\n"));
  const push = async (name: keyof typeof files, surface: string) => {
    const args = ["push", join(folder, `${name}.jsonl`), "--surface", surface, "--json"];
    const { code, stdout, stderr } = await svcHere(args, { SVC_DATA_DIR: dataDir });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout).files).toMatchObject([{ kind: "traces", traces: files[name].length }]);
  };
  await push("early", "grown");
  await push("late", "grown");
  await push("late", "whole");
  const app = await startApp({ dataDir });
  try {
    const [row] = (await app.rest("GET", "/v0/orgs", undefined, app.operator)).body.orgs;
    const found = await app.service.store.orgByTag(row.org);
    if (!found) throw new Error("the pushes made no org");
    const ctx = ctxOf(app.service, found);
    const read = async (surface: string) => readInputs(ctx, await surfaceEvidence(ctx, surface));
    const grown = await read("grown");
    expect(grown.evidence).toHaveLength(2);
    expect(grown.traces).toHaveLength(PARCELS.length);
    expect(grown.traces.map(({ calls }) => calls.length)).toEqual(PARCELS.map(() => 4));

    const operator = { id: found.id, tag: found.tag, read: app.operator, push: app.operator, admin: app.operator };
    const invoke = invoker(app, "rest", operator);
    const compiled = async (surface: string) => {
      const { body } = await ok(invoke("pipeline_post", { surface, orgtag: found.tag }));
      const job = await ended(invoke, body.job);
      expect(job.status, job.note).toBe("landed");
      const { bundle, record } = await loadBundle(ctx, job.result.bundle);
      const { tables, fidelity } = record;
      // What is compiled alike differs in the name of its surface alone.
      return { bundle: { ...bundle, name: "" }, base: record.base_blob, tables, fidelity };
    };
    expect(await compiled("grown")).toEqual(await compiled("whole"));
  } finally {
    await app.close();
  }
});
