import { readFileSync } from "node:fs";
import type { Config } from "./config.ts";
import { readConfig } from "./config.ts";
import { Member } from "./member.ts";

/** `svc serve`: runs until it is asked to end. A workspace that has no operator gets one, shown once on standard error. */
export async function serveCommand(config: Config): Promise<void> {
  const { serve } = await import("./serve.ts");
  const serving = await serve(config);
  const place = await serving.member.place;
  say(
    place.kind === "owner"
      ? `Serving ${config.dataDir} at ${serving.url}`
      : `Serving at ${serving.url}, in front of the process that owns ${config.dataDir}`,
  );
  if (place.kind === "owner") {
    const { firstOperator } = await import("./workspace.ts");
    const operator = await firstOperator(place.service.store, config);
    if (operator) say(`The service-wide token, shown this once: ${operator}`);
  }
  await untilAsked();
  await serving.close();
}

/** `svc stdio`: a pipe to the owner's tool server until the client closes its end. Nothing but MCP on standard output. */
export async function stdioCommand(config: Config, query: string): Promise<void> {
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  const { pipeStdio } = await import("./stdio.ts");
  const member = new Member(config);
  const asked = untilAsked();
  await Promise.race([pipeStdio(member, query, process.stdin, process.stdout), asked]);
  await member.leave();
  process.exit(process.exitCode ?? 0);
}

/** `svc init`: makes an org with an admin token; both tokens it mints are shown this once, on standard output. */
export async function initCommand(config: Config, tag: string, name: string): Promise<void> {
  const [{ createService }, { createOrg, firstOperator, mintFor }] = await Promise.all([
    import("./service.ts"),
    import("./workspace.ts"),
  ]);
  const service = await createService({ config });
  try {
    const org = await createOrg(service, tag);
    const token = await mintFor(service, org, name, "admin");
    const operator = await firstOperator(service.store, config);
    const lines = [`SVC_ORG=${org.tag}`, `SVC_TOKEN=${token}`, ...(operator ? [`SVC_OPERATOR_TOKEN=${operator}`] : [])];
    process.stdout.write(`${lines.join("\n")}\n`);
    say("Each token is shown this once; only its hash is kept.");
  } finally {
    await service.close();
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** `svc tools`: names and titles, one a line. */
export async function toolsCommand(env: Env, query: string): Promise<void> {
  await withTools(env, query, async ({ list }) => {
    for (const tool of await list()) process.stdout.write(`${tool.name}\t${tool.title ?? ""}\n`);
  });
}

/** `svc call`: prints the tool's answer; 0 when it did its work, 1 when it was refused. */
export async function callCommand(env: Env, name: string, pairs: readonly string[]): Promise<number> {
  const { coerceText } = await import("./query.ts");
  return withTools(env, "", async ({ list, call }) => {
    const tool = (await list()).find((candidate) => candidate.name === name);
    if (!tool) {
      say("There is no tool of that name. See: svc tools");
      return 2;
    }
    const properties = (tool.inputSchema?.properties ?? {}) as Record<string, Record<string, unknown>>;
    const args: Record<string, unknown> = {};
    for (const pair of pairs) {
      const [, key, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
      if (key === undefined || value === undefined) {
        say("Arguments are written key=value.");
        return 2;
      }
      args[key] = coerceText(value.startsWith("@") ? readFileSync(value.slice(1), "utf8") : value, properties[key]);
    }
    if (env.SVC_ORG && "orgtag" in properties) args.orgtag ??= env.SVC_ORG;
    const result = await call(name, args);
    process.stdout.write(`${result.text}\n`);
    return result.isError ? 1 : 0;
  });
}

/** The tools of the service at SVC_URL, else of this machine's own workspace, for as long as the work takes. */
export async function withTools<T>(
  env: Env,
  query: string,
  work: (tools: import("./tools-client.ts").ToolsClient) => Promise<T>,
): Promise<T> {
  const { localTools, remoteTools } = await import("./tools-client.ts");
  if (env.SVC_URL) return work(remoteTools(env.SVC_URL, env.SVC_TOKEN, query));
  const member = new Member(readConfig(env));
  try {
    return await work(localTools(member, query));
  } finally {
    await member.leave();
  }
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
