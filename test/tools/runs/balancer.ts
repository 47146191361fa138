import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** What stands before a service: it lets a call of a world through, or does to it what an outage does. */
export interface Balancer {
  readonly url: string;
  /** Calls of tools that came by. */
  calls: number;
  /** What becomes of the next calls of tools: a gateway's answer, a broken connection, or undefined to let them through. */
  outage: 502 | 503 | "reset" | "after" | undefined;
  close(): Promise<void>;
}

/** Stands before the service at `target`. `after`: the call is made, and its answer is lost on the way back. */
export async function balancerBefore(target: string): Promise<Balancer> {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isCall = body.includes('"tools/call"');
    if (isCall) balancer.calls += 1;
    const { outage } = balancer;
    const hit = outage !== undefined && (isCall || req.url === "/healthz");
    if (hit && outage === "reset") return void res.destroy();
    if (hit && typeof outage === "number") return void res.writeHead(outage).end("away\n");
    const { host: _host, connection: _connection, ...headers } = req.headers;
    const out = request(new URL(req.url ?? "/", target), { method: req.method, headers }, (answer) => {
      if (hit) return void answer.resume().once("end", () => res.destroy());
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    out.on("error", () => res.destroy());
    out.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: 0,
    outage: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return balancer;
}
