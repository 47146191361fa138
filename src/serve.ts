import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Config } from "./config.ts";
import { httpServer } from "./http/http-server.ts";
import { LOCAL_HEADER } from "./http/local-header.ts";
import { ClusterNode } from "./leadership/cluster-node.ts";
import { listening, shut } from "./leadership/leader.ts";
import { askLeader, LeaderUnreachable } from "./leadership/socket.ts";

/** A running server: where it listens, and how it ends. */
export interface Serving {
  readonly url: string;
  readonly member: ClusterNode;
  close(): Promise<void>;
}

/** Serves the data folder on the configured address: as its owner, or in front of the owner until that one ends. */
export async function serve(config: Config): Promise<Serving> {
  const ready = Promise.withResolvers<ClusterNode>();
  const server = httpServer((req, res) => void ready.promise.then((clusterNode) => answer(clusterNode, req, res)));
  await listening(server, () => server.listen(config.port, config.host));
  const url = reachableUrl(server.address() as AddressInfo);
  const member = new ClusterNode(config, url);
  ready.resolve(member);
  try {
    await member.place;
  } catch (error) {
    server.closeAllConnections();
    server.close();
    await member.leave();
    throw error;
  }
  return {
    url,
    member,
    close: async () => {
      await shut(server);
      await member.leave();
    },
  };
}

/** Where this machine reaches a listening address; for "every address" that is loopback. */
function reachableUrl({ address, port, family }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `http://127.0.0.1:${port}`;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

async function answer(clusterNode: ClusterNode, req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    const place = await clusterNode.place;
    if (place.kind === "leader") place.app(req, res);
    else await relay(clusterNode, req, res);
  } catch (error) {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const reason =
      error instanceof LeaderUnreachable
        ? "The service cannot be reached; nothing was done."
        : "The service ended while this call was under way; whether it took effect is unknown.";
    res.writeHead(503, { "content-type": "application/json; charset=utf-8", "retry-after": "1" });
    res.end(JSON.stringify({ error: "unavailable", reason, retry_after: 1 }));
  }
}

/** Passes a request on to the owner. The header that makes a caller local never comes from the network. */
async function relay(clusterNode: ClusterNode, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { [LOCAL_HEADER]: _never, connection: _hop, ...headers } = req.headers;
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const request = { method: req.method ?? "GET", path: req.url ?? "/", headers, signal: gone.signal };
  const answered = await clusterNode.ask((socket) => askLeader(socket, request, (out) => req.pipe(out)));
  const { connection: _theirs, ...rest } = answered.headers;
  res.writeHead(answered.statusCode ?? 502, rest);
  await pipeline(answered, res);
}
