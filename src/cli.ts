import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { AppError } from "../chapters/errors.ts";
import type { CallOptions } from "./cli/call.ts";
import type { PushOptions } from "./cli/push.ts";
import { systemFailure } from "./cli/system-failure.ts";
import type { WatchOptions } from "./cli/watch.ts";
import type { CompareOptions } from "./commands/compare-command.ts";
import { ConfigError, forgetSecrets, readConfig } from "./config.ts";
import { version } from "./version.ts";

const EPILOGUE = `
Exit statuses: 0 done, 1 failed or refused, 2 asked wrongly; "compare --gate" and "watch" have their own (see their help).
Commands that ask a service ask the one at SVC_URL with SVC_TOKEN, else the one of "svc login", else this machine's own.`;

/** The command line. Each command loads what it needs and no more: the tool server has to answer soon after its start. */
export function program(): Command {
  const svc = new Command("svc")
    .description("Evaluate agents that call tools. Settings are SVC_* environment variables; see docs/settings.md.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(svc --help, and svc COMMAND --help, say what there is.)")
    .addHelpText("after", EPILOGUE);
  serving(svc);
  asking(svc);
  following(svc);
  operating(svc);
  measuring(svc);
  aroundIt(svc);
  return svc;
}

function serving(svc: Command): void {
  svc
    .command("serve")
    .description("Serve REST, MCP and worlds over HTTP.")
    .option("--host <host>", "the address to listen on (SVC_HOST)")
    .option("--port <port>", "the port to listen on (SVC_PORT)")
    .option("--json", "print where it listens as one JSON object")
    .action(async (options: { host?: string; port?: string; json?: boolean }) => {
      const set = { ...process.env, ...given("SVC_HOST", options.host), ...given("SVC_PORT", options.port) };
      const config = readConfig(set);
      forgetSecrets(process.env);
      if (!config.roles.serve) {
        const { workerCommand } = await import("./commands/worker-command.ts");
        return workerCommand(config, options.json === true);
      }
      const { serveCommand } = await import("./commands/commands.ts");
      await serveCommand(config, options.json === true);
    });
  svc
    .command("console")
    .description("Print a link that signs you in to this machine's console, once, within ten minutes.")
    .option("--json", "print the link as one JSON object")
    .action(async (options: { json?: boolean }) => {
      const { consoleCommand } = await import("./commands/console-command.ts");
      await consoleCommand(readConfig(process.env), options.json === true);
    });
  svc
    .command("worker")
    .description("Run jobs and schedules alone, beside servers on one PostgreSQL database (SVC_ROLES=work).")
    .option("--json", "print that it works, and from where, as one JSON object")
    .action(async (options: { json?: boolean }) => {
      const { workerCommand } = await import("./commands/worker-command.ts");
      const config = readConfig({ ...process.env, SVC_ROLES: "work" });
      forgetSecrets(process.env);
      await workerCommand(config, options.json === true);
    });
  svc
    .command("migrate")
    .description("Copy a workspace between a data folder and PostgreSQL, all or nothing, digests compared.")
    .option("--from <place>", "a data folder or a postgres:// address (SVC_DATA_DIR)")
    .option("--to <place>", "an empty one (SVC_DATABASE_URL)")
    .option("--json", "print what was copied, with digests, as one JSON object")
    .action(async (options: { from?: string; to?: string; json?: boolean }) => {
      const { dataDir, databaseUrl } = readConfig(process.env);
      const to = options.to ?? databaseUrl;
      if (to === undefined) throw new ConfigError("Say where to: --to, or SVC_DATABASE_URL.");
      const { migrateCommand } = await import("./commands/migrate-command.ts");
      await migrateCommand(options.from ?? dataDir, to, options.json === true);
    });
  svc
    .command("stdio")
    .description(
      "Serve MCP over standard input and output, as the person at this machine. The default without a terminal.",
    )
    .option("--toolset <name>", "core: the tools from traces to a verdict, and three that find and call all others")
    .option("--chapters <names>", "only these chapters' tools, by names with commas between")
    .option("--shaped", "only the tools that answer with a verdict")
    .option("--scope <scope>", "only tools that need at most this scope: read, push or admin")
    .action(async (options: ListOptions) => {
      const { stdioCommand } = await import("./commands/commands.ts");
      await stdioCommand(readConfig(process.env), listQuery(options));
    });
  svc
    .command("init")
    .description("Make an org and its first admin token, shown once.")
    .requiredOption("--org <tag>", "the org's tag")
    .option("--name <name>", "what will hold the token", "first admin")
    .option("--json", "print org and tokens as one JSON object")
    .action(async (options: { org: string; name: string; json?: boolean }) => {
      const { initCommand } = await import("./commands/commands.ts");
      await initCommand(readConfig(process.env), options.org, options.name, options.json === true);
    });
}

