import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { svcHere } from "../cli/svc-here.ts";
import { runSvc } from "../helpers/process.ts";
import { operatorTests } from "./kit.ts";

const { start } = operatorTests();

it("svc operator acts in this machine's workspace, and at a service by its token", async () => {
  const app = await start();
  const dataDir = mkdtempSync(join(tmpdir(), "svc-operator-"));
  try {
    const here = { SVC_DATA_DIR: dataDir };
    const made = await runSvc(["operator", "create_org", "tag=newco"], here);
    expect(made).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ org: "newco", token: expect.stringMatching(/^svc_org_/) });
    const verified = await svcHere(["operator", "verify_audit"], here);
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout).intact).toBe(true);
    const db = new Database(join(dataDir, "store.db"));
    db.prepare("update audit set act = 'nothing' where seq = 1").run();
    db.close();
    expect((await svcHere(["operator", "verify_audit"], here)).code).toBe(1);
    const unknown = await svcHere(["operator"], here);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("erase_person");
    expect((await svcHere(["operator", "create_org", "tag"], here)).code).toBe(2);
    const there = { SVC_URL: app.url, SVC_TOKEN: app.operator };
    expect((await svcHere(["operator", "create_org", "tag=remote"], there)).code).toBe(0);
    expect((await svcHere(["operator", "create_org", "tag=remote"], there)).code).toBe(1);
    const erased = ["operator", "erase_person", "orgtag=remote", "values=Smith, John", "values=js@example.com"];
    expect(JSON.parse((await svcHere(erased, there)).stdout)).toMatchObject({ traces: 0, remaining_total: 0 });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
