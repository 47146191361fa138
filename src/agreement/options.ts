import { Command } from "commander";

/** What a measurement is asked for; every list holds files or folders. */
export interface AgreementOptions {
  readonly train: readonly string[];
  readonly test: readonly string[];
  readonly records: readonly string[];
  readonly tools: string | undefined;
  readonly json: boolean;
}

const HELP = `
Compiles a world from the traces of --train and mines a task from each group of rewarded ones that carry the same task id:
where a rewarded run ended is where a trial may end. Every trace of --test with one of these task ids is replayed in its
order on a fresh fork and graded; the verdicts are compared with the rewards that the traces carry.
`;

/** Reads the command line. Throws CommanderError, after telling what is wrong on standard error. */
export function readOptions(args: readonly string[]): AgreementOptions {
  const command = new Command("svc agreement")
    .exitOverride()
    .allowExcessArguments(false)
    .requiredOption("--train <files...>", "traces with task ids and rewards to mine tasks from, in any format")
    .requiredOption("--test <files...>", "traces with task ids and rewards to grade")
    .option("--records <files...>", "a database export that completes the first state: JSON tables, or CSV")
    .option("--tools <file>", "the tools listing")
    .option("--json", "print the counts as one JSON object", false)
    .addHelpText("after", HELP);
  command.parse([...args], { from: "user" });
  const { train, test, records = [], tools, json } = command.opts<AgreementOptions & { records?: string[] }>();
  return { train, test, records, tools, json };
}
