import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileSurface } from "../chapters/sandboxes/tasks/compute-tasks.ts";
import { readConfig } from "../src/config.ts";
import { createApp } from "../src/http/http.ts";
import { createComputePool } from "../src/jobs/pool.ts";
import { createService } from "../src/service/service.ts";
import { createOrg, mintFor } from "../src/service/workspace.ts";
import type { TestApp, TestOrg } from "../test/helpers/app.ts";
import { mintWorld } from "../test/helpers/world.ts";
import { shop, shopRows } from "../test/worlds/fixtures/shop.ts";
import type { ObservedTrace } from "../worlds/observation.ts";
import { createWorld } from "../worlds/world.ts";

/** What the measuring process asks of this one. */
export type Ask = { readonly ask: "cpu" } | { readonly ask: "compile" } | { readonly ask: "end" };

/** The service in a process of its own, so that its processor time is its own; beside it a server that only echoes. */
async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-surface-"));
  const config = readConfig({ SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: "error", SVC_CALLS_PER_MINUTE: "0" });
  const service = await createService({ config });
  const org = await createOrg(service, "bench");
  const token = await mintFor(service, org, "bench", "admin");
  const server = createServer(createApp(service));
  // The floor: reads a request whole and answers as many bytes as its path says.
  const echo = createServer((req, res) => {
    const bytes = Number(req.url?.slice(1));
    req.resume().once("end", () => {
      res.writeHead(200, { "content-type": "application/json" }).end("x".repeat(bytes));
    });
  });
  await Promise.all([server, echo].map((each) => new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve))));
  const [port, floor] = [server, echo].map((each) => (each.address() as AddressInfo).port);
  const world = await mintWorld({ service } as TestApp, { id: org.id } as TestOrg);
  const pool = createComputePool();
  process.on("message", async ({ ask }: Ask) => {
    if (ask === "cpu") process.send?.(process.cpuUsage());
    if (ask === "compile") {
      await pool.run(compileSurface, {
        name: "bench",
        traces: traces(),
        tools: undefined,
        records: undefined,
        seed: "1",
      });
      process.send?.("compiled");
    }
    if (ask === "end") {
      await pool.close();
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
      process.exit(0);
    }
  });
  process.send?.({ port, floor, token, world });
}

/** Sessions with the shop, enough for a compile of seconds. */
function traces(): ObservedTrace[] {
  const world = createWorld(shop, shopRows);
  const orders = [...world.rows("orders")];
  return Array.from({ length: 600 }, (_, n) => {
    const fork = world.fork();
    const calls = Array.from({ length: 8 }, (_, k) => {
      const [order_id, row] = orders[(n * 7 + k * 13) % orders.length] ?? ["", {}];
      const [tool, args] =
        k % 4 === 3
          ? (["cancel_order", { order_id, reason: "no longer needed" }] as const)
          : k % 2 === 0
            ? (["get_order", { order_id }] as const)
            : (["get_customer", { customer_id: row.customer_id ?? null }] as const);
      const { text, isError } = fork.call(tool, args);
      return { tool, args, result: text, isError };
    });
    return { id: `t${n}`, calls };
  });
}

await main();
