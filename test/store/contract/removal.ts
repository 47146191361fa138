import { describe, expect, it } from "vitest";
import { brokenAt } from "../../../store/audit-chain.ts";
import { fillEveryTable } from "./filled.ts";
import { Note, newId, note } from "./notes.ts";
import { type Bench, everyPage } from "./setup.ts";

/** That an org ends whole, and that what one org alone holds is one org's. */
export function removalContract({ store, org, orgStore }: Bench): void {
  describe("removal", () => {
    it("counts and deletes every row of the org and none of another's", async () => {
      const [going, staying] = [await orgStore(), await orgStore()];
      await fillEveryTable(going, `going${going.org}`);
      await fillEveryTable(staying, `staying${staying.org}`);
      const { removal } = store();
      const before = await removal.count(staying.org);
      const counted = await removal.count(going.org);
      for (const [table, rows] of Object.entries(counted)) expect(rows, table).toBeGreaterThan(0);
      expect(await removal.begin(going.org, 5, "operator")).toBe(true);
      expect(await removal.finish(going.org, 6)).toEqual(counted);
      expect(Object.values(await removal.count(going.org)).every((rows) => rows === 0)).toBe(true);
      expect(await removal.count(staying.org)).toEqual(before);
      expect(await removal.vacuumDue()).toBe(true);
      await removal.vacuum();
      expect(await removal.vacuumDue()).toBe(false);
      expect((await staying.records.list(Note)).items).toHaveLength(3);
      const lines = await everyPage((page) => store().audit.list({ ...page, order: "oldest" }), 500);
      expect(lines.slice(-2)).toMatchObject([
        { act: "org_removal_begun", by: "operator", at: 5 },
        { act: "org_removed", by: "service", at: 6 },
      ]);
      expect(JSON.stringify(lines)).not.toContain(going.org);
      expect(brokenAt("workspace", lines)).toBeUndefined();
    });

    it("hides the org at once, frees its tag, and can be finished twice", async () => {
      const going = await orgStore();
      const mark = `hidden${going.org}`;
      await fillEveryTable(going, mark);
      const tag = going.org.toLowerCase();
      const { removal } = store();
      expect((await store().tokenByHash(`${mark}_0.`.padEnd(64, "0")))?.org.id).toBe(going.org);
      expect(await removal.begin(going.org, 5, "t")).toBe(true);
      expect(await removal.begin(going.org, 6, "t")).toBe(false);
      expect(await store().orgByTag(tag)).toBeUndefined();
      expect(await store().orgById(going.org)).toBeUndefined();
      expect(await store().tokenByHash(`${mark}_0.`.padEnd(64, "0"))).toBeUndefined();
      expect(await store().orgOfRecord("test_note", `${mark}_0`)).toBeUndefined();
      const listed = await everyPage((page) => store().orgs(page), 500);
      expect(listed.map(({ id }) => id)).not.toContain(going.org);
      expect(await removal.begun()).toContain(going.org);
      expect(await store().createOrg({ id: newId("org"), tag, created_at: 1 })).toBe(true);
      await removal.finish(going.org, 7);
      expect(Object.values(await removal.finish(going.org, 8)).every((rows) => rows === 0)).toBe(true);
      expect(await removal.begun()).not.toContain(going.org);
      await expect(going.records.insert(Note, note())).rejects.toMatchObject({ code: "not_found" });
    });

    it("takes nothing of an org that was brought back under the same id while another still finished", async () => {
      const id = newId("org");
      const create = () => store().createOrg({ id, tag: id.toLowerCase(), created_at: 1 });
      await create();
      const { removal } = store();
      await removal.begin(id, 5, "t");
      expect(await removal.begun()).toContain(id);
      await removal.finish(id, 6);
      await create();
      await fillEveryTable(store().forOrg(id), `back${id}`);
      const whole = await removal.count(id);
      // A process that was started meanwhile found the removal begun, and goes on with it.
      expect(Object.values(await removal.finish(id, 7)).every((rows) => rows === 0)).toBe(true);
      expect(await removal.count(id)).toEqual(whole);
      expect(await store().orgById(id)).toBeDefined();
    });

    it("ends although the org's work still writes", async () => {
      const going = await orgStore();
      await fillEveryTable(going, `busy${going.org}`, 30);
      await store().removal.begin(going.org, 5, "t");
      let writes = true;
      const writer = (async () => {
        while (writes) {
          await going.records.insert(Note, note()).catch(() => {
            writes = false;
          });
        }
      })();
      await store().removal.finish(going.org, 6);
      await writer;
      expect(Object.values(await store().removal.count(going.org)).every((rows) => rows === 0)).toBe(true);
    });
  });

  describe("renaming", () => {
    it("moves the tag and writes its line, both or neither", async () => {
      const [a, b] = [await org(), await org()];
      const line = { at: 1, by: "t", act: "org_renamed", fields: {} };
      expect(await store().renameOrg(a, b.toLowerCase(), line)).toBe(false);
      expect((await store().forOrg(a).audit.list()).items).toEqual([]);
      const tag = `new-${a.toLowerCase()}`;
      expect(await store().renameOrg(a, tag, line)).toBe(true);
      expect((await store().orgByTag(tag))?.id).toBe(a);
      expect(await store().orgByTag(a.toLowerCase())).toBeUndefined();
      expect((await store().forOrg(a).audit.list()).items).toMatchObject([{ act: "org_renamed", seq: 1 }]);
      expect(await store().renameOrg(newId("org"), "nobody", line)).toBe(false);
      const both = await Promise.all([a, b].map((id) => store().renameOrg(id, `raced-${a.toLowerCase()}`, line)));
      expect(both.filter(Boolean)).toHaveLength(1);
    });
  });

  describe("claims", () => {
    it("are one org's, whoever comes at once, and free when released", async () => {
      const [a, b] = [await orgStore(), await orgStore()];
      const name = `team ${a.org}`;
      const taken = await Promise.all([a, b].map((each) => each.claims.take(name, 1)));
      expect(taken.filter((refused) => refused === undefined)).toHaveLength(1);
      const holder = taken[0] === undefined ? a : b;
      const other = holder === a ? b : a;
      expect(await other.claims.take(name, 2)).toEqual({ claimedBy: holder.org.toLowerCase() });
      expect(await holder.claims.take(name, 3)).toBeUndefined();
      expect((await store().orgOfClaim(name))?.id).toBe(holder.org);
      expect(await store().orgOfClaim("nobody's")).toBeUndefined();
      expect(await other.claims.release(name)).toBe(false);
      expect(await holder.claims.release(name)).toBe(true);
      expect(await other.claims.take(name, 4)).toBeUndefined();
    });
  });

  describe("deliveries and opens", () => {
    it("list newest first and know the last of a channel", async () => {
      const { deliveries } = await orgStore();
      const line = { at: 1, by: "t", group: "rg", target: null, reference: { ts: "1.2" } };
      await deliveries.append({ ...line, id: "dl_1", channel: "chat" });
      await deliveries.append({ ...line, id: "dl_2", channel: "email" });
      await deliveries.append({ ...line, id: "dl_3", channel: "chat", target: "C1" });
      const all = await everyPage((page) => deliveries.list(page), 2);
      expect(all.map(({ id }) => id)).toEqual(["dl_3", "dl_2", "dl_1"]);
      expect(await deliveries.last("chat")).toEqual({ ...line, id: "dl_3", channel: "chat", target: "C1" });
      expect(await deliveries.last("obs")).toBeUndefined();
      await expect(deliveries.append({ ...line, id: "dl_1", channel: "chat" })).rejects.toMatchObject({
        code: "conflict",
      });
    });

    it("count an open once per member, day and channel", async () => {
      const { opens } = await orgStore();
      const open = { group: "rg", via: "chat", day: 1, member: "m1" };
      expect(await Promise.all([opens.count(open), opens.count(open)])).toContain(false);
      expect(await opens.count(open)).toBe(false);
      expect(await opens.count({ ...open, day: 2 })).toBe(true);
      expect(await opens.count({ ...open, via: "email" })).toBe(true);
      expect(await opens.count({ ...open, member: undefined })).toBe(true);
      expect(await opens.count({ ...open, member: undefined })).toBe(false);
      expect(await opens.tally("rg")).toEqual({
        byVia: [
          { via: "chat", opens: 3 },
          { via: "email", opens: 1 },
        ],
        members: 1,
        anonymous: 1,
      });
      const listed = await everyPage((page) => opens.list(page), 2);
      expect(listed.map(({ via, day, member }) => [via, day, member])).toEqual([
        ["chat", 1, undefined],
        ["chat", 1, "m1"],
        ["chat", 2, "m1"],
        ["email", 1, "m1"],
      ]);
      expect(await opens.tally("other")).toEqual({ byVia: [], members: 0, anonymous: 0 });
    });
  });
}
