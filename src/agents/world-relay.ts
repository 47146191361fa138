import { randomUUID } from "node:crypto";
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import type { Socket } from "node:net";
import { UNAVAILABLE } from "../../worlds/unavailable.ts";
import { carried, carrying, orEnd } from "./carrying.ts";
import { LIMITS } from "./limits.ts";

/** The way of one trial's calls to its world. */
export interface Passage {
  /** What the agent calls in place of the world's own address. */
  readonly url: string;
  /** Takes a connection from the trial's own network. */
  take(socket: Socket): void;
  /** Closes the way; answers how many calls the world's endpoint left without an answer of its own. */
  close(): number;
}

interface Way {
  readonly path: string;
  readonly target: URL;
  readonly agent: Agent;
  /** Whether its trial has a network of its own. */
  readonly own: boolean;
  readonly pending: Set<Call>;
  /** Of the calls that are read or on their way, bytes. */
  held: number;
  lost: number;
}

/** A call that is read or, whole, on its way. */
interface Call {
  bytes: number;
  /** When it was sent on, on the monotonic clock; undefined while it waits its turn. */
  sentAt?: number;
}

/** What a balancer answers for a server that is away, and a server that cannot serve now. */
const AWAY = new Set([502, 503, 504]);
/** Calls of one trial on their way at once: no agent can keep its world from answering by asking too much of it. */
const AT_ONCE = 8;
/** From when a whole call that has no answer yet is lost, milliseconds: worlds answer in a few. */
const STALLED_MS = 10_000;
/** How long an unused connection is kept, milliseconds: well below what any server keeps it. */
const IDLE_MS = 1_000;

/**
 * Carries calls of agents to their worlds, so that it is seen from our side when an endpoint is away: a call that was
 * whole and got no answer, or a gateway's, is lost. What an agent sends wrong, breaks off or never sends is not.
 */
export class WorldRelay {
  readonly #ways = new Map<string, Way>();
  /** Which trial's network a connection came from; none for what came over this machine's own. */
  readonly #from = new WeakMap<Socket, Way>();
  readonly #stalledMs: number;
  #listening: Promise<number> | undefined;
  readonly #server: Server;

  constructor(stalledMs = STALLED_MS) {
    this.#stalledMs = stalledMs;
    this.#server = createServer(carrying((req, res) => void this.#carry(req, res)));
    // What is idle is the agents' to close: a connection of theirs is never reset between two calls.
    this.#server.keepAliveTimeout = 120_000;
    this.#server.requestTimeout = 0;
  }

