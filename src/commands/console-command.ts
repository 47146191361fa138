import { Readable } from "node:stream";
import { unavailable } from "../../chapters/errors.ts";
import { print, printJson, say } from "../cli/output.ts";
import type { Config } from "../config.ts";
import { LOCAL_LINK_PATH, type LocalLink } from "../console/local-link.ts";
import { LOCAL_HEADER } from "../http/local-header.ts";
import { ClusterNode } from "../leadership/cluster-node.ts";
import { askLeader } from "../leadership/socket.ts";

/**
 * `svc console`: prints a link that signs the person at this machine in to the console, once and soon. The link is worth
 * as much as the process that serves it: where nobody else has the folder open it says to serve first.
 */
export async function consoleCommand(config: Config, json: boolean): Promise<void> {
  const clusterNode = new ClusterNode(config);
  try {
    if ((await clusterNode.place).kind === "leader")
      throw unavailable("Nothing serves this data folder. Start svc serve, and ask again while it runs.");
    const link = await consoleLink(clusterNode);
    if (json) return printJson(link);
    print(link.url);
    say("It signs you in once, within ten minutes, in a browser on this machine.");
  } finally {
    await clusterNode.leave();
  }
}

/** A link of the workspace that this process is part of. Throws AppError with the reason where there can be none. */
export async function consoleLink(clusterNode: ClusterNode): Promise<LocalLink> {
  const headers = { host: "localhost", [LOCAL_HEADER]: "1" };
  const request = { method: "POST", path: LOCAL_LINK_PATH, headers };
  const answer = await clusterNode.ask((socket) => askLeader(socket, request, (out) => out.end()));
  const body = JSON.parse(Buffer.concat(await Readable.from(answer).toArray()).toString("utf8")) as LocalLink & {
    reason?: string;
  };
  if (answer.statusCode !== 200) throw unavailable(body.reason ?? "The service gave no link.");
  return body;
}
