import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServe } from "../../helpers/process.ts";
import { type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";

let cluster: Cluster;
let folder: string;
beforeAll(async () => {
  cluster = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), "svc-start-"));
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A way to a database that cuts every connection until it is opened. */
async function gate(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let open = false;
  let cut = 0;
  const server = createServer((from) => {
    if (!open) {
      cut += 1;
      from.destroy();
      return;
    }
    const to = dial(Number(port), hostname);
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    from.pipe(to).pipe(from);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(url);
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    cut: () => cut,
    open: () => {
      open = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

it("a server that starts while its database cuts every connection serves once it does not", async () => {
  const way = await gate(await cluster.database());
  const starting = startServe(join(folder, "data"), { SVC_DATABASE_URL: way.url, SVC_LOG_LEVEL: "warn" });
  while (way.cut() < 2) await sleep(50);
  way.open();
  const { child, url, lines } = await starting;
  try {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(lines.some((line) => line.includes("the database cannot be reached yet"))).toBe(true);
    expect(lines.join("\n")).not.toContain(new URL(way.url).port);
  } finally {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
    way.close();
  }
  expect(child.exitCode).toBe(0);
});
