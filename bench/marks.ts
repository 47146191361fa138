import { existsSync, readFileSync } from "node:fs";
import { describeCheck } from "../chapters/sandboxes/tasks/checks.ts";
import { digestOf } from "../worlds/digest.ts";
import type { Task } from "../worlds/tasks/schema.ts";

/** So many tasks of a service are read. */
const READ = 30;
/** Marks that somebody gave after reading, by the digest of words and checks: usable, or the cause why not. No words are kept. */
const FILE = new URL("./marks.json", import.meta.url);

/** What a mark is of: who changes the words or the checks of a task has it read again. */
export function markOf({ request, turns, checks }: Pick<Task, "request" | "turns" | "checks">): string {
  return digestOf([request, turns, checks]).slice(0, 20);
}

/** The tasks of a set that are read: drawn by digest, so that neither their order nor what becomes of the others decides it. */
export function toRead(tasks: readonly Task[]): Task[] {
  const byDigest = new Map(tasks.map((task) => [task, markOf(task)]));
  return tasks.toSorted((a, b) => (byDigest.get(a)! < byDigest.get(b)! ? -1 : 1)).slice(0, READ);
}

/** The share of the tasks read that a reader marked usable; one without a mark counts as not usable. */
export function usable(tasks: readonly Task[], marks = readMarks()): string {
  const read = toRead(tasks).map((task) => marks[markOf(task)]);
  const unread = read.filter((mark) => mark === undefined).length;
  return `usable ${read.filter((mark) => mark === "usable").length}/${read.length}, of which ${unread} have not been read`;
}

/** What a reader sees of each task that is read: its mark, its words, what the user knows, its script and its checks. */
export function printForReader(tasks: readonly Task[], marks = readMarks()): string {
  const json = (items: readonly unknown[]) => items.map((item) => `    ${JSON.stringify(item)}`);
  return toRead(tasks)
    .map((task) => {
      const mark = markOf(task);
      return [
        `${mark} ${marks[mark] ?? "not read"}; ${task.family}`,
        `  request: ${task.request}`,
        ...task.turns.map((turn) => `  turn: ${JSON.stringify(turn)}`),
        ...(task.user ? [`  user: ${JSON.stringify(task.user)}`] : []),
        "  script:",
        ...json(task.script.calls),
        `  answer: ${task.script.answer}`,
        "  checks:",
        ...task.checks.flatMap((check) => [...json([check]), `      ${describeCheck(check, task)}`]),
      ].join("\n");
    })
    .join("\n\n");
}

function readMarks(): Readonly<Record<string, string>> {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {};
}
