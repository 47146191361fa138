import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { badRequest } from "../../chapters/errors.ts";
import type { NamedAgent } from "./options.ts";

/** Throws AppError when an agent's program cannot be started from here: told before any work, not after it. */
export function requireCommands(agents: readonly NamedAgent[]): void {
  const missing = agents.filter(({ command }) => !runnable(command[0] ?? ""));
  if (missing.length === 0) return;
  throw badRequest("The program of an agent is not found, or may not be run.", {
    names: missing.map(({ command }) => command[0] ?? ""),
  });
}

function runnable(program: string): boolean {
  if (program.includes("/")) return mayRun(resolve(program));
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => mayRun(join(folder, program)));
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
