import { Command, CommanderError } from "commander";
import type { AppError } from "../chapters/errors.ts";
import type { CompareOptions } from "./compare-command.ts";
import { ConfigError, readConfig } from "./config.ts";
import { version } from "./version.ts";

/** The command line. Each command loads what it needs and no more: the tool server has to answer soon after its start. */
export function program(): Command {
  const svc = new Command("svc")
    .description("Evaluate agents that call tools. Settings are SVC_* environment variables; see README.md.")
    .version(version)
    .exitOverride()
    .showHelpAfterError();
  svc
    .command("serve")
    .description("Serve REST, MCP and worlds over HTTP.")
    .option("--host <host>", "the address to listen on (SVC_HOST)")
    .option("--port <port>", "the port to listen on (SVC_PORT)")
    .action(async (options: { host?: string; port?: string }) => {
      const { serveCommand } = await import("./commands.ts");
      await serveCommand(
        readConfig({ ...process.env, ...given("SVC_HOST", options.host), ...given("SVC_PORT", options.port) }),
      );
    });
  svc
    .command("stdio")
    .description(
      "Serve MCP over standard input and output, as the person at this machine. The default without a terminal.",
    )
    .option("--chapters <names>", "only these chapters' tools, by names with commas between")
    .option("--shaped", "only the tools that answer with a verdict")
    .option("--scope <scope>", "only tools that need at most this scope: read, push or admin")
    .action(async (options: { chapters?: string; shaped?: boolean; scope?: string }) => {
      const { stdioCommand } = await import("./commands.ts");
      await stdioCommand(readConfig(process.env), listQuery(options));
    });
  svc
    .command("init")
    .description("Make an org and its first admin token, shown once.")
    .requiredOption("--org <tag>", "the org's tag")
    .option("--name <name>", "what will hold the token", "first admin")
    .action(async (options: { org: string; name: string }) => {
      const { initCommand } = await import("./commands.ts");
      await initCommand(readConfig(process.env), options.org, options.name);
    });
  svc
    .command("tools")
    .description("List the tools: of the service at SVC_URL with SVC_TOKEN, else of this machine's own workspace.")
    .option("--chapters <names>", "only these chapters' tools")
    .option("--shaped", "only the tools that answer with a verdict")
    .action(async (options: { chapters?: string; shaped?: boolean }) => {
      const { toolsCommand } = await import("./commands.ts");
      await toolsCommand(process.env, listQuery(options));
    });
  svc
    .command("call")
    .description("Call a tool, there as well: svc call TOOL key=value… (a value @FILE is the file's text).")
    .argument("<tool>")
    .argument("[pairs...]", "arguments as key=value; objects as JSON")
    .action(async (tool: string, pairs: string[]) => {
      const { callCommand } = await import("./commands.ts");
      process.exitCode = await callCommand(process.env, tool, pairs);
    });
  svc
    .command("whoami")
    .description("Say which credential this is, there as well.")
    .action(async () => {
      const { callCommand } = await import("./commands.ts");
      process.exitCode = await callCommand(process.env, "whoami", []);
    });
  svc
    .command("compare")
    .description("Compare two run groups, there as well: the verdict, and what showing a difference takes.")
    .argument("<a>", "the run group before")
    .argument("<b>", "the run group after")
    .option("--gate", "end with 0: no regression shown, 1: a regression shown, 2: cannot tell")
    .option("--difference <rate>", "the difference of rates to plan for, 0 to 1", Number)
    .option("--junit <file>", "write a JUnit report")
    .option("--markdown <file>", "write the comparison as Markdown")
    .option("--json", "print the comparison as one JSON object")
    .action(async (a: string, b: string, options: CompareOptions) => {
      const { compareCommand } = await import("./compare-command.ts");
      process.exitCode = await compareCommand(process.env, a, b, options);
    });
  svc
    .command("operator")
    .description("Act on the workspace, there as well: svc operator ACT key=value… (without an ACT, the list of them).")
    .argument("[act]", "the act", "")
    .argument("[pairs...]", "arguments as key=value; a list's key once for each item")
    .action(async (act: string, pairs: string[]) => {
      const { operatorCommand } = await import("./operator/command.ts");
      process.exitCode = await operatorCommand(process.env, act, pairs);
    });
  svc
    .command("restore")
    .description("Bring an archived org back (the tar.gz of org_archive), there as well.")
    .argument("<file>", "the archive")
    .option("--tag <tag>", "another tag than the archive's")
    .action(async (file: string, options: { tag?: string }) => {
      const { operatorCommand } = await import("./operator/command.ts");
      const pairs = [`file=${file}`, ...(options.tag === undefined ? [] : [`tag=${options.tag}`])];
      process.exitCode = await operatorCommand(process.env, "restore_org", pairs);
    });
  svc
    .command("evaluate")
    .description("From trace files to a verdict: compile, draw, write and review tasks, run agents, compare.")
    .argument("[arguments...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args: string[]) => {
      const { run } = await import("./evaluate/index.ts");
      process.exitCode = await run(args);
    });
  svc
    .command("fidelity")
    .description("Measure on your own traces how faithfully a world compiled from some answers the calls of others.")
    .argument("[arguments...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args: string[]) => {
      const { run } = await import("./fidelity/index.ts");
      process.exitCode = await run(args);
    });
  svc
    .command("agreement")
    .description("Measure on your own traces how verdicts of tasks mined from some agree with the rewards of others.")
    .argument("[arguments...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (args: string[]) => {
      const { run } = await import("./agreement/index.ts");
      process.exitCode = await run(args);
    });
  return svc;
}

/** Runs the command line and sets the exit status: 1 for what failed, 2 for what was asked wrongly. */
export async function main(args: readonly string[]): Promise<void> {
  const bare = args.length === 0;
  const words = bare ? [process.stdin.isTTY ? "--help" : "stdio"] : [...args];
  try {
    await program().parseAsync(words, { from: "user" });
  } catch (error) {
    process.exitCode = failed(error);
  }
}

function failed(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const { reason, message, details, stack } = Object(error) as Partial<AppError>;
  const names = (details?.names ?? []).map((name) => ` ${JSON.stringify(name)}`).join("");
  const own = error instanceof ConfigError || (error instanceof Error && error.name === "AppError");
  const trace = own || stack === undefined ? "" : `${stack}\n`;
  process.stderr.write(`svc: ${reason ?? message ?? String(error)}${names}\n${trace}`);
  return 1;
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}

function listQuery(options: { chapters?: string; shaped?: boolean; scope?: string }): string {
  const query = new URLSearchParams();
  if (options.chapters) query.set("chapters", options.chapters);
  if (options.shaped) query.set("shaped", "1");
  if (options.scope) query.set("scope", options.scope);
  return query.toString();
}

if (import.meta.main) await main(process.argv.slice(2));
