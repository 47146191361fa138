import { Command, Option } from "commander";
import { dollars } from "../evaluate/options.ts";

/** What a measurement is asked for; every list holds files or folders. */
export interface FidelityOptions {
  readonly train: readonly string[];
  readonly test: readonly string[];
  readonly records: readonly string[];
  readonly tools: string | undefined;
  readonly sessions: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
  /** The model that is asked for programs of tools that are answered badly; none where absent. */
  readonly model: string | undefined;
  readonly usdCap: number | undefined;
  readonly dataDir: string | undefined;
}

const HELP = `
Compiles a world from the traces of --train, replays every trace of --test in its order on a fresh copy, and compares each
answer with the observed one; beside it, what a plain recording of --train would have answered.

A row of --sessions is {"setup_calls": [{"tool", "args"}], "probe_calls": [{"tool", "args", "result"}]}: the setup calls
are made and not scored, the probe calls are. A probe call may say "is_error"; where it does not, its result is compared by
what it says.

With --model, that model is shown some of the training traces and asked for programs of the tools that the world answers
badly; what replay bears out is compiled in, and told on standard error. It spends the budget of the data folder's
workspace, where the cost is written down. --out also gets a file beside it, named .asked.json, with every exchange.
`;

/** Reads the command line. Throws CommanderError, after telling what is wrong on standard error. */
export function readOptions(args: readonly string[]): FidelityOptions {
  const command = new Command("svc fidelity")
    .exitOverride()
    .allowExcessArguments(false)
    .requiredOption("--train <files...>", "traces to compile from, in any format")
    .option("--test <files...>", "traces to replay")
    .option("--records <files...>", "a database export that completes the first state: JSON tables, or CSV")
    .option("--tools <file>", "the tools listing")
    .option("--sessions <file>", "JSON lines of sessions to replay instead of --test")
    .option("--out <file>", "one JSON line per replayed call")
    .option("--model <name>", "a model of SVC_MODELS to ask for programs of tools that are answered badly")
    .addOption(new Option("--usd-cap <dollars>", "what that model may cost at most").argParser(dollars))
    .option("--data <folder>", "the data folder whose budget it spends (SVC_DATA_DIR)")
    .option("--json", "print the counts as one JSON object", false)
    .addHelpText("after", HELP);
  command.parse([...args], { from: "user" });
  const given = command.opts<Partial<FidelityOptions> & { json: boolean; data?: string }>();
  const { train = [], test = [], records = [], tools, sessions, out, json, model, usdCap, data } = given;
  if (test.length === 0 && sessions === undefined)
    command.error("error: one of '--test <files...>' and '--sessions <file>' is needed");
  if (test.length > 0 && sessions !== undefined)
    command.error("error: '--sessions <file>' replays instead of '--test <files...>': give one of them");
  return { train, test, records, tools, sessions, out, json, model, usdCap, dataDir: data };
}
