import { describe, expect, it } from "vitest";
import { jobRow } from "../../helpers/rows.ts";
import { Note, newId, note } from "./notes.ts";
import { type Bench, everyPage } from "./setup.ts";

/** What `OrgJobs` and the job queue promise. */
export function jobsContract({ store, org }: Bench): void {
  const ids = (rows: readonly { readonly id: string }[]) => rows.map((row) => row.id);

  describe("jobs", () => {
    it("gives back what was started, values of any JSON", async () => {
      const id = await org();
      const { jobs } = store().forOrg(id);
      const row = jobRow(id, {
        input: { list: [1, "\0", null] },
        state: [1],
        result: "done",
        note: "n",
        parent: "job_p",
        total: 3,
        message: "m",
        stop_by: "me",
        started_at: 1.25,
        ended_at: 2,
      });
      expect(await jobs.start(row)).toEqual({ row, deduplicated: false });
      expect(await jobs.get(row.id)).toEqual(row);
      expect(await jobs.get("job_none")).toBeUndefined();
    });

    it("holds a key for one live job: racing starts collapse to one, and an ended job frees it", async () => {
      const id = await org();
      const { jobs } = store().forOrg(id);
      const started = await Promise.all(Array.from({ length: 20 }, () => jobs.start(jobRow(id, { key: "compile x" }))));
      expect(started.filter((start) => !start.deduplicated)).toHaveLength(1);
      expect(new Set(started.map((start) => start.row.id)).size).toBe(1);
      const first = started[0]?.row.id ?? "";
      for (const status of ["held", "running"] as const) {
        await jobs.update(first, { status });
        expect((await jobs.start(jobRow(id, { key: "compile x" }))).row.id).toBe(first);
      }
      await jobs.update(first, { status: "landed", ended_at: 5 });
      const next = await jobs.start(jobRow(id, { key: "compile x" }));
      expect(next.deduplicated).toBe(false);
      const other = await org();
      expect(
        (
          await store()
            .forOrg(other)
            .jobs.start(jobRow(other, { key: "compile x" }))
        ).deduplicated,
      ).toBe(false);
    });

    // Finding S18.
    it("writes records with the row that starts, and none where another holds the key or one cannot be written", async () => {
      const id = await org();
      const { jobs, records } = store().forOrg(id);
      const insert = (doc: Note) => ({ op: "insert" as const, kind: Note, doc });
      const [first, again, other] = [note(), note(), note()];
      const { row } = await jobs.start(jobRow(id, { key: "launch" }), [insert(first)]);
      expect(await records.get(Note, first.id)).toEqual(first);
      expect(await jobs.start(jobRow(id, { key: "launch" }), [insert(again)])).toEqual({ row, deduplicated: true });
      expect(await records.get(Note, again.id)).toBeUndefined();
      const refused = jobRow(id, { key: "another" });
      await expect(jobs.start(refused, [insert(other), insert(first)])).rejects.toMatchObject({ code: "conflict" });
      expect(await jobs.get(refused.id)).toBeUndefined();
      expect(await records.get(Note, other.id)).toBeUndefined();
    });

    it("refuses an id that is taken and a key that is too long", async () => {
      const id = await org();
      const { jobs } = store().forOrg(id);
      const row = jobRow(id);
      await jobs.start(row);
      await expect(jobs.start({ ...row, key: "other" })).rejects.toMatchObject({ code: "conflict" });
      await expect(jobs.start(jobRow(id, { key: "k".repeat(601) }))).rejects.toMatchObject({ code: "unprocessable" });
      await jobs.start(jobRow(id, { key: "\u{1F600}".repeat(300) }));
    });

    it("changes a job until it has ended", async () => {
      const id = await org();
      const { jobs } = store().forOrg(id);
      const row = jobRow(id);
      await jobs.start(row);
      expect(await jobs.update(row.id, { done: 2, total: 5, message: "two", state: { at: 2 } })).toEqual({
        ...row,
        done: 2,
        total: 5,
        message: "two",
        state: { at: 2 },
      });
      expect(await jobs.update(row.id, {})).toMatchObject({ done: 2 });
      expect(await jobs.update(row.id, { status: "queued" }, { status: "held" })).toBeUndefined();
      expect(await jobs.update(row.id, {}, { status: "held" })).toBeUndefined();
      expect(await jobs.update(row.id, { done: 3 }, { status: row.status })).toMatchObject({ done: 3 });
      expect(await jobs.update(row.id, { message: null, status: "failed", note: "no", ended_at: 9 })).toMatchObject({
        message: null,
        status: "failed",
      });
      expect(await jobs.update(row.id, { status: "queued" })).toBeUndefined();
      expect(await jobs.update(row.id, {})).toBeUndefined();
      expect(await jobs.update("job_none", { done: 1 })).toBeUndefined();
      expect((await jobs.get(row.id))?.status).toBe("failed");
    });

    it("lists newest first or oldest first, by life, kind and parent", async () => {
      const id = await org();
      const { jobs } = store().forOrg(id);
      const parent = jobRow(id, { kind: "run" });
      const a = jobRow(id, { kind: "trial", parent: parent.id });
      const b = jobRow(id, { kind: "trial", parent: parent.id, status: "landed", ended_at: 3 });
      const c = jobRow(id, { kind: "other", status: "held" });
      for (const row of [parent, a, b, c]) await jobs.start(row);
      expect(ids((await jobs.list()).items)).toEqual(ids([c, b, a, parent]));
      expect(ids((await jobs.list({ order: "oldest" })).items)).toEqual(ids([parent, a, b, c]));
      expect(ids((await jobs.list({ live: true })).items)).toEqual(ids([c, a, parent]));
      expect(ids((await jobs.list({ kind: "trial" })).items)).toEqual(ids([b, a]));
      expect(ids((await jobs.list({ parent: parent.id, live: true })).items)).toEqual(ids([a]));
      // What is no part of another job.
      expect(ids(await everyPage((page) => jobs.list({ ...page, parent: null }), 1))).toEqual(ids([c, parent]));
      expect(ids(await everyPage((page) => jobs.list({ ...page, live: true }), 1))).toEqual(ids([c, a, parent]));
      expect(ids(await everyPage((page) => jobs.list({ ...page, order: "oldest" }), 3))).toEqual(
        ids([parent, a, b, c]),
      );
    });

    it("keeps an audit trail per job, numbered without gaps under racing writers", async () => {
      const id = await org();
      const { jobs } = store().forOrg(id);
      const row = jobRow(id);
      await jobs.start(row);
      await jobs.event(row.id, 1, "begun", { n: 1, ok: true, who: "a" });
      await jobs.update(row.id, { status: "landed", ended_at: 3 });
      await Promise.all(Array.from({ length: 15 }, (_, i) => jobs.event(row.id, 2, "step", { i })));
      const events = await jobs.events(row.id);
      expect(events[0]).toEqual({ seq: 1, at: 1, kind: "begun", fields: { n: 1, ok: true, who: "a" } });
      expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
      await expect(jobs.event("job_none", 1, "x", {})).rejects.toMatchObject({ code: "not_found" });
      expect(await jobs.events("job_none")).toEqual([]);
    });
  });

  describe("job queue", () => {
    /** Jobs of a kind that only this test has, oldest first. */
    async function queued(n: number) {
      const kind = newId("kind");
      const orgs = [await org(), await org()];
      const rows = Array.from({ length: n }, (_, i) =>
        jobRow(orgs[i % 2] ?? "", { kind, created_at: 1000 + i, id: newId("job") }),
      );
      for (const row of [...rows].reverse()) await store().forOrg(row.org).jobs.start(row);
      return { kind, rows };
    }

    it("gives queued jobs of the kinds asked for, oldest first, each to one owner", async () => {
      const { kind, rows } = await queued(30);
      const first = await store().claimJobs("me", 4, 2000, 2030, [kind]);
      expect(ids(first)).toEqual(ids(rows.slice(0, 4)));
      expect(first[0]).toMatchObject({ status: "running", attempt: 1, started_at: 2000 });
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, i) => store().claimJobs(`owner${i}`, 5, 2000, 2030, [kind])),
      );
      const later = [...(await store().claimJobs("late", 50, 2000, 2030, [kind]))];
      const all = [...claims.flat(), ...later];
      expect(ids(all).sort()).toEqual(ids(rows.slice(4)).sort());
      expect(await store().claimJobs("me", 5, 2000, 2030, [kind])).toEqual([]);
      expect(await store().claimJobs("me", 5, 2000, 2030, [newId("kind")])).toEqual([]);
    });

    it("leaves held and ended jobs alone", async () => {
      const { kind, rows } = await queued(2);
      const [held, ended] = rows;
      await store()
        .forOrg(held?.org ?? "")
        .jobs.update(held?.id ?? "", { status: "held" });
      await store()
        .forOrg(ended?.org ?? "")
        .jobs.update(ended?.id ?? "", { status: "stopped", ended_at: 1 });
      expect(await store().claimJobs("me", 5, 1e9, 2e9, [kind])).toEqual([]);
    });

    it("takes a job again when its lease has expired, and counts the attempt", async () => {
      const { kind, rows } = await queued(2);
      await store().claimJobs("dead", 2, 2000, 2030, [kind]);
      expect(await store().claimJobs("me", 5, 2029, 2060, [kind])).toEqual([]);
      const again = await store().claimJobs("me", 1, 2031, 2060, [kind]);
      expect(again).toMatchObject([{ id: rows[0]?.id, attempt: 2, started_at: 2000 }]);
      const job = rows[0];
      const { jobs } = store().forOrg(job?.org ?? "");
      expect(await jobs.update(job?.id ?? "", { done: 1 }, { owner: "dead" })).toBeUndefined();
      expect(await jobs.update(job?.id ?? "", { done: 1 }, { owner: "me" })).toMatchObject({ done: 1 });
    });

    it("keeps a renewed lease, tells who was asked to stop, and renews nobody else's", async () => {
      const { kind, rows } = await queued(3);
      await store().claimJobs("me", 3, 2000, 2030, [kind]);
      const [a, b] = rows;
      await store()
        .forOrg(b?.org ?? "")
        .jobs.update(b?.id ?? "", { stop_by: "someone" });
      expect(await store().renewJobs("me", ids(rows.slice(0, 2)), 2100)).toEqual({ stops: [b?.id], lost: [] });
      expect(await store().renewJobs("other", ids(rows), 9999)).toEqual({ stops: [], lost: ids(rows) });
      expect(await store().renewJobs("me", [], 2100)).toEqual({ stops: [], lost: [] });
      const taken = await store().claimJobs("other", 5, 2050, 2200, [kind]);
      expect(ids(taken)).toEqual([rows[2]?.id]);
      expect(ids(await store().claimJobs("other", 5, 2101, 2200, [kind]))).toEqual([a?.id, b?.id]);
    });

    it("takes a job that was put back at once", async () => {
      const { kind, rows } = await queued(1);
      await store().claimJobs("me", 1, 2000, 9000, [kind]);
      const job = rows[0];
      await store()
        .forOrg(job?.org ?? "")
        .jobs.update(job?.id ?? "", { status: "queued", attempt: 0 });
      expect(await store().claimJobs("next", 1, 2001, 2030, [kind])).toMatchObject([{ id: job?.id, attempt: 1 }]);
      expect(await store().renewJobs("me", [job?.id ?? ""], 9999)).toEqual({ stops: [], lost: [job?.id] });
    });

    it("gives one job that is named to one of those who ask, and again when its lease has ended", async () => {
      const { rows } = await queued(1);
      const { org = "", id = "" } = rows[0] ?? {};
      const claim = (owner: string, now: number) => store().claimJob(org, id, owner, now, now + 10);
      const got = await Promise.all(Array.from({ length: 8 }, (_, i) => claim(`owner${i}`, 2000)));
      expect(got.filter((row) => row !== undefined)).toMatchObject([{ id, attempt: 1, status: "running" }]);
      expect(await claim("late", 2010)).toBeUndefined();
      expect(await claim("late", 2010.5)).toMatchObject({ id, attempt: 2, started_at: 2000 });
      expect(await store().claimJob("org_other", id, "x", 9999, 10_000)).toBeUndefined();
      await store().forOrg(org).jobs.update(id, { status: "landed" });
      expect(await claim("late", 5000)).toBeUndefined();
    });

    it("lists the jobs of all orgs, newest first", async () => {
      const { rows } = await queued(5);
      const ended = rows[2];
      await store()
        .forOrg(ended?.org ?? "")
        .jobs.update(ended?.id ?? "", { status: "landed", ended_at: 1 });
      const mine = new Set(ids(rows));
      const all = await everyPage((page) => store().jobsAcrossOrgs(page), 2);
      expect(ids(all).filter((id) => mine.has(id))).toEqual(ids(rows).reverse());
      const live = await everyPage((page) => store().jobsAcrossOrgs({ ...page, live: true }), 500);
      expect(ids(live).filter((id) => mine.has(id))).toEqual(ids(rows.filter((row) => row !== ended)).reverse());
      expect(await store().orgOfJob(rows[1]?.id ?? "")).toBe(rows[1]?.org);
      expect(await store().orgOfJob("job_none")).toBeUndefined();
    });
  });
}
