import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { fileURLToPath } from "node:url";

/** Who takes the connections of one trial. */
export interface Takers {
  readonly world: (socket: Socket) => void;
  readonly proxy: (socket: Socket) => void;
  /** Of the ports of this machine's loopback that the trial may reach, in their order. */
  readonly loopback: (socket: Socket, port: number) => void;
}

/** A network that one trial has to itself. */
export interface TrialNetwork {
  readonly worldPort: number;
  readonly proxyPort: number;
  /** Begins a command in this network, with the rights to make namespaces there. */
  readonly enter: readonly string[];
  /** Whose connections are taken from now on. */
  take(takers: Takers): void;
  /** Ends its connections; the network is then the next trial's. */
  release(): void;
}

const HOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./network-holder.ts" : "./network-holder.js", import.meta.url),
);
/** A network is there in a tenth of a second; on a machine with much else to do in some. */
const MADE_MS = 20_000;
/** Of one trial at once: a browser opens at most 256, and the files that a launcher may open are for all its trials. */
const MOST_CONNECTIONS = 256;

/** A network without a process in it: its listening sockets and these descriptors keep it. */
interface IdleNetwork {
  readonly ports: readonly number[];
  readonly servers: readonly Server[];
  readonly descriptors: readonly number[];
  readonly sockets: Set<Socket>;
  takers: Takers | undefined;
}

/**
 * Networks that have loopback alone, for one trial after the other. The launcher accepts what is connected to in them
 * itself, so that a trial has no process of ours beside it, and a connection can only be that trial's.
 */
export class TrialNetworks {
  readonly #bubblewrap: string;
  readonly #free = new Map<string, IdleNetwork[]>();
  readonly #all = new Set<IdleNetwork>();

  constructor(bubblewrap: string) {
    this.#bubblewrap = bubblewrap;
  }

  /** A network in which `loopback`, ports of this machine, can be reached at the same numbers. Rejects where none can be made. */
  async open(loopback: readonly number[]): Promise<TrialNetwork> {
    const key = loopback.join(",");
    const idleNetwork = this.#free.get(key)?.pop() ?? (await this.#make(loopback));
    const [user, net] = idleNetwork.descriptors;
    const at = (descriptor: number | undefined) => `/proc/${process.pid}/fd/${descriptor}`;
    return {
      worldPort: idleNetwork.ports.at(-2) ?? 0,
      proxyPort: idleNetwork.ports.at(-1) ?? 0,
      enter: ["nsenter", `--user=${at(user)}`, `--net=${at(net)}`, "--preserve-credentials", "--"],
      take: (takers) => {
        idleNetwork.takers = takers;
      },
      release: () => {
        idleNetwork.takers = undefined;
        for (const socket of idleNetwork.sockets) socket.destroy();
        this.#free.set(key, [...(this.#free.get(key) ?? []), idleNetwork]);
      },
    };
  }

  async #make(loopback: readonly number[]): Promise<IdleNetwork> {
    const wanted = [...loopback, 0, 0];
    const options = ["--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/"];
    const stdio: SpawnOptions["stdio"] = ["ignore", "ignore", "pipe", "ipc"];
    const child = spawn(this.#bubblewrap, [...options, process.execPath, HOLDER, wanted.join(",")], { stdio });
    try {
      const { pid, ports, servers } = await handedOver(child, wanted.length);
      const descriptors = ["user", "net"].map((name) => openSync(`/proc/${pid}/ns/${name}`, "r"));
      const held: IdleNetwork = { ports, servers, descriptors, sockets: new Set(), takers: undefined };
      for (const [index, server] of servers.entries()) {
        server.unref();
        server.on("connection", (socket) => accepted(held, index, socket));
      }
      this.#all.add(held);
      return held;
    } finally {
      if (child.connected) child.send("done");
    }
  }

  close(): void {
    for (const { servers, descriptors, sockets } of this.#all) {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
      for (const descriptor of descriptors) closeSync(descriptor);
    }
    this.#all.clear();
    this.#free.clear();
  }
}

function accepted(idleNetwork: IdleNetwork, index: number, socket: Socket): void {
  const { takers } = idleNetwork;
  socket.on("error", () => undefined);
  if (takers === undefined || idleNetwork.sockets.size >= MOST_CONNECTIONS) return void socket.destroy();
  idleNetwork.sockets.add(socket);
  socket.once("close", () => idleNetwork.sockets.delete(socket));
  const fromEnd = idleNetwork.ports.length - index;
  if (fromEnd === 2) takers.world(socket);
  else if (fromEnd === 1) takers.proxy(socket);
  else takers.loopback(socket, idleNetwork.ports[index] ?? 0);
}

function handedOver(child: ChildProcess, count: number) {
  return new Promise<{ pid: number; ports: number[]; servers: Server[] }>((resolve, reject) => {
    const ports: number[] = [];
    const servers: Server[] = [];
    let said = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), MADE_MS);
    const failed = (reason: string) => {
      clearTimeout(timer);
      for (const server of servers) server.close();
      reject(new Error(`no network of its own could be made for a trial: ${reason.trim().slice(-300)}`));
    };
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-2_000);
    });
    child.once("error", (error) => failed(error.message));
    child.once("exit", (code) => servers.length < count && failed(said || `it ended with exit status ${code}`));
    child.on("message", ({ port, pid }: { port: number; pid: number }, handle: unknown) => {
      ports.push(port);
      servers.push(handle as Server);
      if (servers.length < count) return;
      clearTimeout(timer);
      resolve({ pid, ports, servers });
    });
  });
}
