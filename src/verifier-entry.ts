import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Grade, grade } from "../worlds/tasks/grade.ts";
import type { FinishedTrial } from "../worlds/tasks/schema.ts";

// The verifier of an exported task: `node verifier-entry.js TESTS LOGS`. It runs alone, without the service.
const [, , tests = "/tests", logs = "/logs"] = process.argv;

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** A captured trial with what capture may leave out; undefined where it is none. */
function trialOf(given: unknown): FinishedTrial | undefined {
  const value = (given as { trial?: unknown } | null)?.trial ?? given;
  const { calls, answers, diff } = (value ?? {}) as Partial<Record<keyof FinishedTrial, unknown>>;
  if (!Array.isArray(calls) || !Array.isArray(answers) || !Array.isArray(diff)) return undefined;
  const fits =
    calls.every((call) => typeof call?.tool === "string" && typeof call.args === "object" && call.args !== null) &&
    answers.every((answer) => typeof answer?.text === "string") &&
    diff.every((change) => typeof change?.table === "string" && typeof change.key === "string");
  if (!fits) return undefined;
  const whole = calls.map((call) => ({
    ...call,
    answer: call.answer ?? null,
    is_error: call.is_error === true,
    answer_class: call.answer_class ?? (call.is_error === true ? "error:failed" : "data"),
    changed: call.changed === true,
  }));
  return { calls: whole, answers, diff } as FinishedTrial;
}

function decide(): Grade {
  let captured: unknown;
  try {
    captured = readJson(join(logs, "artifacts", "trial.json"));
  } catch {
    return { verdicts: [], end: "invalid", cause: "trial: there is no readable artifacts/trial.json" };
  }
  const trial = trialOf(captured);
  if (!trial)
    return { verdicts: [], end: "invalid", cause: "trial: it lacks calls, answers or diff, or they are malformed" };
  const task = readJson(join(tests, "task.json")) as Parameters<typeof grade>[0];
  const base = readJson(join(tests, "base.json")) as Parameters<typeof grade>[2]["base"];
  return grade(task, trial, { base } as Parameters<typeof grade>[2]);
}

const graded = decide();
mkdirSync(join(logs, "verifier"), { recursive: true });
writeFileSync(join(logs, "verifier", "verdict.json"), `${JSON.stringify(graded, null, 1)}\n`);
if (graded.end === "invalid") {
  console.error(graded.cause);
  process.exitCode = 3;
} else writeFileSync(join(logs, "verifier", "reward.txt"), graded.end === "met" ? "1\n" : "0\n");
