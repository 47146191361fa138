import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Grade, grade } from "../../worlds/tasks/grading/grade.ts";
import type { FinishedTrial, Task } from "../../worlds/tasks/schema.ts";
import { playCall } from "../../worlds/tasks/trial.ts";
import { createWorld } from "../../worlds/world.ts";
import { type DrawnWorld, journalOf, type MadeCall } from "./journal.ts";

/** What is known of a trial: which calls were made and what was said. What they answered and changed is played anew. */
interface Captured {
  readonly calls: readonly MadeCall[];
  readonly answers: FinishedTrial["answers"];
}

/** Where a finished trial left what decides it. */
interface TrialPaths {
  readonly tests: string;
  readonly logs: string;
  readonly journal: string;
  readonly app: string;
}

/** Decides the trial of an exported task: writes the verdict and, where there is one, the reward. Ends with 3 where there is none. */
export function verify([
  tests = "/tests",
  logs = "/logs",
  journal = "/var/lib/world/calls.jsonl",
  app = "/app",
]: readonly string[]): void {
  // The benchmark reads reward.json before reward.txt: what stands there already was not written by a verifier.
  for (const name of ["reward.json", "reward.txt"])
    rmSync(join(logs, "verifier", name), { recursive: true, force: true });
  const graded = decide({ tests, logs, journal, app });
  mkdirSync(join(logs, "verifier"), { recursive: true });
  writeFileSync(join(logs, "verifier", "verdict.json"), `${JSON.stringify(graded, null, 1)}\n`);
  if (graded.end === "invalid") {
    console.error(graded.cause);
    process.exitCode = 3;
  } else writeFileSync(join(logs, "verifier", "reward.txt"), graded.end === "met" ? "1\n" : "0\n");
}

function decide(trialPaths: TrialPaths): Grade {
  const { tests } = trialPaths;
  const task = readJson(join(tests, "task.json")) as Task;
  const { bundle, base, seed } = readJson(join(tests, "world.json")) as DrawnWorld;
  const captured = capture(trialPaths, task.turns.length + 1);
  if (typeof captured === "string") return { verdicts: [], end: "invalid", cause: `trial: ${captured}` };
  const world = createWorld(bundle, base, { seed });
  const calls = captured.calls.map(({ tool, args }) => playCall(world, tool, args));
  return grade(task, { calls, answers: captured.answers, diff: world.diff() }, { bundle, base, seed });
}

/** The trial by the world's own journal where it kept one, else by the agent's captured one; in words why there is none. */
function capture({ logs, journal, app }: TrialPaths, turns: number): Captured | string {
  const said = written(app, turns);
  const given = captured(logs);
  if (existsSync(journal)) {
    const artifacts = join(logs, "artifacts");
    mkdirSync(artifacts, { recursive: true });
    copyFileSync(journal, join(artifacts, "calls.jsonl"));
    const answers = said ?? (typeof given === "string" ? undefined : given.answers);
    return { calls: journalOf(journal), answers: answers ?? Array.from({ length: turns }, () => ({ text: "" })) };
  }
  return typeof given === "string" || said === undefined ? given : { ...given, answers: said };
}

/** What the agent wrote as its answers, one per turn: `answer.txt`, `answer-2.txt`; undefined where there is none. */
function written(app: string, turns: number): FinishedTrial["answers"] | undefined {
  const files = Array.from({ length: turns }, (_, i) => join(app, i === 0 ? "answer.txt" : `answer-${i + 1}.txt`));
  if (!files.some((file) => existsSync(file))) return undefined;
  return files.map((file) => ({ text: existsSync(file) ? readFileSync(file, "utf8").trim() : "" }));
}

/** `artifacts/trial.json` as far as it is believed: calls by name and arguments, and answers. */
function captured(logs: string): Captured | string {
  let value: unknown;
  try {
    value = readJson(join(logs, "artifacts", "trial.json"));
  } catch {
    return "neither the world's journal nor a readable artifacts/trial.json is there";
  }
  const { calls, answers } = ((value as { trial?: unknown } | null)?.trial ?? value ?? {}) as Partial<Captured>;
  const fits =
    Array.isArray(calls) &&
    Array.isArray(answers) &&
    calls.every((call) => typeof call?.tool === "string" && typeof call.args === "object" && call.args !== null) &&
    answers.every((answer) => typeof answer?.text === "string");
  return fits ? { calls, answers } : "it lacks calls or answers, or they are malformed";
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
