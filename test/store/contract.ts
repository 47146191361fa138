import { describe, expect, it } from "vitest";
import { attributesContract } from "./contract/attributes.ts";
import { bodiesContract } from "./contract/bodies.ts";
import { jobsContract } from "./contract/jobs.ts";
import { logsContract } from "./contract/logs.ts";
import { Note, newId, note } from "./contract/notes.ts";
import { orgsContract } from "./contract/orgs.ts";
import { recordsContract } from "./contract/records.ts";
import { removalContract } from "./contract/removal.ts";
import { searchContract } from "./contract/search.ts";
import { bench, type Subject } from "./contract/setup.ts";
import { turnsContract } from "./contract/turns.ts";

/** Registers what every store must do, whatever it is made of. */
export function storeContract(name: string, make: () => Promise<Subject>): void {
  describe(`${name} store`, () => {
    const tools = bench(make);
    recordsContract(tools);
    jobsContract(tools);
    bodiesContract(tools);
    searchContract(tools);
    attributesContract(tools);
    logsContract(tools);
    orgsContract(tools);
    removalContract(tools);
    turnsContract(tools);

    it("undoes a failed write alone, whatever was written at the same time", async () => {
      const { records } = await tools.orgStore();
      const taken = note();
      await records.insert(Note, taken);
      const docs = Array.from({ length: 30 }, () => note());
      const ends = await Promise.allSettled(
        docs.map((doc, i) =>
          records.apply([
            { op: "insert", kind: Note, doc },
            ...(i % 3 === 0 ? [{ op: "insert" as const, kind: Note, doc: taken }] : []),
          ]),
        ),
      );
      const stored = await records.getMany(
        Note,
        docs.map((doc) => doc.id),
      );
      const wanted = docs.filter((_, i) => i % 3 !== 0);
      expect(stored).toEqual(wanted);
      expect(ends.map((end) => end.status === "fulfilled")).toEqual(docs.map((_, i) => i % 3 !== 0));
    });
  });

  describe(`${name} store, closed and opened`, () => {
    it("has what it had, and refuses work while closed", async () => {
      const subject = await make();
      try {
        const store = await subject.open();
        const org = newId("org");
        await store.createOrg({ id: org, tag: org.toLowerCase(), created_at: 1 });
        const doc = note();
        const pending = store.forOrg(org).records.insert(Note, doc);
        await pending;
        await store.close();
        await store.close();
        await expect(store.forOrg(org).records.get(Note, doc.id)).rejects.toMatchObject({ code: "unavailable" });
        await expect(store.forOrg(org).records.insert(Note, note())).rejects.toMatchObject({ code: "unavailable" });
        const again = await subject.open();
        expect(await again.forOrg(org).records.get(Note, doc.id)).toEqual(doc);
        await again.close();
      } finally {
        await subject.drop();
      }
    });
  });
}
