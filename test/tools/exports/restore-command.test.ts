import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { svcHere } from "../../cli/svc-here.ts";
import { invoker, startApp } from "../../helpers/app.ts";
import { runSvc } from "../../helpers/process.ts";

it("svc restore brings an archived org back, under another tag where one is given", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restore-"));
  const file = join(folder, "acme.tar.gz");
  const from = await startApp({ jobs: false });
  const to = await startApp({ jobs: false });
  try {
    const org = await from.org();
    await invoker(from, "rest", org)("members_post", { email: "ann@example.com", name: "Ann" });
    const headers = { authorization: `Bearer ${org.admin}` };
    const archive = await fetch(`${from.url}/v0/orgs/acme/archive`, { headers });
    writeFileSync(file, Buffer.from(await archive.arrayBuffer()));
    const env = { SVC_URL: to.url, SVC_TOKEN: to.operator, SVC_DATA_DIR: folder };

    expect(await svcHere(["restore", join(folder, "none.tar.gz")], env)).toMatchObject({ code: 2 });
    writeFileSync(join(folder, "bad"), "no archive");
    const bad = await svcHere(["restore", join(folder, "bad")], env);
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining("not a whole archive") });
    const restored = await runSvc(["restore", file, "--tag", "second"], env);
    expect(restored.code, restored.stderr).toBe(0);
    expect(JSON.parse(restored.stdout)).toMatchObject({ org: "second", id: org.id });
    const { body } = await to.rest("GET", "/v0/orgs/second/members", undefined, to.operator);
    expect(body.members).toMatchObject([{ email: "ann@example.com" }]);
    expect((await svcHere(["restore", file], env)).code).toBe(1);
  } finally {
    await from.close();
    await to.close();
    rmSync(folder, { recursive: true });
  }
});