function asking(svc: Command): void {
  svc
    .command("tools")
    .description("List the tools; of one that is named, what it does and takes.")
    .argument("[tool]", "a tool's name")
    .option("--chapters <names>", "only these chapters' tools")
    .option("--shaped", "only the tools that answer with a verdict")
    .option("--scope <scope>", "only tools that need at most this scope: read, push or admin")
    .option("--json", "print a JSON list, or the one tool with its schemas")
    .action(async (tool: string | undefined, { json = false, ...options }: ListOptions & { json?: boolean }) => {
      const { toolCommand, toolsCommand } = await import("./cli/call.ts");
      if (tool === undefined) await toolsCommand(await environment(), listQuery(options), json);
      else await toolCommand(await environment(), tool, json);
    });
  svc
    .command("call")
    .description("Call any tool: svc call TOOL key=value… key:=JSON… key=@FILE…")
    .argument("<tool>")
    .argument("[pairs...]", "arguments; a key given twice is a list, @- is standard input, @@ begins a text with @")
    .option("--out <file>", "write the file that the tool answers")
    .option("--json", "print the answer's data as one JSON value")
    .action(async (tool: string, pairs: string[], options: CallOptions) => {
      const { callCommand } = await import("./cli/call.ts");
      process.exitCode = await callCommand(await environment(), tool, pairs, options);
    });
  svc
    .command("whoami")
    .description("Say which credential this is.")
    .option("--json", "print it as one JSON value")
    .action(async (options: CallOptions) => {
      const { callCommand } = await import("./cli/call.ts");
      process.exitCode = await callCommand(await environment(), "whoami", [], options);
    });
  svc
    .command("push")
    .description("Send files, or the files of folders, as evidence; each is streamed, however large.")
    .argument("<files...>", "trace files, tool listings, documents, HTTP archives, database exports")
    .option("--surface <name>", "the system that they are of; main when absent")
    .option(
      "--kind <kind>",
      "traces, tool_listing, document, http_capture, corpus, labels or feedback; found out when absent",
    )
    .option("--format <format>", "their format; found out when absent")
    .option("--provenance <word>", "production, staging, synthetic, public, operator or unknown")
    .option("--data-access <word>", "how values are kept: full, anonymized or shapes")
    .option("--source <id>", "the source they came through")
    .option("--allow-secrets", "take traces that hold secrets as they are")
    .option("--json", "print what was stored as one JSON object")
    .action(async (files: string[], options: PushOptions) => {
      const { pushCommand } = await import("./cli/push.ts");
      process.exitCode = await pushCommand(await environment(), files, options);
    });
}

function following(svc: Command): void {
  svc
    .command("watch")
    .description("Follow a job, a run or a run group until it ends, and say how.")
    .argument("<id>", "the job or the run group")
    .option("--timeout <seconds>", "how long to follow", seconds)
    .option("--json", "print how it ended as one JSON object")
    .addHelpText(
      "after",
      "\nExit statuses: 0 it landed, 1 it ended otherwise, 2 asked wrongly, 3 it is held or did not end in time.",
    )
    .action(async (id: string, options: WatchOptions) => {
      const { watchCommand } = await import("./cli/watch.ts");
      process.exitCode = await watchCommand(await environment(), id, options);
    });
  svc
    .command("compare")
    .description(
      "Compare two run groups, or two files of recorded results: the verdict, and what showing a difference takes.",
    )
    .argument(
      "<a>",
      "the run group before, or a file or folder of results (tau2, tau-bench, Inspect, AgentDojo, bundles)",
    )
    .argument("<b>", "the run group after, or such a file or folder")
    .option("--gate", "end with 0: no regression shown, 1: a regression shown, 2: cannot tell")
    .option("--difference <rate>", "the difference of rates to plan for, 0 to 1", Number)
    .option("--junit <file>", "write a JUnit report")
    .option("--markdown <file>", "write the comparison as Markdown")
    .option("--json", "print the comparison as one JSON object")
    .action(async (a: string, b: string, options: CompareOptions) => {
      const { compareCommand } = await import("./commands/compare-command.ts");
      process.exitCode = await compareCommand(environment, a, b, options);
    });
}

