import type { AppError } from "../../chapters/errors.ts";
import type { ToolAnswer, ToolsClient } from "../commands/tools-client.ts";
import { readConfig } from "../config.ts";
import type { Api } from "../evaluate/api.ts";
import { ClusterNode } from "../leadership/cluster-node.ts";
import type { Env } from "./environment.ts";

/** The tools of the service at SVC_URL, else of this machine's own workspace, for as long as the work takes. */
export async function withTools<T>(env: Env, query: string, work: (tools: ToolsClient) => Promise<T>): Promise<T> {
  const { localTools, remoteTools } = await import("../commands/tools-client.ts");
  if (env.SVC_URL) return work(remoteTools(env.SVC_URL, env.SVC_TOKEN, query));
  return withNode(env, (clusterNode) => work(localTools(clusterNode, query)));
}

/** The operations of the service at SVC_URL, else of this machine's own workspace, over REST. */
export async function withApi<T>(env: Env, work: (api: Api) => Promise<T>): Promise<T> {
  const { localApi, remoteApi } = await import("../evaluate/api.ts");
  if (env.SVC_URL) return work(remoteApi(env.SVC_URL, env.SVC_TOKEN, env.SVC_ORG ?? ""));
  return withNode(env, (clusterNode) => work(localApi(clusterNode, env.SVC_ORG ?? "")));
}

async function withNode<T>(env: Env, work: (clusterNode: ClusterNode) => Promise<T>): Promise<T> {
  const member = new ClusterNode(readConfig(env));
  try {
    return await work(member);
  } finally {
    await member.leave();
  }
}

/** A refusal as a person reads it: the reason, the fields that are wrong, the names that it is about. */
export function refusalOf({ text }: Pick<ToolAnswer, "text">): string {
  try {
    const { reason, fields, details } = JSON.parse(text) as Partial<AppError> & {
      fields?: readonly { path: string; message: string }[];
    };
    const wrong = (fields ?? []).map(({ path, message }) => `${path}: ${message}.`);
    const names = (details?.names ?? []).map((name) => JSON.stringify(name));
    return [reason ?? text, ...wrong, ...names].join(" ");
  } catch {
    return text;
  }
}
