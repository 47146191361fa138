import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import type { ClusterNode } from "../../src/leadership/cluster-node.ts";
import { pipeStdio } from "../../src/stdio/stdio.ts";

it("a call is answered although the input ended minutes before, as on a machine that is busy starting", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stdio-ends-"));
  const socket = join(folder, "s");
  const server = createServer().listen(socket);
  await once(server, "listening");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const input = Readable.from([`${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" })}\n`]);
    const closed = once(input, "close");
    const output = new PassThrough();
    const node = { place: 1, ask: (use: (at: string) => Promise<unknown>) => use(socket) } as unknown as ClusterNode;
    const ended = pipeStdio(node, "", input, output);
    const [, res] = await once(server, "request");
    await closed;
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    res.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id: 7, result: {} }));
    await ended;
    expect(JSON.parse(await text(output.end()))).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  } finally {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
