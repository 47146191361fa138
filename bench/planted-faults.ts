import type { EndCause, RootCause } from "../chapters/records/runs/runs.ts";
import { finishTrial } from "../chapters/runs/play/finish-trial.ts";
import type { JsonObject } from "../worlds/json.ts";
import { withStart } from "../worlds/starts.ts";
import { callable } from "../worlds/tasks/callable.ts";
import { type GradeEnv, grade } from "../worlds/tasks/grading/grade.ts";
import { collaterals, mutatedScripts } from "../worlds/tasks/grading/mutants.ts";
import {
  lastText,
  playLoosely,
  playVariant,
  references,
  reviewKit,
  sameOutcome,
  saying,
} from "../worlds/tasks/grading/variation.ts";
import { elsewhere, NOTHING, partial, REFUSAL } from "../worlds/tasks/grading/wrong-ways.ts";
import type { Kit } from "../worlds/tasks/kit.ts";
import { random } from "../worlds/tasks/random.ts";
import type { FinishedTrial, Script, Task } from "../worlds/tasks/schema.ts";
import { ScriptError } from "../worlds/tasks/script.ts";

/** A fault that was put into a trial, and its name. */
interface Planted {
  readonly kind: string;
  readonly name: RootCause;
  readonly trial: FinishedTrial;
  readonly cause?: EndCause;
}

/** How many trials of a kind a task is given. */
const FEW = 3;
const MANY = 12;
const DONE = "Done.";

/** Faults of every kind that can be put into trials of a task, each with what it has to be called. The same task gives the same. */
function plantedIn(task: Task, env: GradeEnv, others: readonly Task[]): Planted[] {
  const kit = reviewKit(env);
  const rng = random(`faults ${task.id}`);
  const rights = referencesOf(kit, task);
  if (rights === undefined) return [];
  const [right] = rights;
  const { script } = task;
  const out: Planted[] = [];
  const put = (kind: string, name: RootCause, trial: FinishedTrial | undefined, cause?: EndCause) => {
    if (trial && !sameOutcome(task, trial, rights)) out.push({ kind, name, trial, ...(cause && { cause }) });
  };
  const said = (trial: Pick<FinishedTrial, "calls" | "diff">, text: string, cls?: Script["class"]) => ({
    calls: trial.calls,
    diff: trial.diff,
    answers: saying(task, text, cls),
  });
  const none = { calls: [], diff: [] };
  const changes = right.calls.some(({ changed }) => changed);
  put("silent", "stopped_early", { ...none, answers: [] });
  if (script.class !== "refused") put("refuses", "over_refusal", said(none, REFUSAL, "refused"));
  if (script.class !== "said_no_data") put("says no data", "false_no_data", said(none, NOTHING, "said_no_data"));
  if (script.class === "answered") put("claims it is done", "missing_call", said(none, DONE, "answered"));
  const [final, ...earlier] = script.calls.toReversed().map((call) => JSON.stringify(call));
  const isNeeded = final !== undefined && !earlier.includes(final);
  if (script.class === "answered" && script.calls.length > 1 && isNeeded) {
    const last = partial(kit, task).find(({ detail }) => /^[^-]*, -$/.test(detail));
    if (last) put("last call left out", "missing_call", said(last.trial, DONE, "answered"));
    if (last) put("asks whether to go on", "stopped_early", said(last.trial, "Shall I go on?"));
  }
  if (script.class === "answered" && !changes)
    put("invents a figure", "invented_value", said(right, "It is 98765.43.", "answered"));
  for (const check of task.checks)
    if (check.kind === "answer_excludes" && check.facts[0])
      put(
        "pads the answer",
        "padded_answer",
        said(right, `${lastText(right)} ${check.facts[0].value}`, right.answers.at(-1)?.class),
      );
  for (const { trial } of collaterals(kit, task, rights, rng).slice(0, FEW)) put("writes more", "extra_write", trial);
  for (const trial of wrongArguments(kit, task, rights)) put("another argument", "wrong_argument", trial);
  for (const { detail, trial } of elsewhere(kit, task, rights, rng, { unrelated: 0, rows: 2, others: 0 })) {
    if (trial.calls.some((c) => c.is_error)) continue;
    const [key = "", other = ""] = detail.split(": ");
    const isRead = wasRead(trial, other) || !wasRead(right, key);
    if (isRead) put("another row", "wrong_argument", trial);
    else put("another row, unread", "unverified_write", trial);
  }
  for (const trial of unread(kit, task, right)) put("another row, unread", "unverified_write", trial);
  if (isNeeded) put("error ignored", "tool_error_unhandled", ignored(kit, task, right));
  for (const trial of wrongTools(kit, task, right, others)) put("another tool", "wrong_tool", trial);
  put("forbidden act", "policy_breach", forbidden(task, right));
  const [first] = right.calls;
  if (first) {
    const again = Array.from({ length: MANY }, () => first);
    put("loops", "loop", said({ calls: [...right.calls.slice(0, -1), ...again], diff: [] }, ""));
    put("loops", "loop", said({ calls: again, diff: [] }, ""), "flood");
    const tools = [...callable(kit, others)].flatMap(([tool, all]) => all.map((args) => ({ tool, args })));
    const calls = Array.from({ length: MANY }, (_, i) => ({ ...first, ...tools[i % tools.length], args: { n: i } }));
    put("floods", "flood", { calls, answers: [], diff: [] }, "flood");
  }
  return out;
}

