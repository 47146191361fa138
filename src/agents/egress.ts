import { type ClientRequest, createServer, type RequestListener, request, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import type { TrialRow } from "../../chapters/records/runs/runs.ts";
import { AddressRefused, checkLiteralHost, publicLookup } from "./addresses.ts";
import { carried, carrying, orEnd } from "./carrying.ts";

/** What a trial may reach beside its world. */
export interface EgressRule {
  /** As `host:port`; every public address when absent. */
  readonly allow?: readonly string[] | undefined;
  /** Whether hosts of the list may be private ones. */
  readonly privateAllowed: boolean;
  /** Ports of this machine's own loopback that are let through beside the list. */
  readonly ports?: readonly number[] | undefined;
}

/** What went through the proxy of one trial. `enforced`: whether there was no other way out. */
export type EgressCounts = NonNullable<TrialRow["egress"]>;

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+):(\d+)$/i;
/** A name is resolved and answers within this, or the agent is told that it cannot be reached, milliseconds. */
const CONNECT_MS = 20_000;

/** The only way out of one trial: an HTTP proxy that lets through what its rule allows, and counts. */
export class Egress {
  readonly #list: ReadonlySet<string> | undefined;
  readonly #privateAllowed: boolean;
  readonly #ports: readonly number[];
  readonly #world: string | undefined;
  readonly #counted = { forwarded: 0, refused: 0 };
  readonly #sockets = new Set<Socket>();
  readonly #requests = new Set<ClientRequest>();
  readonly #server: Server;

  /** `world` is let through without being counted, where a trial has no network of its own. */
  constructor({ allow, privateAllowed, ports = [] }: EgressRule, world?: URL) {
    this.#ports = ports;
    this.#list = allow && new Set(allow.map((place) => place.toLowerCase()));
    this.#privateAllowed = allow !== undefined && privateAllowed;
    this.#world = world && `${world.hostname}:${Number(world.port || (world.protocol === "https:" ? 443 : 80))}`;
    this.#server = this.#proxy();
  }

  /** Ports of this machine's own loopback that are let through. */
  loopback(): number[] {
    const listed = this.#privateAllowed ? [...(this.#list ?? [])] : [];
    const ports = listed.flatMap((place) => LOOPBACK.exec(place)?.slice(1).map(Number) ?? []);
    return [...new Set([...ports, ...this.#ports])].sort((a, b) => a - b);
  }

  /** Takes a connection to the proxy. */
  proxy(socket: Socket): void {
    this.#server.emit("connection", socket);
  }

  /** Takes a connection to a port of the loopback that is on the list. */
  through(socket: Socket, port: number): void {
    this.#counted.forwarded += 1;
    this.#join(socket, connect(port, "127.0.0.1"));
  }

  /** Listens on this machine, for a trial without a network of its own; answers the port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.on("connection", (socket: Socket) => this.#held(socket));
      this.#server.listen(0, "127.0.0.1", () => {
        const address = this.#server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
      this.#server.unref();
    });
  }

  counts(enforced: boolean): EgressCounts {
    return { ...this.#counted, enforced };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    for (const out of this.#requests) out.destroy();
    if (this.#server.listening) this.#server.close();
  }

  #proxy(): Server {
    const forward: RequestListener = (req, res) => {
      const url = URL.canParse(req.url ?? "") ? new URL(req.url ?? "") : undefined;
      const place = `${url?.hostname}:${url?.port || 80}`;
      if (url?.protocol !== "http:" || !this.#lets(place)) return void res.writeHead(403).end(refusal(place));
      const asked = { method: req.method ?? "GET", headers: carried(req.headers), ...this.#resolved(place) };
      const out = request(url, asked, (answer) =>
        orEnd(res, () => {
          res.writeHead(answer.statusCode ?? 502, carried(answer.headers));
          answer.pipe(res);
        }),
      );
      out.on("error", (error) => {
        if (res.headersSent) return void res.destroy();
        if (this.#tookBack(error)) res.writeHead(403).end(refusal(place));
        else res.writeHead(502).end();
      });
      this.#requests.add(out);
      out.once("close", () => this.#requests.delete(out));
      res.once("close", () => out.destroy());
      req.pipe(out);
    };
    const proxy = createServer(carrying(forward));
    proxy.on("connect", (req, client: Socket, head) => {
      const place = req.url ?? "";
      const [, host = "", port = ""] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(place) ?? [];
      client.on("error", () => undefined);
      if (host === "" || !this.#lets(place)) return refuse(client, place);
      const upstream = connect({ port: Number(port), host, timeout: CONNECT_MS, ...this.#resolved(place) });
      upstream.once("timeout", () => upstream.destroy(new Error("no connection came about")));
      upstream.once("error", (error) => this.#tookBack(error) && refuse(client, place));
      upstream.once("connect", () => {
        upstream.setTimeout(0);
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        upstream.write(head);
      });
      this.#join(client, upstream);
    });
    return proxy;
  }

  #lets(place: string): boolean {
    if (place === this.#world) return true;
    const listed = this.#list === undefined || this.#list.has(place.toLowerCase());
    const fits = listed && (this.#privateAllowed || isPublic(place));
    this.#counted[fits ? "forwarded" : "refused"] += 1;
    return fits;
  }

  /** What a name resolves to is what is connected to, and is a public address where it must be. */
  #resolved(place: string) {
    return this.#privateAllowed || place === this.#world ? {} : { lookup: publicLookup };
  }

  #tookBack(error: Error): boolean {
    if (!(error instanceof AddressRefused)) return false;
    this.#counted.forwarded -= 1;
    this.#counted.refused += 1;
    return true;
  }

  #join(client: Socket, upstream: Socket): void {
    this.#held(upstream);
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy()).once("close", () => upstream.destroy());
    upstream.on("error", () => client.destroySoon()).once("close", () => client.destroySoon());
  }

  #held(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

/** What tells a program where its proxy is. */
export function proxyVariables(port: number, worldHost: string): Record<string, string> {
  const at = `http://127.0.0.1:${port}`;
  const direct = [...new Set(["localhost", "127.0.0.1", "::1", worldHost])].join(",");
  const names = { HTTP_PROXY: at, HTTPS_PROXY: at, ALL_PROXY: at, NO_PROXY: direct };
  const lower = Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...names, ...lower, NODE_USE_ENV_PROXY: "1" };
}

function refusal(place: string): string {
  return `${place} is not on this agent's egress list: add it to the agent's egress as host:port.\n`;
}

function refuse(client: Socket, place: string): void {
  const body = refusal(place);
  client.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function isPublic(place: string): boolean {
  try {
    checkLiteralHost(new URL(`http://${place}`));
    return !/^localhost\.?:/i.test(place);
  } catch {
    return false;
  }
}
