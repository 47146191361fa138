import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import ora from "ora";

/** Prints one JSON value: all that standard output holds under `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints lines of an answer on standard output. */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** Says something to the person, on standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Whether a line may be written again in its place. A terminal that nobody has sized says 0 columns: no line has an end there. */
export function isLive({ isTTY, columns }: Pick<NodeJS.WriteStream, "isTTY" | "columns">): boolean {
  return isTTY === true && columns > 0;
}

/** Long work as it goes on: shown on a terminal's standard error and nowhere else. */
export interface Progress {
  tell(text: string): void;
  /** Takes the line away. */
  end(): void;
}

/** Begins to show progress. */
export function progress(text: string): Progress {
  const spinner = ora({ stream: process.stderr, discardStdin: false, isSilent: !isLive(process.stderr) }).start(text);
  return {
    tell: (next) => {
      spinner.text = next;
    },
    end: () => void spinner.stop(),
  };
}

/** Writes a file that a person named, and makes the folders above it. */
export function writeOut(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
