import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { operatorTests } from "./kit.ts";

const { start, act } = operatorTests();

describe("the audit chains", () => {
  it("are verified, and a changed line is found", async () => {
    const app = await start();
    const org = await app.org();
    await app.org("beta");
    await act("POST", "/orgs", { tag: "third" });
    const whole = await act("GET", "/audit/verify");
    expect(whole.body).toMatchObject({ intact: true, tier: "deterministic" });
    expect(whole.body.chains.map(({ chain }: { chain: string }) => chain)).toEqual([
      "workspace",
      "acme",
      "beta",
      "third",
    ]);
    expect(whole.body.lines).toBe(3 + 3 + 3 + 1);
    const db = new Database(join(app.dataDir, "store.db"));
    db.prepare("update audit set act = 'nothing' where org = ? and seq = 2").run(org.id);
    db.close();
    const broken = await act("GET", "/audit/verify");
    expect(broken.body).toMatchObject({ intact: false });
    expect(broken.body.chains[1]).toEqual({ chain: "acme", lines: 1, broken: 2 });
  });
});
