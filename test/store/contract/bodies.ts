import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { OrgStore } from "../../../chapters/ports/store.ts";
import type { CanonicalTrace } from "../../../chapters/records/evidence/evidence.ts";
import { packTrace } from "../../../store/pack-trace.ts";
import type { JournalEntry } from "../../../worlds/state/journal.ts";
import { journalEntry, trialRow } from "../../helpers/rows.ts";
import { newId } from "./notes.ts";
import { type Bench, collect, everyPage } from "./setup.ts";

/** A trace of one call with this text in it. */
export function trace(text: string, some: Partial<CanonicalTrace> = {}): CanonicalTrace {
  return {
    v: 1,
    session: newId("session"),
    request: text,
    turns: [{ role: "user", text }],
    calls: [{ tool: "get", args: { text }, result: { text }, answer_class: "data", is_error: false }],
    final_answer: text,
    final_answer_class: "answered",
    labels: {},
    ...some,
  };
}

const entry = (seq: number, text = "x") =>
  journalEntry({
    seq,
    args: { text },
    answer: { text },
    changes: [{ table: "t", key: "k", after: { text } }],
    at: 1.5,
    drawn: seq,
  });

const odd = "\0 \ud800 \u{1F600} \u2028 é";

/** What is promised of blobs, traces, trials and journals. */
export function bodiesContract({ orgStore }: Bench): void {
  describe("blobs", () => {
    it("gives back bytes by their SHA-256, small, dense, large and empty ones", async () => {
      const { blobs } = await orgStore();
      const all = [
        new Uint8Array(0),
        randomBytes(100),
        randomBytes(100_000),
        Buffer.from("text ".repeat(1000)),
        Buffer.from("text ".repeat(1_000_000)),
        randomBytes(600_000),
      ];
      for (const bytes of all) {
        const digest = await blobs.put(bytes);
        expect(digest).toBe(createHash("sha256").update(bytes).digest("hex"));
        expect(await blobs.put(bytes)).toBe(digest);
        expect(Buffer.compare(Buffer.from((await blobs.get(digest)) ?? []), bytes)).toBe(0);
      }
      expect(await blobs.get("0".repeat(64))).toBeUndefined();
      const same = await Promise.all(Array.from({ length: 8 }, () => blobs.put(Buffer.from("at once"))));
      expect(new Set(same).size).toBe(1);
    });
  });

  describe("traces", () => {
    it("gives whole traces back exactly, by id and as a stream in order", async () => {
      const { traces } = await orgStore();
      const [e1, e2] = [newId("ev"), newId("ev")];
      const rows = Array.from({ length: 150 }, (_, i) => ({
        id: newId("tr"),
        evidence: i < 140 ? e1 : e2,
        position: i < 140 ? i : i - 140,
        trace: trace(`${odd} ${"text ".repeat(i * 10)}`, i % 2 ? { started_at: 1.5 + i } : {}),
      }));
      await traces.append([...rows].reverse());
      expect(await traces.get(rows[3]?.id ?? "")).toEqual(rows[3]);
      expect(await traces.get("tr_none")).toBeUndefined();
      expect(await collect(traces.stream([e2, e1, "ev_none", e2]))).toEqual([
        ...rows.slice(140),
        ...rows.slice(0, 140),
      ]);
      expect([await traces.count(e1), await traces.count(e2), await traces.count("ev_none")]).toEqual([140, 10, 0]);
      const heads = await everyPage((page) => traces.heads(e1, page), 33);
      expect(heads.map((head) => head.position)).toEqual(Array.from({ length: 140 }, (_, i) => i));
      expect(heads[1]).toEqual({
        id: rows[1]?.id,
        evidence: e1,
        position: 1,
        session: rows[1]?.trace.session,
        startedAt: 2.5,
        calls: 1,
        digest: createHash("sha256").update(JSON.stringify(rows[1]?.trace)).digest("hex"),
      });
      expect(heads[0]?.startedAt).toBeUndefined();
      expect(await traces.deleteEvidence(e1)).toBe(140);
      expect(await traces.count(e1)).toBe(0);
      expect(await traces.count(e2)).toBe(10);
    });

    it("keeps a trace that was packed elsewhere as it keeps one of its own", async () => {
      const { traces } = await orgStore();
      const evidence = newId("ev");
      const given = trace(`${odd} ${"text ".repeat(500)}`, { started_at: 2.5 });
      const late = trace("undated");
      const at = (position: number) => ({ id: newId("tr"), evidence, position });
      await traces.append([
        { ...at(0), trace: given },
        // As it comes from another thread: its bytes are no Buffer.
        { ...at(1), packed: structuredClone(packTrace(given)) },
        { ...at(2), packed: packTrace(late) },
      ]);
      const [own, packed, undated] = (await traces.heads(evidence)).items;
      expect({ ...packed, id: "", position: 0 }).toEqual({ ...own, id: "", position: 0 });
      expect(undated?.startedAt).toBeUndefined();
      expect((await collect(traces.stream([evidence]))).map((row) => row.trace)).toEqual([given, given, late]);
    });

    it("writes over a position, keeps the last of two in one append, and refuses an id that stands elsewhere", async () => {
      const { traces } = await orgStore();
      const evidence = newId("ev");
      const at = (position: number, text: string, id = newId("tr")) => ({
        id,
        evidence,
        position,
        trace: trace(text),
      });
      const first = at(0, "first");
      await traces.append([first, at(1, "a"), at(1, "b")]);
      await traces.append([at(0, "second")]);
      const texts = async () => (await collect(traces.stream([evidence]))).map((row) => row.trace.request);
      expect(await texts()).toEqual(["second", "b"]);
      expect(await traces.get(first.id)).toBeUndefined();
      const taken = (await traces.heads(evidence)).items[0]?.id ?? "";
      await expect(traces.append([at(2, "c"), at(3, "d", taken)])).rejects.toMatchObject({ code: "conflict" });
      expect(await texts()).toEqual(["second", "b"]);
      await traces.append([]);
    });
  });

  describe("trials", () => {
    it("counts a trial once and keeps every attempt", async () => {
      const { trials } = await orgStore();
      const run = newId("run");
      const row = trialRow({ run, ms: 12.5, log: "a\0b\ud800", end: "infra", cause: "crash" });
      const ends = await Promise.all(Array.from({ length: 6 }, (_, i) => trials.insert({ ...row, ms: i })));
      expect(ends.filter(Boolean)).toHaveLength(1);
      const second = trialRow({ run, attempt: 2 });
      expect(await trials.insert(second)).toBe(true);
      expect(await trials.insert(second)).toBe(false);
      const attempts = await trials.get(run, "task_1", 1);
      expect(attempts.map((attempt) => attempt.attempt)).toEqual([1, 2]);
      expect(attempts[1]).toEqual(second);
      expect(await trials.get(run, "task_1", 2)).toEqual([]);
    });

    it("tallies the newest attempt of each try, and pages in order of task, try and attempt", async () => {
      const { trials } = await orgStore();
      const [run, other] = [newId("run"), newId("run")];
      for (const task of ["b", "a"]) {
        for (const n of [2, 1, 10]) await trials.insert(trialRow({ run, task, n, end: n === 2 ? "failed" : "met" }));
      }
      await trials.insert(trialRow({ run, task: "b", n: 3, end: "infra" }));
      await trials.insert(trialRow({ run, task: "b", n: 3, attempt: 2, end: "infra" }));
      await trials.insert(trialRow({ run, task: "b", n: 3, attempt: 3, end: "met" }));
      await trials.insert(trialRow({ run: other, end: "invalid" }));
      expect(await trials.tally(run)).toEqual({ failed: 2, met: 5 });
      expect(await trials.tally("run_none")).toEqual({});
      const rows = await everyPage((page) => trials.list(run, page), 2);
      expect(rows.map(({ task, n, attempt }) => `${task}${n}.${attempt}`)).toEqual([
        "a1.1",
        "a2.1",
        "a10.1",
        "b1.1",
        "b2.1",
        "b3.1",
        "b3.2",
        "b3.3",
        "b10.1",
      ]);
    });
  });

  describe("journals", () => {
    const start = { seq: 0, chain: "" };
    /** Appends where the journal ends now. */
    const append = async (journals: OrgStore["journals"], world: string, entries: JournalEntry[]) => {
      const place = (await journals.tail(world, start))?.place ?? start;
      return journals.append(world, entries, place);
    };

    it("appends where the writer knows the end, and tells one that does not what it missed", async () => {
      const { journals } = await orgStore();
      const world = newId("wl");
      const first = await journals.append(world, [entry(1), entry(2, odd)], start);
      if (!("place" in first)) throw new Error("nobody else writes");
      expect(first.place.seq).toBe(2);
      expect(await journals.tail(world, first.place)).toBeUndefined();
      const third = entry(3, "long ".repeat(2000));
      const second = await journals.append(world, [third], first.place);
      if (!("place" in second)) throw new Error("nobody else writes");
      const kept = [entry(1), entry(2, odd), third];
      expect(await journals.read(world)).toEqual(kept);
      expect(await journals.append(world, [entry(3)], first.place)).toEqual({
        missed: { from: 2, entries: [third], place: second.place },
      });
      for (const unknown of [
        start,
        { seq: 2, chain: "x" },
        { seq: 3, chain: first.place.chain },
        { seq: 9, chain: "x" },
      ])
        expect(await journals.append(world, [entry(unknown.seq + 1)], unknown)).toEqual({
          missed: { from: 0, entries: kept, place: second.place },
        });
      await expect(journals.append(world, [entry(5)], second.place)).rejects.toThrow("does not follow");
      expect(await journals.read(world)).toEqual(kept);
      await journals.append(newId("wl"), [entry(1)], start);
    });

    it("takes what a writer makes of what it missed, behind it, in the same turn", async () => {
      const { journals } = await orgStore();
      const world = newId("wl");
      const writer = async (name: string) => {
        const stored = await journals.append(world, [entry(1, name)], start, ({ from, entries, place }) => {
          expect([from, entries.length]).toEqual([0, place.seq]);
          return name === "shy" ? undefined : [entry(place.seq + 1, name)];
        });
        return "place" in stored ? stored.place : undefined;
      };
      const names = Array.from({ length: 12 }, (_, i) => `w${i}`);
      const ends = await Promise.all(names.map(writer));
      expect(ends.map((place) => place?.seq).sort()).toEqual(names.map((_, i) => i + 1).sort());
      expect(await writer("shy")).toBeUndefined();
      const stored = await journals.read(world);
      expect(stored.map(({ seq }) => seq)).toEqual(names.map((_, i) => i + 1));
      const last = ends.find((place) => place?.seq === names.length);
      expect(last && (await journals.tail(world, last))).toBeUndefined();
      const wrong = journals.append(world, [entry(1)], start, () => [entry(1)]);
      await expect(wrong).rejects.toThrow("does not follow");
    });

    it("knows a journal that was begun anew from the one before, however long it is", async () => {
      const { journals } = await orgStore();
      const world = newId("wl");
      await append(journals, world, [entry(1, "before")]);
      const place = (await journals.tail(world, start))?.place ?? start;
      await journals.clear(world);
      expect(await journals.read(world)).toEqual([]);
      expect(await journals.tail(world, place)).toEqual({ from: 0, entries: [], place: start });
      await append(journals, world, [entry(1, "after")]);
      expect(await journals.tail(world, place)).toMatchObject({ from: 0, entries: [entry(1, "after")] });
      expect(await journals.append(world, [entry(2)], place)).toHaveProperty("missed");
    });

    it("lets one of many writers through that append to the same end", async () => {
      const { journals } = await orgStore();
      const world = newId("wl");
      const ends = await Promise.all(
        Array.from({ length: 12 }, (_, i) => journals.append(world, [entry(1, `w${i}`), entry(2)], start)),
      );
      expect(ends.filter((end) => "place" in end)).toHaveLength(1);
      expect(await journals.read(world)).toHaveLength(2);
    });
  });
}
