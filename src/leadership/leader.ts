import { chmodSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeFolderLock } from "../../store/folder-lock.ts";
import type { Config } from "../config.ts";
import { httpServer } from "../http/http-server.ts";
import { openWithRetries, REACH_MS } from "../service/open-store.ts";
import type { Service } from "../service/service.ts";
import { dial, LeaderUnreachable, makeSecret, socketPath } from "./socket.ts";

/** How long to wait for a new owner to listen: it has to reach the store and bring it up to date. */
const PATIENCE_MS = REACH_MS + 15_000;
const LOOK_AGAIN_MS = 25;
/** How long calls under way may still take when the owner is asked to end. */
const GRACE_MS = 3_000;

/** This process owns the data folder: it alone runs jobs and holds the worlds; others reach it over the socket. */
export interface Leader {
  readonly kind: "leader";
  readonly socket: string;
  readonly service: Service;
  /** The service for callers on the network. */
  readonly app: RequestListener;
  close(): Promise<void>;
}

/** Another process owns the folder and listens at `socket`. */
export interface Follower {
  readonly kind: "follower";
  readonly socket: string;
}

/**
 * Joins the processes on a data folder: the first becomes its owner, later ones its guests. When the owner ends, however
 * it ends, the next that joins takes its place. `address` is where the caller serves the network already; without one an
 * owner opens a loopback port, since worlds are played over HTTP even when the service is spoken to over stdio.
 */
export async function joinFolder(config: Config, address: string | undefined): Promise<Leader | Follower> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const socket = socketPath(config.dataDir);
  const lockPath = join(config.dataDir, "owner.lock");
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    const lock = takeFolderLock(lockPath);
    if (lock) return own(config, socket, lock, address);
    if (await answers(socket)) return { kind: "follower", socket };
    if (Date.now() > until)
      throw new LeaderUnreachable(new Error("the folder is locked by a process that does not listen"));
    await sleep(LOOK_AGAIN_MS);
  }
}

async function own(
  config: Config,
  socket: string,
  lock: { release(): void },
  address: string | undefined,
): Promise<Leader> {
  // Only the owner needs the whole service: a guest starts in a fraction of the time without these.
  const [{ createService }, { createApp }, { localCaller }] = await Promise.all([
    import("../service/service.ts"),
    import("../http/http.ts"),
    import("../service/workspace.ts"),
  ]);
  let service: Service | undefined;
  const servers: Server[] = [];
  try {
    service = await createService({ config });
    const app = createApp(service);
    service.listensAt(address ?? (await openLoopback(app, servers)));
    const made = service;
    await openWithRetries(() => localCaller(made), made.log);
    const secret = makeSecret(socket);
    const local = httpServer(createApp(made, { caller: () => localCaller(made), secret }));
    servers.push(local);
    // The lock is ours, so a socket that lies there is a dead owner's.
    if (process.platform !== "win32") rmSync(socket, { force: true });
    await listening(local, () => local.listen(socket));
    // Whoever reaches it is the local admin, whatever the mask and the folder's own mode let in.
    if (process.platform !== "win32") chmodSync(socket, 0o600);
    service.begin();
    return { kind: "leader", socket, service, app, close: closer(service, servers, lock) };
  } catch (error) {
    for (const server of servers) server.close();
    await service?.close();
    lock.release();
    throw error;
  }
}

async function openLoopback(app: RequestListener, servers: Server[]): Promise<string> {
  const network = httpServer(app);
  servers.push(network);
  await listening(network, () => network.listen(0, "127.0.0.1"));
  return `http://127.0.0.1:${(network.address() as AddressInfo).port}`;
}

function closer(service: Service, servers: readonly Server[], lock: { release(): void }): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const close = async () => {
    await Promise.all(servers.map(shut));
    await service.close();
    lock.release();
  };
  return () => {
    closed ??= close();
    return closed;
  };
}

/** Lets calls under way end within the grace, then cuts what is left. */
export async function shut(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const until = Date.now() + GRACE_MS; (underWay.get(server) ?? 0) > 0 && Date.now() < until; ) {
    await sleep(LOOK_AGAIN_MS);
  }
  // What is still open asks for nothing: kept connections, and those by which guests watch for this end.
  server.closeAllConnections();
  await ended;
}

/** How many requests a server has yet to answer. */
const underWay = new WeakMap<Server, number>();

/** Waits until a server listens, or throws what kept it from it. */
export function listening(server: Server, start: () => void): Promise<void> {
  const count = (change: number) => underWay.set(server, (underWay.get(server) ?? 0) + change);
  server.on("request", (_req, res) => {
    count(1);
    res.once("close", () => count(-1));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    start();
  });
}

async function answers(socket: string): Promise<boolean> {
  try {
    (await dial(socket)).destroy();
    return true;
  } catch {
    return false;
  }
}
