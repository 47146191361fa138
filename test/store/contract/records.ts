import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trace } from "./bodies.ts";
import { Note, newId, note } from "./notes.ts";
import { type Bench, everyPage } from "./setup.ts";

/** What `Records` promises. */
export function recordsContract({ orgStore }: Bench): void {
  describe("records", () => {
    it("gives back what was inserted, once per id", async () => {
      const { records } = await orgStore();
      const doc = note({ colour: "red", more: { z: [1, { b: null }], a: "ü" } });
      expect(await records.insert(Note, doc)).toBe(true);
      expect(await records.insert(Note, { ...doc, text: "other" })).toBe(false);
      expect(await records.get(Note, doc.id)).toEqual(doc);
      expect(await records.get(Note, "note_none")).toBeUndefined();
    });

    it("keeps canonical text and its digest, whatever the order of keys", async () => {
      const { records } = await orgStore();
      const doc = note({ more: { b: 1, a: { d: 2.5, c: "x" } } });
      await records.put(Note, doc);
      const raw = await records.raw("test_note", doc.id);
      const reversed = Object.fromEntries(Object.entries(doc).reverse()) as typeof doc;
      await records.put(Note, reversed);
      expect(await records.raw("test_note", doc.id)).toEqual(raw);
      expect(raw?.text).toBe(
        `{"by":"tester","created_at":1000,"id":"${doc.id}","more":{"a":{"c":"x","d":2.5},"b":1},"n":0,"text":"t"}`,
      );
      expect(raw?.digest).toBe(
        createHash("sha256")
          .update(raw?.text ?? "")
          .digest("hex"),
      );
    });

    it("refuses a document that does not fit its kind, and writes nothing", async () => {
      const { records } = await orgStore();
      const bad = { ...note(), text: 7 } as unknown as Note;
      await expect(records.insert(Note, bad)).rejects.toMatchObject({
        code: "unprocessable",
        details: { fields: [{ path: "text" }] },
      });
      await expect(
        records.apply([
          { op: "insert", kind: Note, doc: note() },
          { op: "insert", kind: Note, doc: bad },
        ]),
      ).rejects.toMatchObject({ code: "unprocessable" });
      expect(await records.count(Note)).toBe(0);
    });

    it("writes records and traces together or neither", async () => {
      const { records, traces } = await orgStore();
      const doc = note();
      const evidence = newId("ev");
      const rows = [0, 1].map((position) => ({ id: newId("tr"), evidence, position, trace: trace(`of ${position}`) }));
      await records.apply([{ op: "insert", kind: Note, doc }], rows);
      expect([await records.count(Note), await traces.count(evidence)]).toEqual([1, 2]);
      const other = newId("ev");
      const again = records.apply(
        [{ op: "insert", kind: Note, doc }],
        rows.map((row) => ({ ...row, id: newId("tr"), evidence: other })),
      );
      await expect(again).rejects.toMatchObject({ code: "conflict" });
      expect(await traces.count(other)).toBe(0);
      const taken = records.apply([{ op: "insert", kind: Note, doc: note() }], [{ ...rows[0]!, evidence: other }]);
      await expect(taken).rejects.toThrow();
      expect([await records.count(Note), await traces.count(other)]).toEqual([1, 0]);
    });

    it("updates by reading, changing and writing as one step: no write is lost", async () => {
      const { records } = await orgStore();
      const doc = note();
      await records.insert(Note, doc);
      await Promise.all(Array.from({ length: 40 }, () => records.update(Note, doc.id, (d) => ({ ...d, n: d.n + 1 }))));
      expect((await records.get(Note, doc.id))?.n).toBe(40);
      expect(await records.update(Note, "note_none", (d) => d)).toBeUndefined();
      await expect(records.update(Note, doc.id, (d) => ({ ...d, id: "other" }))).rejects.toMatchObject({
        code: "internal",
      });
      await expect(
        records.update(Note, doc.id, () => {
          throw new Error("changed my mind");
        }),
      ).rejects.toThrow("changed my mind");
      expect((await records.get(Note, doc.id))?.n).toBe(40);
    });

    it("finds by fields of every type, by several and by any of several values, after changes too", async () => {
      const { records } = await orgStore();
      const long = "x".repeat(5000);
      const docs = [
        note({ colour: "red", size: 1, open: true }),
        note({ colour: "red", size: 2, open: false }),
        note({ colour: "blue", size: 1 }),
        note({ colour: "1", open: true }),
        note({ colour: long }),
        note({ colour: `${long}y` }),
        note(),
      ];
      for (const doc of docs) await records.insert(Note, doc);
      const ids = async (where: Parameters<typeof records.count>[1]) => {
        const { items } = await records.list(Note, { ...(where ? { where } : {}), order: "oldest" });
        expect(await records.count(Note, where)).toBe(items.length);
        return items.map((item) => docs.findIndex((doc) => doc.id === item.id));
      };
      expect(await ids(undefined)).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(await ids({ colour: "red" })).toEqual([0, 1]);
      expect(await ids({ colour: "red", size: 2 })).toEqual([1]);
      expect(await ids({ colour: ["red", "blue", "1"], size: 1 })).toEqual([0, 2]);
      expect(await ids({ open: true })).toEqual([0, 3]);
      expect(await ids({ open: [true, false], colour: ["red"] })).toEqual([0, 1]);
      expect(await ids({ size: 1 })).toEqual([0, 2]);
      expect(await ids({ colour: 1 })).toEqual([]);
      expect(await ids({ colour: [] })).toEqual([]);
      expect(await ids({ colour: long })).toEqual([4]);
      await records.update(Note, docs[0]?.id ?? "", ({ size: _, ...rest }) => ({ ...rest, colour: "green" }));
      await records.delete(Note, docs[2]?.id ?? "");
      expect(await ids({ colour: ["red", "green"] })).toEqual([0, 1]);
      expect(await ids({ size: 1 })).toEqual([]);
      await expect(records.list(Note, { where: { text: "t" } })).rejects.toMatchObject({ code: "internal" });
    });

    it("gets several at once in the order asked, leaving out what is not there", async () => {
      const { records } = await orgStore();
      const docs = Array.from({ length: 300 }, () => note());
      await records.apply(docs.map((doc) => ({ op: "insert" as const, kind: Note, doc })));
      const ids = docs.map((doc) => doc.id).reverse();
      const found = await records.getMany(Note, [...ids.slice(0, 10), "note_none", ...ids.slice(10)]);
      expect(found.map((doc) => doc.id)).toEqual(ids);
      expect(await records.getMany(Note, [])).toEqual([]);
    });

    it("pages through a list that is written to meanwhile: nothing twice, nothing left out that stood", async () => {
      const { records } = await orgStore();
      const docs = Array.from({ length: 25 }, (_, i) => note({ colour: i % 2 ? "red" : "blue" }));
      for (const doc of docs) await records.insert(Note, doc);
      for (const order of ["newest", "oldest"] as const) {
        for (const where of [undefined, { colour: "red" }, { colour: ["red", "blue"] }]) {
          const seen = await everyPage(async (page) => {
            const answer = await records.list(Note, { ...page, order, ...(where ? { where } : {}) });
            await records.insert(Note, note({ id: newId("aaa"), colour: "red" }));
            return answer;
          }, 4);
          const stood = docs.filter((doc) => !where || [where.colour].flat().includes(doc.colour ?? ""));
          const ids = stood.map((doc) => doc.id);
          const got = seen.map((doc) => doc.id).filter((id) => id.startsWith("note_"));
          expect(got).toEqual(order === "newest" ? ids.reverse() : ids);
        }
      }
    });

    it("refuses a limit out of range and a cursor that is not of this list", async () => {
      const { records, audit } = await orgStore();
      await records.insert(Note, note());
      await records.insert(Note, note());
      for (const limit of [0, 501, 1.5, Number.NaN]) {
        await expect(records.list(Note, { limit })).rejects.toMatchObject({ code: "bad_request" });
      }
      const { next } = await records.list(Note, { limit: 1 });
      await expect(audit.list({ cursor: next })).rejects.toMatchObject({ details: { fields: [{ path: "cursor" }] } });
      for (const cursor of ["", "x", Buffer.from('["records.test_note",1]').toString("base64url")]) {
        await expect(records.list(Note, { cursor })).rejects.toMatchObject({ code: "bad_request" });
      }
    });

    it("applies all changes or none, and refuses what is not as expected", async () => {
      const { records } = await orgStore();
      const [a, b] = [note({ colour: "red" }), note()];
      await records.apply([
        { op: "insert", kind: Note, doc: a },
        { op: "put", kind: Note, doc: b },
      ]);
      const digest = (await records.raw("test_note", a.id))?.digest ?? "";
      const taken = records.apply([
        { op: "delete", kind: Note, id: b.id },
        { op: "insert", kind: Note, doc: a },
      ]);
      await expect(taken).rejects.toMatchObject({ code: "conflict" });
      expect(await records.get(Note, b.id)).toEqual(b);
      await records.apply([
        { op: "put", kind: Note, doc: { ...a, text: "new" }, expect: digest },
        { op: "delete", kind: Note, id: b.id },
      ]);
      expect((await records.get(Note, a.id))?.text).toBe("new");
      expect(await records.get(Note, b.id)).toBeUndefined();
      const stale = records.apply([
        { op: "insert", kind: Note, doc: b },
        { op: "put", kind: Note, doc: { ...a, text: "newer" }, expect: digest },
      ]);
      await expect(stale).rejects.toMatchObject({ code: "conflict" });
      expect(await records.count(Note)).toBe(1);
      const absent = records.apply([{ op: "put", kind: Note, doc: b, expect: digest }]);
      await expect(absent).rejects.toMatchObject({ code: "conflict" });
    });

    it("lets one of many racing writers through that expect the same digest", async () => {
      const { records } = await orgStore();
      const doc = note();
      await records.insert(Note, doc);
      const expectDigest = (await records.raw("test_note", doc.id))?.digest ?? "";
      const ends = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) =>
          records.apply([{ op: "put", kind: Note, doc: { ...doc, n: i + 1 }, expect: expectDigest }]),
        ),
      );
      expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(1);
    });

    it("lets racing applies in opposite orders both through", async () => {
      const { records } = await orgStore();
      const [a, b] = [note(), note()];
      await records.apply([a, b].map((doc) => ({ op: "insert" as const, kind: Note, doc })));
      const put = (docs: Note[], text: string) =>
        records.apply(docs.map((doc) => ({ op: "put" as const, kind: Note, doc: { ...doc, text } })));
      await Promise.all(Array.from({ length: 20 }, (_, i) => put(i % 2 ? [a, b] : [b, a], `w${i}`)));
      const texts = (await records.getMany(Note, [a.id, b.id])).map((doc) => doc.text);
      expect(texts[0]).toBe(texts[1]);
    });

    it("counts per kind", async () => {
      const { records } = await orgStore();
      await records.insert(Note, note());
      await records.insert(Note, note());
      expect(await records.kinds()).toEqual([{ kind: "test_note", count: 2 }]);
    });

    it("keeps any JSON, text with U+0000 too; a lone surrogate becomes U+FFFD", async () => {
      const { records } = await orgStore();
      await fc.assert(
        fc.asyncProperty(fc.jsonValue(), fc.string({ unit: "binary" }), async (value, text) => {
          const doc = note({ text, colour: text, more: { value } });
          await records.put(Note, doc);
          const found = await records.get(Note, doc.id);
          expect(found).toEqual(JSON.parse(JSON.stringify(doc)));
          const { items } = await records.list(Note, { where: { colour: text }, limit: 500 });
          expect(items.map((item) => item.id)).toContain(doc.id);
        }),
        { numRuns: 60 },
      );
      const doc = note({ text: "a\ud800b\0", more: { "k\udfff": ["\ud83d", "\ud83d\ude00"] } });
      await records.put(Note, doc);
      const found = await records.get(Note, doc.id);
      expect(found?.text).toBe("a\ufffdb\0");
      expect(found?.more).toEqual({ "k\ufffd": ["\ufffd", "\ud83d\ude00"] });
    });

    it("takes any text for an id: U+0000 and lone surrogates in it read as U+FFFD", async () => {
      const { records } = await orgStore();
      expect(await records.get(Note, "\0")).toBeUndefined();
      await records.insert(Note, note({ id: "note_\0\ud800" }));
      expect(await records.insert(Note, note({ id: "note_\ufffd\ufffd" }))).toBe(false);
      expect(await records.getMany(Note, ["note_\0\ud800", "x\0"])).toHaveLength(1);
      expect(await records.update(Note, "note_\0\ud800", (d) => ({ ...d, n: 3 }))).toMatchObject({ n: 3 });
      expect(await records.get(Note, "x".repeat(100_000))).toBeUndefined();
      expect(await records.delete(Note, "note_\0\ud800")).toBe(true);
      expect(await records.delete(Note, "note_\0\ud800")).toBe(false);
    });
  });
}
