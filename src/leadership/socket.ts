import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../worlds/digest.ts";
import { LOCAL_HEADER } from "../http/local-header.ts";

/** The longest path a unix socket may have on every platform. */
const LONGEST = 100;

/** Where the owner of a data folder listens for other processes of the same person: in the folder, where its path is short enough. */
export function socketPath(dataDir: string): string {
  const name = sha256(dataDir).slice(0, 24);
  if (process.platform === "win32") return `\\\\.\\pipe\\proving-ground-${name}`;
  const inside = join(dataDir, "owner.sock");
  if (Buffer.byteLength(inside) <= LONGEST) return inside;
  const folder = join(tmpdir(), `proving-ground-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${name}.sock`);
}

/** Where the owner leaves what a process must know to be taken for the same person's; undefined where a pipe has no folder. */
function secretPath(socket: string): string | undefined {
  return process.platform === "win32" ? undefined : socket.replace(/\.sock$/, ".secret");
}

/** Makes the secret of an owner that begins to listen, readable by its user alone; undefined where the platform has no place for it. */
export function makeSecret(socket: string): string | undefined {
  const path = secretPath(socket);
  if (path === undefined) return undefined;
  const secret = randomBytes(32).toString("base64url");
  rmSync(path, { force: true });
  writeFileSync(path, secret, { mode: 0o600, flag: "wx" });
  return secret;
}

/** The secret of the owner that listens. What cannot be read is said by the owner's refusal. */
function secretOf(socket: string): string {
  const path = secretPath(socket);
  try {
    return path === undefined ? "1" : readFileSync(path, "utf8");
  } catch {
    return "1";
  }
}

/** Nothing of a request reached the owner: it may be sent again as it is. */
export class LeaderUnreachable extends Error {
  constructor(cause: unknown) {
    super("the owner of the data folder does not answer", { cause });
    this.name = "OwnerUnreachable";
  }
}

/** A connection to the owner. Throws OwnerUnreachable when nobody listens. */
export function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", (cause) => reject(new LeaderUnreachable(cause)));
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
  });
}

/** A request to the process that owns the data folder. */
export interface LeaderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly signal?: AbortSignal;
}

/** For one request, after which the socket is closed from here: an owner that refuses a body would close it while it is written to. */
function onto(socket: Socket): Agent {
  return Object.assign(new Agent({ keepAlive: false }), { createConnection: () => socket });
}

/**
 * Sends one request over a connection of its own, so that a failure to connect is known to have sent nothing. `write`
 * gives the body; the answer comes with its headers, its body still to be read. Where the headers ask to be taken for the
 * local person, the owner's secret goes along.
 */
export async function askLeader(
  path: string,
  { method, path: target, headers, signal }: LeaderRequest,
  write: (out: ClientRequest) => void,
): Promise<IncomingMessage> {
  const socket = await dial(path);
  // Read once the owner answers: a new one writes its own before it listens.
  const local = headers[LOCAL_HEADER] === undefined ? {} : { [LOCAL_HEADER]: secretOf(path) };
  return new Promise((resolve, reject) => {
    const options = {
      agent: onto(socket),
      method,
      path: target,
      headers: { ...headers, ...local, connection: "keep-alive" },
    };
    const out = request(signal ? { ...options, signal } : options);
    out.once("response", resolve);
    out.once("error", reject);
    write(out);
  });
}
