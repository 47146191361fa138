import { Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_TIMEOUT_S } from "../../chapters/fields.ts";

/** An agent named on the command line. */
export interface NamedAgent {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What an evaluation is asked for. */
export interface EvaluateOptions {
  /** Trace files; none means the sample that comes with the package. */
  readonly files: readonly string[];
  readonly surface: string | undefined;
  readonly agents: readonly NamedAgent[];
  readonly trials: number;
  readonly timeoutSeconds: number;
  /** The model that is asked for programs of tools that are answered badly; none where absent. */
  readonly model: string | undefined;
  readonly usdCap: number | undefined;
  readonly dataDir: string | undefined;
  readonly outDir: string;
  readonly json: boolean;
}

const HELP = `
Reads trace files (tau-bench, tau2, OpenAI or Anthropic messages, OpenTelemetry and more), tool listings and database
exports; compiles a fake world from them; writes and reviews tasks; runs agents on them in trials; compares.

Without files it evaluates the order desk, a sample with an agent in two versions, one of them with a planted fault.

The headline warns where the world answers fewer held-out calls as observed than a plain recording would, where it
answers fewer than half of them, where a tool is mostly answered wrong, and where the harness "rule" meets all tasks.

Exit status: 0 when it came to an end; 1 when the files hold no traces; 2 when the command line is wrong or no file can
be used; 3 when the world is below its recording or answers fewer than half of the held-out calls, when no task could be
written, and when an agent ended at once in every trial: the warning says why, and what would help.

With --model, that model is asked for programs of the tools that the world answers badly; what replay of the sessions
bears out is taken, and told with what it cost. Without it no model is asked for any.

Agents are commands: --agent "old=node old.js" --agent "new=node new.js". Of two, the second is compared with the first.
`;

/** Reads the command line. Throws CommanderError, after telling what is wrong on standard error. */
export function readOptions(args: readonly string[]): EvaluateOptions {
  const command = new Command("svc evaluate")
    .exitOverride()
    .argument("[files...]", "trace files, tool listings, database exports")
    .option("--surface <name>", "the name of the system the traces are of; the first file's folder when absent")
    .option(
      "--agent <name=command>",
      "an agent to run; may be given several times",
      (text, all: NamedAgent[]) => [...all, namedAgent(text)],
      [] as NamedAgent[],
    )
    .addOption(new Option("--trials <n>", "tries per task").default(1).argParser(whole(1, 20)))
    .addOption(
      new Option("--timeout <seconds>", "time limit of a trial").default(DEFAULT_TIMEOUT_S).argParser(whole(1, 3600)),
    )
    .option("--model <name>", "a model of SVC_MODELS to ask for programs of tools that are answered badly")
    .addOption(
      new Option(
        "--usd-cap <dollars>",
        "what that model may cost at most; the workspace's budget bounds it too",
      ).argParser(dollars),
    )
    .option("--data <folder>", "the data folder (SVC_DATA_DIR)")
    .option("--out <folder>", "where the page goes", "out")
    .option("--json", "print the report as one JSON object", false)
    .addHelpText("after", HELP);
  command.parse([...args], { from: "user" });
  const options = command.opts<{
    surface?: string;
    agent: NamedAgent[];
    trials: number;
    timeout: number;
    model?: string;
    usdCap?: number;
    data?: string;
    out: string;
    json: boolean;
  }>();
  return {
    files: command.args,
    surface: options.surface,
    agents: options.agent,
    trials: options.trials,
    timeoutSeconds: options.timeout,
    model: options.model,
    usdCap: options.usdCap,
    dataDir: options.data,
    outDir: options.out,
    json: options.json,
  };
}

/** `name=command with "quoted words"`: words are split at blanks outside quotes; no shell is involved. */
function namedAgent(text: string): NamedAgent {
  const [, name, line] = /^([^=\s]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || line === undefined) throw new InvalidArgumentError("An agent is written name=command.");
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  if (words.length === 0) throw new InvalidArgumentError("An agent's command is empty.");
  return { name, command: words };
}

/** An amount of US dollars. */
export function dollars(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("An amount of dollars from 0 is needed.");
}

function whole(from: number, to: number) {
  return (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`A whole number from ${from} to ${to} is needed.`);
  };
}