function operating(svc: Command): void {
  svc
    .command("operator")
    .description("Act on the workspace: svc operator ACT key=value… (without an ACT, the list of them).")
    .argument("[act]", "the act", "")
    .argument("[pairs...]", "arguments as key=value; a list's key once for each item")
    .option("--json", "as it does anyway: print the answer as one JSON value")
    .action(async (act: string, pairs: string[]) => {
      const { operatorCommand } = await import("./operator/command.ts");
      process.exitCode = await operatorCommand(await environment(), act, pairs);
    });
  svc
    .command("restore")
    .description("Bring an archived org back (the tar.gz of org_archive).")
    .argument("<file>", "the archive")
    .option("--tag <tag>", "another tag than the archive's")
    .option("--json", "as it does anyway: print the answer as one JSON value")
    .action(async (file: string, options: { tag?: string }) => {
      const { operatorCommand } = await import("./operator/command.ts");
      const pairs = [`file=${file}`, ...(options.tag === undefined ? [] : [`tag=${options.tag}`])];
      process.exitCode = await operatorCommand(await environment(), "restore_org", pairs);
    });
}

/** Commands that read their own options, and tell them with `--help`. */
function measuring(svc: Command): void {
  const own = (name: string, description: string, run: (args: string[]) => Promise<number>) =>
    svc
      .command(name)
      .description(description)
      .argument("[arguments...]")
      .allowUnknownOption()
      .helpOption(false)
      .action(async (args: string[]) => {
        process.exitCode = await run(args);
      });
  own(
    "evaluate",
    "From trace files to a verdict: compile, draw, write and review tasks, run agents, compare.",
    async (args) => (await import("./evaluate/index.ts")).run(args),
  );
  own(
    "fidelity",
    "Measure on your own traces how faithfully a world compiled from some answers the calls of others.",
    async (args) => (await import("./fidelity/index.ts")).run(args),
  );
  own(
    "agreement",
    "Measure on your own traces how verdicts of tasks mined from some agree with the rewards of others.",
    async (args) => (await import("./agreement/index.ts")).run(args),
  );
}

function aroundIt(svc: Command): void {
  svc
    .command("login")
    .description("Keep a service's address and a token of it, in a file that only you can read.")
    .argument("<url>", "the service's address; its token comes from SVC_TOKEN or standard input")
    .option("--json", "print whose token it is as one JSON object")
    .action(async (url: string, options: { json?: boolean }) => {
      const { loginCommand } = await import("./cli/login.ts");
      await loginCommand(process.env, url, options.json === true);
    });
  svc
    .command("logout")
    .description("Forget that address and token.")
    .option("--json", "print what was forgotten as one JSON object")
    .action(async (options: { json?: boolean }) => {
      const { logoutCommand } = await import("./cli/login.ts");
      logoutCommand(options.json === true);
    });
  svc
    .command("doctor")
    .description("Look at what the service stands on (Node, folder, database, port, models, clock) and change nothing.")
    .option("--json", "print the findings as one JSON object")
    .action(async (options: { json?: boolean }) => {
      const { doctorCommand } = await import("./cli/doctor.ts");
      process.exitCode = await doctorCommand(await environment(), options.json === true);
    });
  svc
    .command("completion")
    .description("Print the completions for a shell.")
    .argument("<shell>", "bash, zsh or fish")
    .action(async (shell: string) => {
      const { completionScript } = await import("./cli/completion.ts");
      process.stdout.write(await completionScript(shell, svc));
    });
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

const NEXT: Readonly<Record<string, string>> = {
  unauthenticated: " Log in with svc login URL, or set SVC_TOKEN.",
};

function failed(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const machine = systemFailure(error);
  if (machine !== undefined) {
    process.stderr.write(`svc: ${machine}\n`);
    return 2;
  }
  const { code, reason, message, details, stack } = Object(error) as Partial<AppError>;
  const names = (details?.names ?? []).map((name) => ` ${JSON.stringify(name)}`).join("");
  const usage = error instanceof Error && error.name === "UsageError";
  const own = usage || error instanceof ConfigError || (error instanceof Error && error.name === "AppError");
  const trace = own || stack === undefined ? "" : `${stack}\n`;
  process.stderr.write(`svc: ${reason ?? message ?? String(error)}${names}${NEXT[code ?? ""] ?? ""}\n${trace}`);
  return usage ? 2 : 1;
}

/** The environment with the stored login in it, where there is one and nothing goes before it. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const { reached } = await import("./cli/environment.ts");
  return { ...reached(process.env) };
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("A number of seconds is needed.");
}

interface ListOptions {
  readonly toolset?: string;
  readonly chapters?: string;
  readonly shaped?: boolean;
  readonly scope?: string;
}

function listQuery(options: ListOptions): string {
  const query = new URLSearchParams();
  if (options.toolset) query.set("toolset", options.toolset);
  if (options.chapters) query.set("chapters", options.chapters);
  if (options.shaped) query.set("shaped", "1");
  if (options.scope) query.set("scope", options.scope);
  return query.toString();
}

if (import.meta.main) await main(process.argv.slice(2));
