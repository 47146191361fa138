import { describe, expect, it } from "vitest";
import { shopIn } from "../runs/kit.ts";
import { ok, sharedApp } from "./kit.ts";

const shared = sharedApp();

describe("the surface of criteria", () => {
  const { org, invoke } = shared.over();

  // Finding B5.
  it("environments_for_criteria names what it chose, asks where there are several, and takes none without calls", async () => {
    const ask = (args: Record<string, unknown> = {}) =>
      invoke("environments_for_criteria", { criteria: ["asks"], dry_run: true, ...args }, org.push);
    const listing = { tools: [{ name: "ping", inputSchema: { type: "object", properties: {} } }] };
    await ok(invoke("surfaces_post", { name: "listed", tools: listing.tools }));
    expect(await ask({ surface: "listed" })).toMatchObject({ status: 409 });
    expect((await ask()).status).toBe(409);
    await shopIn(shared.app.service, org.id, 1, "shop one");
    expect((await ok(ask())).body).toMatchObject({
      surface: "shop one",
      note: expect.stringContaining("Of the surfaces only shop one is compiled from calls"),
    });
    await shopIn(shared.app.service, org.id, 1, "shop two");
    expect(await ask()).toMatchObject({
      status: 400,
      body: { fields: [{ path: "surface" }], details: { names: ['"shop two"', '"shop one"'] } },
    });
    expect((await ok(ask({ surface: "shop two" }))).body).toMatchObject({
      surface: "shop two",
      note: "Nothing was started.",
    });
    expect((await ask({ surface: "nothing" })).status).toBe(404);
    await shopIn(shared.app.service, org.id, 1, "main");
    expect((await ok(ask())).body).toMatchObject({ surface: "main", note: "Nothing was started." });
  });
});
