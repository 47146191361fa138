import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { workerCommand } from "../../src/commands/worker-command.ts";
import { readConfig } from "../../src/config.ts";
import { socketPath } from "../../src/leadership/socket.ts";

it("a worker takes no service-wide token, though its settings have one", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-worker-"));
  const token = `svc_op_${"a".repeat(43)}`;
  const config = readConfig({ SVC_DATA_DIR: dataDir, SVC_OPERATOR_TOKEN: token, SVC_LOG_LEVEL: "error" });
  const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const ended = workerCommand(config, true);
  try {
    await vi.waitUntil(() => said.mock.calls.some(([text]) => String(text).includes("working")), { timeout: 30_000 });
    const ask = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ socketPath: socketPath(dataDir), path: "/v0/whoami", headers: { host: "localhost", ...headers } })
          .on("response", (res) => resolve(res.resume().statusCode))
          .on("error", reject)
          .end();
      });
    expect(await ask({ authorization: `Bearer ${token}` })).toBe(401);
    const secret = readFileSync(socketPath(dataDir).replace(/sock$/, "secret"), "utf8");
    expect(await ask({ "x-svc-local": secret })).toBe(200);
  } finally {
    said.mockRestore();
    process.emit("SIGHUP");
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  }
});
