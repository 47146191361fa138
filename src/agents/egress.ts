import { execFile } from "node:child_process";
import { createServer, request, type Server } from "node:http";
import { connect, createServer as createTunnel, type Server as Tunnel } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkLiteralHost } from "./addresses.ts";

/** What a trial may reach beside its world, as `host:port`. */
export interface EgressRule {
  readonly allow: readonly string[];
  /** Whether hosts may be private ones. */
  readonly privateAllowed: boolean;
}

/** What went through the proxy of one trial. `enforced`: whether there was no other way out. */
export interface EgressCounts {
  readonly forwarded: number;
  readonly refused: number;
  readonly enforced: boolean;
}

/** The only way out of one trial, as far as this machine can make it so. */
export interface Egress {
  readonly env: Readonly<Record<string, string>>;
  /** The command as it is started: in a network of its own where the machine has such. */
  wrap(command: readonly string[]): string[];
  counts(): EgressCounts;
  close(): void;
}

const BRIDGE = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./egress-bridge.ts" : "./egress-bridge.js", import.meta.url),
);
/** Where the proxy is inside a trial's own network. */
const INNER_PROXY = 3_128;
const UNSHARE = ["unshare", "--user", "--map-root-user", "--net", "--"];

let isolation: Promise<boolean> | undefined;

/** Whether this machine gives a process a network of its own; tried once. */
function canIsolate(): Promise<boolean> {
  const [file = "", ...args] = [...UNSHARE, "ip", "link", "set", "lo", "up"];
  isolation ??= new Promise((resolve) => execFile(file, args, { timeout: 5_000 }, (error) => resolve(error === null)));
  return isolation;
}

/** Opens the way out of one trial: its list through a counting proxy, and its world. `home` takes the sockets. */
export async function openEgress(rule: EgressRule, worldUrl: string, home: string): Promise<Egress> {
  const enforced = await canIsolate();
  const world = new URL(worldUrl);
  const worldPort = Number(world.port || (world.protocol === "https:" ? 443 : 80));
  const counted = { forwarded: 0, refused: 0 };
  const proxy = countingProxy(rule, `${world.hostname}:${worldPort}`, counted);
  const tunnel = createTunnel((client) => {
    const upstream = connect(worldPort, world.hostname.replace(/^\[|\]$/g, ""));
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
  });
  const loopback = /^(?:localhost|127\.|\[::1\])/.test(world.hostname);
  const port = await (async () => {
    if (!enforced) return listening(proxy, 0);
    await listening(proxy, join(home, "proxy.sock"));
    if (loopback) await listening(tunnel, join(home, "world.sock"));
    return INNER_PROXY;
  })();
  const ways = [
    { port: INNER_PROXY, socket: join(home, "proxy.sock") },
    ...(loopback ? [{ port: worldPort, socket: join(home, "world.sock") }] : []),
  ];
  const at = `http://127.0.0.1:${port}`;
  const direct = loopback || !enforced ? `localhost,127.0.0.1,::1,${world.hostname}` : "localhost,127.0.0.1,::1";
  const names = { HTTP_PROXY: at, HTTPS_PROXY: at, ALL_PROXY: at, NO_PROXY: direct };
  const lower = Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    env: { ...names, ...lower, NODE_USE_ENV_PROXY: "1" },
    wrap: (command) =>
      enforced ? [...UNSHARE, process.execPath, BRIDGE, JSON.stringify(ways), ...command] : [...command],
    counts: () => ({ ...counted, enforced }),
    close() {
      proxy.closeAllConnections();
      proxy.close();
      tunnel.close();
    },
  };
}

/** An HTTP proxy that lets through what is on the list and the world; of all but the world it counts. */
function countingProxy(
  { allow, privateAllowed }: EgressRule,
  world: string,
  counted: { forwarded: number; refused: number },
): Server {
  const list = new Set(allow.map((place) => place.toLowerCase()));
  const lets = (place: string): boolean => {
    if (place === world) return true;
    const fits = list.has(place.toLowerCase()) && (privateAllowed || isPublic(place));
    counted[fits ? "forwarded" : "refused"] += 1;
    return fits;
  };
  const proxy = createServer((req, res) => {
    const url = URL.canParse(req.url ?? "") ? new URL(req.url ?? "") : undefined;
    if (url?.protocol !== "http:" || !lets(`${url.hostname}:${url.port || 80}`)) {
      res.writeHead(403).end("Not on this agent's egress list.\n");
      return;
    }
    const { "proxy-connection": _hop, ...headers } = req.headers;
    const out = request(url, { method: req.method ?? "GET", headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    out.on("error", () => (res.writableEnded || res.headersSent ? res.destroy() : res.writeHead(502).end()));
    req.pipe(out);
  });
  proxy.on("connect", (req, client, head) => {
    const place = req.url ?? "";
    const [, host = "", port = ""] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(place) ?? [];
    client.on("error", () => undefined);
    if (host === "" || !lets(place)) {
      client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const upstream = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  return proxy;
}

function isPublic(place: string): boolean {
  try {
    checkLiteralHost(new URL(`http://${place}`));
    return !/^localhost:/i.test(place);
  } catch {
    return false;
  }
}

function listening(server: Server | Tunnel, at: number | string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const told = () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    };
    if (typeof at === "number") server.listen(at, "127.0.0.1", told);
    else server.listen(at, told);
    server.unref();
  });
}