function referencesOf(kit: Kit, task: Task) {
  try {
    return references(kit, task);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return undefined;
  }
}

/** The script with another value of one argument that is no key of a row, where no call is refused. */
function wrongArguments(kit: Kit, task: Task, rights: readonly FinishedTrial[]): FinishedTrial[] {
  if (task.script.class !== "answered") return [];
  const keys = new Set([...kit.anchors.values()].flatMap((rows) => rows.map(({ key }) => key)));
  const isKey = (call: Script["calls"][number]) =>
    Object.values(call.args)
      .filter((v) => keys.has(String(v)))
      .map(String);
  return mutatedScripts(kit, task, random(`arguments ${task.id}`))
    .filter(({ name }) => name === "another argument")
    .filter(({ calls }) => calls.flatMap(isKey).join() === task.script.calls.flatMap(isKey).join())
    .map(({ calls }) => playVariant(kit, task, calls))
    .filter((trial) => trial.calls.length === rights[0]?.calls.length && trial.calls.every((c) => !c.is_error))
    .slice(0, FEW);
}

/** Whether a reading named or showed a row, where anything was read before a change. */
function wasRead(trial: FinishedTrial, key: string): boolean {
  const reads = readFirst(trial).map(({ args, answer }) => [args, answer]);
  return reads.length === 0 || JSON.stringify(reads).includes(JSON.stringify(key).slice(1, -1));
}

/** The calls before the first change. */
function readFirst({ calls }: FinishedTrial): FinishedTrial["calls"] {
  const write = calls.findIndex(({ changed }) => changed);
  return write < 0 ? calls : calls.slice(0, write);
}

/** The script's changes alone, made to another row than the one that the script reads first. */
function unread(kit: Kit, task: Task, right: FinishedTrial): FinishedTrial[] {
  const writes = right.calls.filter(({ changed }) => changed);
  const reads = readFirst(right);
  if (task.script.class !== "answered" || writes.length !== 1 || reads.length === 0) return [];
  const [write] = writes;
  const out: FinishedTrial[] = [];
  for (const rows of kit.anchors.values())
    for (const [name, value] of Object.entries(write?.args ?? {})) {
      if (typeof value !== "string" || !rows.some(({ key }) => key === value)) continue;
      if (!reads.some(({ args }) => Object.values(args).includes(value))) continue;
      for (const { key } of rows.filter((row) => row.key !== value).slice(0, MANY)) {
        const world = kit.fork();
        const calls = playLoosely(world, [{ tool: write?.tool ?? "", args: { ...write?.args, [name]: key } }]);
        if (calls[0]?.changed) out.push({ calls, answers: right.answers, diff: world.diff() });
      }
    }
  return out.slice(0, FEW);
}

/** The last call refused as busy, and the answer as if it had been carried out. */
function ignored(kit: Kit, task: Task, right: FinishedTrial): FinishedTrial | undefined {
  const last = right.calls.at(-1);
  if (last === undefined || task.script.class === "none") return undefined;
  const error = { ...last, answer: { error: "busy" }, answer_class: "error:busy", is_error: true, changed: false };
  const world = kit.fork();
  const before = playLoosely(
    world,
    right.calls.slice(0, -1).map(({ tool, args }) => ({ tool, args })),
  );
  return { calls: [...before, error], answers: saying(task, DONE, "answered"), diff: world.diff() };
}

/** In the place of every call one of a tool that the script does not use: of the same row where the script changes one. */
function wrongTools(kit: Kit, task: Task, right: FinishedTrial, others: readonly Task[]): FinishedTrial[] {
  if (task.script.class !== "answered") return [];
  const used = new Set(task.script.calls.map(({ tool }) => tool));
  const write = right.calls.find(({ changed }) => changed);
  const out: FinishedTrial[] = [];
  for (const [tool, calls] of callable(kit, others)) {
    if (used.has(tool)) continue;
    for (const args of write ? calls.flatMap((one) => ofSameRow(kit, one, write)) : calls) {
      const world = kit.fork();
      const [made] = playLoosely(world, [{ tool, args }]);
      if (!made || made.is_error || made.changed !== (write !== undefined)) continue;
      out.push({ calls: [made], answers: saying(task, DONE, "answered"), diff: world.diff() });
      break;
    }
  }
  return out.slice(0, FEW);
}

