import { createReadStream } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../chapters/errors.ts";
import { chapters } from "../../tools/index.ts";
import { LOCAL_HEADER } from "../exchange-headers.ts";
import type { Member } from "../member.ts";
import { fillRoute, routeParams } from "../routes.ts";
import { askOwner } from "../socket.ts";

type Args = Readonly<Record<string, unknown>>;

/** The service as a command of this machine uses it: every operation by its name, over REST on the owner's socket. */
export interface Api {
  /** The answer's body. Throws AppError with the service's own reason when it is refused. */
  call<T>(name: string, args: Args): Promise<T>;
  /** The same with a file as the request's body; `args` go into the query. */
  send<T>(name: string, args: Args, file: string): Promise<T>;
}

const ROUTES = new Map(chapters.flatMap((chapter) => chapter.operations.map((op) => [op.name, op.route] as const)));

/** Calls the workspace that `member` is part of, as the person at this machine in the org of this tag. */
export function localApi(member: Member, orgtag: string): Api {
  const ask = async <T>(name: string, args: Args, file: string | undefined): Promise<T> => {
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
      host: "localhost",
      [LOCAL_HEADER]: "1",
      accept: "application/json",
      ...(file === undefined && !asQuery ? { "content-type": "application/json" } : {}),
    };
    const write = (out: ClientRequest) => {
      if (file !== undefined) void pipeline(createReadStream(file), out).catch((error: Error) => out.destroy(error));
      else out.end(asQuery ? undefined : JSON.stringify(rest));
    };
    const answer = await member.ask((socket) =>
      askOwner(socket, { method, path: fillRoute(route, named) + query, headers }, write),
    );
    return read<T>(answer);
  };
  return { call: (name, args) => ask(name, args, undefined), send: (name, args, file) => ask(name, args, file) };
}

async function read<T>(answer: IncomingMessage): Promise<T> {
  const text = Buffer.concat(await Readable.from(answer).toArray()).toString("utf8");
  const status = answer.statusCode ?? 500;
  const json = answer.headers["content-type"]?.includes("json") === true;
  if (status < 400) return (json ? JSON.parse(text) : text) as T;
  const refusal = json ? (JSON.parse(text) as { reason?: string; fields?: { path: string; message: string }[] }) : {};
  const fields = (refusal.fields ?? []).map((field) => ` ${field.path}: ${field.message}.`).join("");
  throw new AppError("bad_request", `${refusal.reason ?? `The service answered ${status}.`}${fields}`);
}
