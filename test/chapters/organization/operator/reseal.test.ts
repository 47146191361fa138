import { expect, it } from "vitest";
import { rotateSealingKey } from "../../../../chapters/automation/operator/reseal.ts";
import type { ServiceCtx } from "../../../../chapters/context.ts";
import type { RecordKind } from "../../../../chapters/record.ts";
import { OrgSecret } from "../../../../chapters/records/organization/organization.ts";

/** A workspace with one secret; `again` writes it back under the key before, so many times. */
function workspace(again: number) {
  let sealed = "old:x";
  let left = again;
  let dropped = false;
  let check = "old:c";
  const old = (value: string) => value.startsWith("old:");
  const records = {
    list: async (kind: RecordKind) => ({ items: kind.kind === OrgSecret.kind ? [{ id: "sec_x", sealed }] : [] }),
    update: async (_kind: RecordKind, _id: string, change: (doc: { sealed: string }) => { sealed: string }) => {
      sealed = change({ sealed }).sealed;
      if (left-- > 0) sealed = "old:x";
    },
  };
  const ctx = {
    keys: {
      add: async () => {},
      dropOlder: async () => {
        dropped = true;
      },
      isSealed: (value: string) => /^(old|new):/.test(value),
      isNewest: (value: string) => !old(value),
      sealer: { open: (value: string) => value.slice(4), seal: (value: string) => `new:${value}` },
    },
    service: {
      orgs: async () => ({ items: [{ id: "org_1" }] }),
      forOrg: () => ({ records }),
      setting: async () => check,
      putSetting: async (_name: string, value: string) => {
        check = value;
      },
      audit: { append: async () => {} },
    },
    signal: new AbortController().signal,
    caller: { name: "operator" },
    now: () => 1,
  };
  return { ctx: ctx as unknown as ServiceCtx, dropped: () => dropped, sealed: () => sealed, check: () => check };
}

it("seals again what is written back while it runs, and then forgets the keys before", async () => {
  const calm = workspace(2);
  expect(await rotateSealingKey(calm.ctx)).toMatchObject({ resealed: 3, unreadable: 0 });
  expect([calm.sealed(), calm.check(), calm.dropped()]).toEqual(["new:x", "new:c", true]);
});

it("forgets no key while secrets keep coming under it", async () => {
  const busy = workspace(100);
  await expect(rotateSealingKey(busy.ctx)).rejects.toMatchObject({ code: "conflict" });
  expect([busy.sealed(), busy.dropped()]).toEqual(["old:x", false]);
});