  /**
   * Opens the way to a world; undefined where its address is none that can be called. With `ownPort`, where the trial's own
   * network has it, the way takes that network's connections alone.
   */
  async open(worldUrl: string, ownPort?: number): Promise<Passage | undefined> {
    const target = URL.canParse(worldUrl) ? new URL(worldUrl) : undefined;
    if (target === undefined || !/^https?:$/.test(target.protocol)) return undefined;
    const port = ownPort ?? (await this.#port());
    const path = `/${randomUUID()}${target.pathname}`;
    const options = { keepAlive: true, timeout: IDLE_MS, maxSockets: AT_ONCE };
    const agent = target.protocol === "https:" ? new TlsAgent(options) : new Agent(options);
    const way: Way = { path, target, agent, own: ownPort !== undefined, pending: new Set(), held: 0, lost: 0 };
    this.#ways.set(path, way);
    return {
      url: `http://127.0.0.1:${port}${path}`,
      take: (socket) => {
        this.#from.set(socket, way);
        this.#server.emit("connection", socket);
      },
      close: () => {
        this.#ways.delete(path);
        const stalled = [...way.pending].filter((call) => this.#hasStalled(call)).length;
        agent.destroy();
        return way.lost + stalled;
      },
    };
  }

  async #carry(req: IncomingMessage, res: ServerResponse): Promise<void> {
    res.on("error", () => undefined);
    const way = this.#ways.get((req.url ?? "").replace(/\?.*$/s, ""));
    if (way === undefined || this.#from.get(req.socket) !== (way.own ? way : undefined)) return refuse(res, 404);
    const call: Call = { bytes: 0 };
    const body = await whole(req, way, call).catch(() => undefined);
    if (Buffer.isBuffer(body)) return orEnd(res, () => this.#send(way, req, res, body, call));
    way.held -= call.bytes;
    // Broken off by the agent, or more than its calls are.
    if (body === undefined) res.destroy();
    else refuse(res, 413);
  }

  #send(way: Way, req: IncomingMessage, res: ServerResponse, body: Buffer, call: Call): void {
    const { target, agent } = way;
    // What is answered is read, so it is asked for plain.
    const { host: _host, "accept-encoding": _encoding, ...headers } = carried(req.headers);
    const ask = target.protocol === "https:" ? tlsRequest : request;
    way.pending.add(call);
    /** Each call ends once: answered, lost, or broken off by the agent. */
    const ended = (lost: boolean) => {
      if (!way.pending.delete(call)) return;
      way.held -= call.bytes;
      if (lost && this.#ways.has(way.path)) way.lost += 1;
    };
    const out = ask(target, { method: req.method, headers: { ...headers, "content-length": body.length }, agent });
    out.once("socket", () => {
      call.sentAt = performance.now();
    });
    out.once("response", (answer) => {
      const status = answer.statusCode ?? 502;
      if (AWAY.has(status)) ended(true);
      const head = new Head();
      answer.on("data", (chunk: Buffer) => head.take(chunk));
      answer.once("end", () => ended(head.unavailable()));
      answer.once("error", () => {
        ended(true);
        res.destroy();
      });
      orEnd(res, () => {
        res.writeHead(status, carried(answer.headers));
        answer.pipe(res);
      });
    });
    out.once("error", () => {
      ended(true);
      if (res.headersSent) res.destroy();
      else refuse(res, 502);
    });
    res.once("close", () => {
      ended(!res.writableFinished && this.#hasStalled(call));
      out.destroy();
    });
    out.end(body);
  }

  /** Whether a call was sent on so long ago that nobody answers it: a reason for the agent to give up. */
  #hasStalled({ sentAt }: Call): boolean {
    return sentAt !== undefined && performance.now() - sentAt >= this.#stalledMs;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #port(): Promise<number> {
    this.#listening ??= listening(this.#server).catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }
}

/** The first bytes of an answer: those of a call that was not made fit in them. */
class Head {
  static readonly most = 2_048;
  #bytes = 0;
  readonly #chunks: Buffer[] = [];

  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= Head.most) this.#chunks.push(chunk);
  }

  /** Whether it is, as a whole, the world's word that a call could not be stored. No argument of an agent's is read for it. */
  unavailable(): boolean {
    if (this.#bytes > Head.most) return false;
    const text = Buffer.concat(this.#chunks).toString("utf8");
    if (!text.includes(UNAVAILABLE)) return false;
    const data = text.startsWith("{")
      ? text
      : (text
          .match(/^data: (.*)$/gm)
          ?.at(-1)
          ?.slice("data: ".length) ?? "");
    try {
      const { result } = JSON.parse(data) as { result?: { isError?: unknown; content?: { text?: unknown }[] } };
      return result?.isError === true && result.content?.length === 1 && result.content[0]?.text === UNAVAILABLE;
    } catch {
      return false;
    }
  }
}

async function whole(req: IncomingMessage, way: Way, call: Call): Promise<Buffer | "too large"> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) {
    call.bytes += chunk.length;
    way.held += chunk.length;
    if (way.held > LIMITS.callBytes) return "too large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(res: ServerResponse, status: number): void {
  if (!res.headersSent) res.writeHead(status, { "content-length": 0 });
  res.end();
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
    server.unref();
  });
}
