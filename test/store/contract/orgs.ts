import { describe, expect, it } from "vitest";
import type { OrgStore } from "../../../chapters/ports/store.ts";
import { writeRows } from "./filled.ts";
import { Note, note } from "./notes.ts";
import { type Bench, collect } from "./setup.ts";

/** The ids both orgs use: whatever one writes under them, the other must not see. */
const id = "same_id";
const fill = (store: OrgStore, mark: string) => writeRows(store, { id, group: id, position: 0, mark });

/** Everything an org can read. */
async function view(store: OrgStore, digests: readonly string[]) {
  const { records, blobs, traces, trials, jobs, ledger, audit, journals, tokens } = store;
  return {
    records: [
      await records.get(Note, id),
      await records.getMany(Note, [id]),
      await records.list(Note),
      await records.list(Note, { where: { colour: "red" } }),
      await records.count(Note),
      await records.count(Note, { colour: "red" }),
      (await records.raw("test_note", id))?.text,
      await records.kinds(),
    ],
    blobs: await Promise.all(digests.map(async (digest) => String(await blobs.get(digest)))),
    traces: [await traces.heads(id), await traces.count(id), await traces.get(id), await collect(traces.stream([id]))],
    trials: [await trials.list(id), await trials.get(id, id, 1), await trials.tally(id)],
    jobs: [await jobs.get(id), await jobs.list(), await jobs.list({ live: true }), await jobs.events(id)],
    ledger: [await ledger.since(0), await ledger.list(0)],
    audit: await audit.list(),
    journals: await journals.read(id),
    tokens: [await tokens.get(id), await tokens.list("org")],
  };
}

/** That an org's store neither reads nor changes anything of another's. */
export function orgsContract({ store, org, orgStore }: Bench): void {
  describe("orgs", () => {
    it("see nothing of each other, under the same ids and keys", async () => {
      const [a, b, empty] = [await orgStore(), await orgStore(), await orgStore()];
      await fill(a, `alpha${a.org}`);
      const digests = [await a.blobs.put(Buffer.from(`alpha${a.org}`))];
      const before = JSON.stringify(await view(a, digests));
      const nothing = JSON.stringify(await view(empty, digests));
      expect(nothing).not.toContain("alpha");
      expect(JSON.stringify(await view(b, digests))).toBe(nothing);
      await fill(b, `beta${b.org}`);
      expect(JSON.stringify(await view(b, digests))).not.toContain("alpha");
      expect(JSON.stringify(await view(a, digests))).toBe(before);
    });

    it("change nothing of each other", async () => {
      const [a, b] = [await orgStore(), await orgStore()];
      await fill(a, `alpha${a.org}`);
      const before = JSON.stringify(await view(a, []));
      expect(await b.records.delete(Note, id)).toBe(false);
      expect(await b.records.update(Note, id, (doc) => ({ ...doc, text: "x" }))).toBeUndefined();
      await b.records.apply([{ op: "delete", kind: Note, id }]);
      await b.records.put(Note, note({ id, text: "b's" }));
      expect(await b.traces.deleteEvidence(id)).toBe(0);
      expect(await b.jobs.update(id, { message: "x" })).toBeUndefined();
      await expect(b.jobs.event(id, 1, "x", {})).rejects.toMatchObject({ code: "not_found" });
      await b.journals.clear(id);
      expect(await b.tokens.revoke(id, 5)).toBeUndefined();
      await b.tokens.touch(id, 5);
      expect(await b.tokens.delete(id)).toBe(false);
      expect(JSON.stringify(await view(a, []))).toBe(before);
    });

    it("are found for a record by its kind and id", async () => {
      const owner = await org();
      const doc = note();
      await store().forOrg(owner).records.insert(Note, doc);
      expect(await store().orgOfRecord("test_note", doc.id)).toBe(owner);
      expect(await store().orgOfRecord("other", doc.id)).toBeUndefined();
      expect(await store().orgOfRecord("test_note", "\0")).toBeUndefined();
    });
  });
}
