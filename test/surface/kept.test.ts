import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import { ToolLists } from "../../src/mcp/tool-lists.ts";
import { WorldStore } from "../../src/service/world-store.ts";
import { chapters } from "../../tools/index.ts";
import { Registry } from "../../tools/kernel/registry.ts";

/** How many parsed blobs a WorldStore keeps. */
const KEPT = 32;

/** A store whose blobs take a while to read; world N stands on bundle N and on one state. */
function slowStore() {
  const read: string[] = [];
  const missing = new Set<string>();
  const forOrg = () => ({
    journals: { tail: async () => undefined },
    records: {
      get: async ({ kind }: { readonly kind: string }, id: string) =>
        kind === "world"
          ? { environment: "env", bundle: id, seed: 1, base_blob: "base" }
          : { bundle_blob: id, base_blob: "base" },
    },
    blobs: {
      get: async (digest: string) => {
        read.push(digest);
        await sleep(5);
        return missing.has(digest) ? undefined : new TextEncoder().encode(JSON.stringify({ digest }));
      },
    },
  });
  return { read, missing, worlds: new WorldStore({ forOrg } as unknown as ServiceStore) };
}

it("worlds that are opened at once all get what they stand on, also where more are read than are kept", async () => {
  const { read, worlds } = slowStore();
  const ids = Array.from({ length: KEPT + 10 }, (_, n) => `b${n}`);
  const opened = await Promise.all(ids.map((id) => worlds.load(`org/${id}`)));
  expect(opened.map((world) => world?.bundle)).toEqual(ids.map((digest) => ({ digest })));
  expect(new Set(opened.map((world) => world?.base)).size, "one state, one object").toBe(1);
  expect(read.filter((digest) => digest === "base")).toHaveLength(1);
});

it("a bundle that could not be read fails each world that waits for it, and is read again for the next", async () => {
  const { missing, worlds } = slowStore();
  missing.add("b1");
  const waiting = [worlds.load("org/b1"), worlds.load("org/b1")];
  for (const each of waiting) await expect(each).rejects.toThrow("the store lacks blob b1");
  missing.clear();
  expect((await worlds.load("org/b1"))?.bundle).toEqual({ digest: "b1" });
});

it("a tool list in use is kept while many other URLs come by", () => {
  const lists = new ToolLists(new Registry(chapters));
  const own = () => lists.of(new URLSearchParams("chapters=agents"), true);
  const first = own();
  for (let n = 1; n < 200; n++) {
    lists.of(new URLSearchParams(`chapters=${Array(n + 1).fill("agents")}`), true);
    expect(own()).toBe(first);
  }
});
