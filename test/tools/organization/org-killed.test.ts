import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runSvc, startServe } from "../../helpers/process.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-org-killed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const MARK = "zqkilledmarkerzq";
const OPERATOR = `svc_op_${"k".repeat(43)}`;

it("a service that is killed while it deletes an org ends the deletion when it is started again", async () => {
  const made = await runSvc(["init", "--org", "acme"], { SVC_DATA_DIR: folder });
  const token = /SVC_TOKEN=(\S+)/.exec(made.stdout)?.[1] ?? "";
  const env = { SVC_OPERATOR_TOKEN: OPERATOR };
  let serving = await startServe(folder, env);
  const ask = (method: string, path: string, as: string, body?: string) =>
    fetch(`${serving.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body }),
    });
  const lines = Array.from({ length: 1500 }, (_, i) =>
    JSON.stringify({
      messages: [
        { role: "user", content: `${MARK} ${i} ${"and so on ".repeat(20)}` },
        { role: "assistant", content: "done" },
      ],
    }),
  );
  const stored = await ask(
    "POST",
    "/v0/evidence",
    token,
    JSON.stringify({ kind: "traces", content: lines.join("\n") }),
  );
  expect(stored.status).toBe(201);
  expect((await ask("GET", "/v0/orgs/acme/purge", token)).status).toBe(200);

  const held = () =>
    readdirSync(folder, { withFileTypes: true })
      .filter((file) => file.isFile() && readFileSync(join(folder, file.name)).includes(MARK))
      .map(({ name }) => name);
  expect(held()).not.toEqual([]);
  const deleting = ask("DELETE", "/v0/orgs/acme?confirm=acme", token).catch(() => undefined);
  // Begun as soon as the org's own token is no longer known.
  await expect.poll(async () => (await ask("GET", "/v0/whoami", token)).status, { interval: 1 }).toBe(401);
  serving.child.kill("SIGKILL");
  await deleting;

  serving = await startServe(folder, env);
  const { orgs } = (await (await ask("GET", "/v0/orgs", OPERATOR)).json()) as { orgs: { org: string }[] };
  expect(orgs.map(({ org }) => org)).toEqual(["local"]);
  await expect.poll(held).toEqual([]);
  expect((await ask("GET", "/v0/whoami", token)).status).toBe(401);
  const verified = (await (await ask("GET", "/v0/operator/audit/verify", OPERATOR)).json()) as { intact: boolean };
  expect(verified.intact).toBe(true);
  serving.child.kill("SIGKILL");
});
