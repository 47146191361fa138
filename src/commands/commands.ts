import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printJson, say } from "../cli/output.ts";
import type { Config } from "../config.ts";
import { ClusterNode } from "../leadership/cluster-node.ts";
import type { Leader } from "../leadership/leader.ts";
import type { Serving } from "../serve.ts";

/**
 * `svc serve`: runs until it is asked to end. A workspace that has no operator gets one, whose token is written to a file
 * of the data folder; with `json` where it listens, and that file, are one object on standard output.
 */
export async function serveCommand(config: Config, json: boolean): Promise<void> {
  const { serve } = await import("../serve.ts");
  const serving = await serve(config);
  const place = await serving.member.place;
  const operator = place.kind === "leader" ? await operatorOf(place, config) : undefined;
  // Who reads that it serves may ask it to end at once.
  const asked = untilStopSignal();
  if (json) {
    const owner = place.kind === "leader";
    const made = operator ? { operator_token_file: operator } : {};
    printJson({ url: serving.url, data_dir: config.dataDir, owner, ...made });
  } else {
    say(
      place.kind === "leader"
        ? `Serving ${config.dataDir} at ${serving.url}`
        : `Serving at ${serving.url}, in front of the process that owns ${config.dataDir}`,
    );
    if (operator) say(`The service-wide token is in ${operator}: keep it elsewhere and delete the file.`);
    for (const line of await consoleLines(serving, process.stderr.isTTY === true)) say(line);
  }
  await asked;
  await serving.close();
}

/**
 * Where the console is. On a terminal with a link that signs the person there in; what is written to a log is read by
 * others, and gets none.
 */
export async function consoleLines(
  { url, member }: Pick<Serving, "url" | "member">,
  terminal: boolean,
): Promise<string[]> {
  const at = `Console: ${url}/console`;
  if (!terminal) return [`${at} (svc console prints a link that signs you in)`];
  const { consoleLink } = await import("./console-command.ts");
  const link = await consoleLink(member).catch(() => undefined);
  if (link === undefined) return [at];
  return [
    at,
    `Sign in, once and within ten minutes, in a browser on this machine: ${link.url}`,
    "svc console prints another link.",
  ];
}

/** Where the token of a new operator was written. What a server prints goes to logs, which more people read. */
async function operatorOf({ service }: Leader, config: Config): Promise<string | undefined> {
  const { firstOperator } = await import("../service/workspace.ts");
  const path = join(config.dataDir, "operator-token");
  const made = await firstOperator(service.store, config, (token) => {
    rmSync(path, { force: true });
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: "wx" });
  });
  return made === undefined ? undefined : path;
}

/** `svc stdio`: a pipe to the owner's tool server until the client closes its end. Nothing but MCP on standard output. */
export async function stdioCommand(config: Config, query: string): Promise<void> {
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  const { pipeStdio } = await import("../stdio/stdio.ts");
  const clusterNode = new ClusterNode(config);
  const asked = untilStopSignal();
  await Promise.race([pipeStdio(clusterNode, query, process.stdin, process.stdout), asked]);
  await clusterNode.leave();
  process.exit(process.exitCode ?? 0);
}

/** `svc init`: makes an org with an admin token; both tokens it mints are shown this once, on standard output. */
export async function initCommand(config: Config, tag: string, name: string, json: boolean): Promise<void> {
  const [{ createService }, { createOrg, firstOperator, mintFor }] = await Promise.all([
    import("../service/service.ts"),
    import("../service/workspace.ts"),
  ]);
  const service = await createService({ config });
  try {
    const org = await createOrg(service, tag);
    const token = await mintFor(service, org, name, "admin");
    const operator = await firstOperator(service.store, config);
    if (json) return printJson({ org: org.tag, token, ...(operator ? { operator_token: operator } : {}) });
    const lines = [`SVC_ORG=${org.tag}`, `SVC_TOKEN=${token}`, ...(operator ? [`SVC_OPERATOR_TOKEN=${operator}`] : [])];
    process.stdout.write(`${lines.join("\n")}\n`);
    say("Each token is shown this once; only its hash is kept.");
  } finally {
    await service.close();
  }
}

/** Resolves when the process is asked to end: from when this is called, that no longer ends it by itself. */
export function untilStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
