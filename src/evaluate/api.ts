import type { ClientRequest } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError, ERROR_STATUS, type ErrorCode } from "../../chapters/errors.ts";
import { chapters } from "../../tools/index.ts";
import { askService } from "../commands/service-client.ts";
import { LOCAL_HEADER } from "../http/local-header.ts";
import { fillRoute, routeParams } from "../http/routes.ts";
import type { ClusterNode } from "../leadership/cluster-node.ts";
import { askLeader } from "../leadership/socket.ts";
import { bodyOf, type FileBody, headersOf } from "./file-body.ts";

type Args = Readonly<Record<string, unknown>>;

/** The service as a command of this machine uses it: every operation by its name, over REST on the owner's socket. */
export interface Api {
  /** The answer's body. Throws AppError with the service's own reason when it is refused. */
  call<T>(name: string, args: Args): Promise<T>;
  /** The same with a file as the request's body; `args` go into the query. `sent` hears how many bytes went out so far. */
  send<T>(name: string, args: Args, file: FileBody, sent?: (bytes: number) => void): Promise<T>;
  /** Throws ENOSPC or EFBIG where the workspace's own disk takes no more; absent where that is not this machine's. */
  readonly requireRoom?: () => void;
}

const ROUTES = new Map(chapters.flatMap((chapter) => chapter.operations.map((op) => [op.name, op.route] as const)));

/** One request, and what came back. A body is JSON as text, or a file as it is. */
interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | undefined;
}
interface Answered {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/** Calls the workspace that `member` is part of, as the person at this machine in the org of this tag. */
export function localApi(clusterNode: ClusterNode, orgtag: string): Api {
  return apiOver(orgtag, async ({ method, path, headers, body }) => {
    const written = new AbortController();
    const write = (out: ClientRequest) => {
      if (!(body instanceof Readable)) return out.end(body);
      void pipeline(body, out, { signal: written.signal }).catch((error: Error) => out.destroy(error));
    };
    const local = { host: "localhost", [LOCAL_HEADER]: "1", ...headers };
    const answer = await clusterNode.ask((socket) => askLeader(socket, { method, path, headers: local }, write));
    const parts = await Readable.from(answer).toArray();
    // A body that was refused before its end is not sent on.
    written.abort();
    return {
      status: answer.statusCode ?? 500,
      type: answer.headers["content-type"],
      text: Buffer.concat(parts).toString("utf8"),
    };
  });
}

/** Calls the service at `url` with a token. Throws `unavailable` where nobody answers. */
export function remoteApi(url: string, token: string | undefined, orgtag: string): Api {
  return apiOver(orgtag, async ({ method, path, headers, body }) => {
    const sent =
      body instanceof Readable
        ? { body: Readable.toWeb(body) as ReadableStream, duplex: "half" as const }
        : body === undefined
          ? {}
          : { body };
    const asked = askService(`${url.replace(/\/+$/, "")}${path}`, { method, headers, ...sent }, token);
    const answer = await asked.catch((error: unknown) => {
      // What is wrong with the file goes before what the broken connection says.
      throw body instanceof Readable && body.errored instanceof AppError ? body.errored : error;
    });
    return {
      status: answer.status,
      type: answer.headers.get("content-type") ?? undefined,
      text: await answer.text(),
    };
  });
}

function apiOver(orgtag: string, request: (apiRequest: ApiRequest) => Promise<Answered>): Api {
  const ask = async <T>(name: string, args: Args, file?: FileBody, sent?: (bytes: number) => void): Promise<T> => {
    const route = ROUTES.get(name);
    if (route === undefined) throw new Error(`no operation is named ${name}`);
    const [method = "GET"] = route.split(" ");
    const named: Args = { orgtag, ...args };
    const inPath = new Set([...routeParams(route), "orgtag"]);
    const rest = Object.fromEntries(
      Object.entries(named).filter(([key, value]) => !inPath.has(key) && value !== undefined),
    );
    const asQuery = method === "GET" || file !== undefined;
    const query =
      asQuery && Object.keys(rest).length > 0
        ? `?${new URLSearchParams(Object.entries(rest).map(([k, v]) => [k, String(v)]))}`
        : "";
    const headers = {
      accept: "application/json",
      ...(asQuery ? {} : { "content-type": "application/json" }),
      ...(file === undefined ? {} : headersOf(file)),
    };
    const path = fillRoute(route, named) + query;
    const body = file === undefined ? (asQuery ? undefined : JSON.stringify(rest)) : bodyOf(file, sent);
    return read<T>(await request({ method, path, headers, body }));
  };
  return { call: ask, send: ask };
}

function read<T>({ status, type, text }: Answered): T {
  const json = type?.includes("json") === true;
  if (status < 400) return (json ? JSON.parse(text) : text) as T;
  const refusal = json ? (JSON.parse(text) as { reason?: string; fields?: { path: string; message: string }[] }) : {};
  const fields = (refusal.fields ?? []).map((field) => ` ${field.path}: ${field.message}.`).join("");
  throw new AppError(codeOf(status), `${refusal.reason ?? `The service answered ${status}.`}${fields}`);
}

function codeOf(status: number): ErrorCode {
  const codes = Object.entries(ERROR_STATUS) as [ErrorCode, number][];
  return codes.find(([, known]) => known === status)?.[0] ?? "bad_request";
}
