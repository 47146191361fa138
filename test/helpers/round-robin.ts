import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A balancer without sticky sessions: each request goes to the next server. */
export interface RoundRobin {
  readonly url: string;
  /** Where requests go; may be changed at any time. */
  targets: readonly string[];
  /** How many requests each target answered. */
  readonly answered: Map<string, number>;
  close(): Promise<void>;
}

/**
 * Starts it on loopback. A request that no connection was made for goes to the next target; one that broke under way
 * is a 502, since the server may have done what was asked.
 */
export async function startRoundRobin(): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const answered = new Map<string, number>();
  const server = createServer((req, res) => {
    pass(req, res).catch(() => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502, { "content-type": "application/json" }).end('{"error":"unavailable"}');
    });
  });
  const pass = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { targets } = balancer;
    for (let i = 0; i < targets.length; i++) {
      const target = targets[turn++ % targets.length] as string;
      const answer = await ask(target, req, body, res);
      if (answer === undefined) continue;
      answered.set(target, (answered.get(target) ?? 0) + 1);
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      for await (const chunk of answer) res.write(chunk);
      return void res.end();
    }
    throw new Error("no target took a connection");
  };
  /** Its answer; undefined where it took no connection. */
  const ask = (target: string, req: IncomingMessage, body: Buffer, res: ServerResponse) =>
    new Promise<IncomingMessage | undefined>((resolve, reject) => {
      const { method, url, headers } = req;
      const out = request(
        target + url,
        { method, headers: { ...headers, "content-length": body.length }, agent },
        resolve,
      );
      out.on("error", (error: NodeJS.ErrnoException) => {
        const untouched =
          error.code === "ECONNREFUSED" || (out.reusedSocket && error.code === "ECONNRESET" && method === "GET");
        if (untouched) resolve(undefined);
        else reject(error);
      });
      res.once("close", () => {
        if (!res.writableFinished) out.destroy();
      });
      out.end(body);
    });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const balancer: RoundRobin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets: [],
    answered,
    close: () =>
      new Promise((done) => {
        agent.destroy();
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return balancer;
}
