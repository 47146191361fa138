import { createReadStream, statSync } from "node:fs";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { AnyOperation } from "../../tools/kernel/operation.ts";
import { Registry } from "../../tools/kernel/registry.ts";
import { readConfig } from "../config.ts";
import { LOCAL_HEADER } from "../http/local-header.ts";
import { coerceText } from "../http/query.ts";
import { fillRoute, parseRoute, routeParams } from "../http/routes.ts";
import { ClusterNode } from "../leadership/cluster-node.ts";
import { askLeader } from "../leadership/socket.ts";
import { operatorChapter } from "./operations.ts";

type Env = Readonly<Record<string, string | undefined>>;
/** A body: JSON as text, or a file as it is. */
type Body = { readonly type: string; readonly stream: Readable } | undefined;
type OperatorCall = (method: string, path: string, body: Body) => Promise<{ status: number; text: string }>;

/** Every act of the operator as help text: what it is called with, and what it does. */
export function actLines(): string[] {
  return operatorChapter.operations.map(({ name, input, title, body }) =>
    [name, ...Object.keys(input.shape).map((key) => `${key}=…`), ...(body === "stream" ? ["file=…"] : [])]
      .join(" ")
      .padEnd(48)
      .concat(title),
  );
}

/**
 * `svc operator ACT key=value…`: at the service at SVC_URL with the service-wide token in SVC_TOKEN, else in this
 * machine's own workspace. 0 when it did its work, 1 when it was refused or a chain is broken, 2 when it was asked wrongly.
 */
export async function operatorCommand(env: Env, act: string, pairs: readonly string[]): Promise<number> {
  const found = new Registry([operatorChapter]).get(act);
  if (!found) {
    process.stderr.write(`The acts are:\n${actLines().join("\n")}\n`);
    return 2;
  }
  const properties = (found.listing.inputSchema.properties ?? {}) as Record<string, Record<string, unknown>>;
  const args: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, key, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) {
      process.stderr.write("Arguments are written key=value.\n");
      return 2;
    }
    // One item of a list per pair: a comma may be part of a name.
    if (properties[key]?.type === "array") args[key] = [...((args[key] as string[] | undefined) ?? []), value];
    else args[key] = value === "null" ? null : coerceText(value, properties[key]);
  }
  const { file, ...asked } = args;
  if (found.op.body === "stream" && !isFile(file)) {
    process.stderr.write("There is no such file to read: name it as file=PATH.\n");
    return 2;
  }
  const { method, path, body } = requestOf(found.op, asked, file);
  const answer = await (env.SVC_URL ? remote(env) : local(env))(method, path, body);
  process.stdout.write(`${answer.text}\n`);
  const intact = !/^\{"intact":false/.test(answer.text);
  return answer.status < 400 && intact ? 0 : 1;
}

function isFile(path: unknown): boolean {
  return typeof path === "string" && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The act's own request; `file` is the body of an act that reads one. */
function requestOf({ route, body: reads }: AnyOperation, args: Readonly<Record<string, unknown>>, file: unknown) {
  const { method } = parseRoute(route);
  const inPath = new Set(routeParams(route));
  const rest = Object.entries(args).filter(([key]) => !inPath.has(key));
  const path = fillRoute(route, args);
  if (reads === "stream") {
    const query = new URLSearchParams(rest.map(([key, value]): [string, string] => [key, String(value)]));
    const stream = createReadStream(String(file ?? ""));
    return { method, path: `${path}?${query}`, body: { type: "application/gzip", stream } };
  }
  const sends = method !== "GET" && method !== "DELETE";
  const json = JSON.stringify(Object.fromEntries(rest));
  return { method, path, body: sends ? { type: "application/json", stream: Readable.from([json]) } : undefined };
}

function remote(env: Env): OperatorCall {
  return async (method, path, body) => {
    const headers = {
      ...(env.SVC_TOKEN ? { authorization: `Bearer ${env.SVC_TOKEN}` } : {}),
      ...(body === undefined ? {} : { "content-type": body.type }),
    };
    const url = `${(env.SVC_URL ?? "").replace(/\/+$/, "")}${path}`;
    const sent =
      body === undefined ? {} : { body: Readable.toWeb(body.stream) as ReadableStream, duplex: "half" as const };
    const res = await fetch(url, { method, headers, ...sent });
    return { status: res.status, text: await res.text() };
  };
}

function local(env: Env): OperatorCall {
  return async (method, path, body) => {
    const clusterNode = new ClusterNode(readConfig(env));
    try {
      return await clusterNode.ask(async (socket) => {
        const type = body === undefined ? {} : { "content-type": body.type };
        const headers = { host: "localhost", ...type, [LOCAL_HEADER]: "1" };
        const res = await askLeader(socket, { method, path, headers }, (out) =>
          body === undefined ? out.end() : body.stream.pipe(out),
        );
        return { status: res.statusCode ?? 500, text: await text(res) };
      });
    } finally {
      await clusterNode.leave();
    }
  };
}