/** A call's arguments with the row of another call in the place of its own of that table. */
function ofSameRow(kit: Kit, args: JsonObject, other: FinishedTrial["calls"][number]): JsonObject[] {
  const out: JsonObject[] = [];
  for (const rows of kit.anchors.values()) {
    const keys = new Set<unknown>(rows.map(({ key }) => key));
    const wanted = Object.values(other.args).find((value) => keys.has(value));
    const name = Object.keys(args).find((one) => keys.has(args[one]));
    if (typeof wanted === "string" && name !== undefined) out.push({ ...args, [name]: wanted });
  }
  return out;
}

/** What has to be refused, done all the same: the last call of the script as if it had been carried out. */
function forbidden(task: Task, right: FinishedTrial): FinishedTrial | undefined {
  const last = right.calls.at(-1);
  if (task.script.class !== "refused" || !last?.is_error) return undefined;
  const key = Object.values(last.args).find((value) => typeof value === "string") ?? "1";
  const done = { ...last, answer: { ok: true }, answer_class: "data", is_error: false, changed: true };
  const change = { table: "changed", key: String(key), before: { status: "before" }, after: { status: "after" } };
  return { calls: [...right.calls.slice(0, -1), done], answers: saying(task, DONE, "answered"), diff: [change] };
}

/** How the faults that were planted in tasks were named, by kind and family. */
export class RootCauses {
  private readonly cells = new Map<string, Map<string, Cell>>();
  private readonly misnamed = new Map<string, number>();

  /** Plants faults in trials of these tasks, and says how many got a right name. What does not fail a task is no fault. */
  add(tasks: readonly Task[], drawn: GradeEnv): string {
    const before = this.#sum();
    for (const task of tasks) {
      const env = withStart(drawn, task);
      for (const planted of plantedIn(task, env, tasks)) {
        const { trial, cause } = planted;
        if (cause === undefined && grade(task, trial, env).end !== "failed") continue;
        this.#count(task.family, planted, finishTrial(task, env, { trial, ms: 0, log: "", ...(cause && { cause }) }));
      }
    }
    const after = this.#sum();
    return `root causes right ${after.right - before.right}/${after.planted - before.planted}`;
  }

  #count(family: string, { kind, name }: Planted, { root_cause }: { readonly root_cause: string | null }): void {
    const row = this.cells.get(kind) ?? new Map<string, Cell>();
    this.cells.set(kind, row);
    const cell = row.get(family) ?? { planted: 0, right: 0 };
    row.set(family, cell);
    cell.planted += 1;
    if (root_cause === name) cell.right += 1;
    else {
      const told = `${kind} in ${family}: ${root_cause}, not ${name}`;
      this.misnamed.set(told, (this.misnamed.get(told) ?? 0) + 1);
    }
  }

  #sum(of: (kind: string, family: string) => boolean = () => true): Cell {
    const sum = { planted: 0, right: 0 };
    for (const [kind, row] of this.cells)
      for (const [family, cell] of row) {
        if (!of(kind, family)) continue;
        sum.planted += cell.planted;
        sum.right += cell.right;
      }
    return sum;
  }

  /** A table of kinds by families, each cell how many of the faults got a right name; then the others and what they got. */
  lines(): string[] {
    const families = [...new Set([...this.cells.values()].flatMap((row) => [...row.keys()]))].sort();
    const line = (name: string, cells: readonly Cell[]) =>
      [
        name.padEnd(22),
        ...cells.map(({ right, planted }) => (planted ? `${right}/${planted}` : "-").padStart(14)),
      ].join("");
    return [
      ["root causes".padEnd(22), ...[...families, "all"].map((family) => family.padStart(14))].join(""),
      ...[...this.cells.keys()].map((kind) =>
        line(kind, [
          ...families.map((family) => this.#sum((k, f) => k === kind && f === family)),
          this.#sum((k) => k === kind),
        ]),
      ),
      line("all", [...families.map((family) => this.#sum((_, f) => f === family)), this.#sum()]),
      ...[...this.misnamed].sort((a, b) => b[1] - a[1]).map(([told, n]) => `  ${n} ${told}`),
    ];
  }
}

/** How many faults were planted, and how many of them got a right name. */
interface Cell {
  planted: number;
  right: number;
}
