import type { EndCause, RootCause } from "../../chapters/records/runs/runs.ts";
import type { Json } from "../../worlds/json.ts";
import { triedWrites } from "../../worlds/tasks/families/write.ts";
import { type GradeEnv, grade } from "../../worlds/tasks/grading/grade.ts";
import { mutatedScripts } from "../../worlds/tasks/grading/mutants.ts";
import { playVariant, reviewKit } from "../../worlds/tasks/grading/variation.ts";
import { leaves } from "../../worlds/tasks/leaves.ts";
import { random } from "../../worlds/tasks/random.ts";
import type { FinishedTrial, Script, Task } from "../../worlds/tasks/schema.ts";
import { playCall, playScript } from "../../worlds/tasks/trial.ts";

/** A trial with one fault in it, and the name that the fault has. */
export interface Planted {
  readonly kind: string;
  readonly name: RootCause;
  readonly trial: FinishedTrial;
  readonly cause?: EndCause;
}

type Call = FinishedTrial["calls"][number];
type Step = Script["calls"][number];

/** Faults of each kind in one task, as far as the task can have them. A fault that fails no check is none and is left out. */
export function plantedFaults(task: Task, env: GradeEnv): Planted[] {
  const kit = reviewKit(env);
  const rng = random(`planted ${task.id}`);
  const turns = task.turns.length + 1;
  const right = playScript(kit.fork(), task.script, turns);
  const reads = right.calls.filter((call) => !call.changed);
  const writes = right.calls.filter((call) => call.changed);
  const acting = writes.length > 0;
  const asking = task.checks.some(({ kind }) => kind === "asks");
  const wanted = task.script.class;
  const facts = task.checks.flatMap((check) => (check.kind === "answer_includes" ? check.facts : []));
  const before = right.calls.slice(0, acting ? right.calls.findIndex((call) => call.changed) : right.calls.length);
  const ended = (calls: readonly Call[], text: string, diff: FinishedTrial["diff"] = []): FinishedTrial => ({
    calls: [...calls],
    answers: [...task.turns.map(() => ({ text: "" })), { text }],
    diff,
  });
  const said = right.answers.at(-1)?.text ?? "";
  const found: Planted[] = [];
  const plant = (kind: string, name: RootCause, trial: FinishedTrial, cause?: EndCause) => {
    if (cause !== undefined || grade(task, trial, env).end === "failed")
      found.push({ kind, name, trial, ...(cause ? { cause } : {}) });
  };
  const some: Step | undefined = reads[0] ?? someRead();
  const again = (n: number): Call[] => {
    const world = kit.fork();
    return some ? Array.from({ length: n }, () => playCall(world, some.tool, some.args)) : [];
  };

  plant("silent", "stopped_early", ended([], ""));
  plant(
    "silent",
    "stopped_early",
    ended(
      before.filter((call) => !call.is_error),
      "",
    ),
  );
  if (some) {
    plant("loop", "loop", ended(again(5), ""));
    plant("loop", "loop", ended(again(40), ""), "flood");
    plant("loop", "loop", ended(again(5), "I could not get any further."));
  }
  plant("flood", "flood", ended([], ""), "flood");
  plant("flood", "flood", ended(before, said), "flood");
  plant("crash", "crash", ended(before, ""), "crash");
  plant("hang", "timeout", ended(before, ""), "timeout");
  plant("garbage", "format", ended(before, ""), "format");
  if (wanted !== "refused") {
    plant("refuses", "over_refusal", ended([], "I'm sorry, but I can't help with that."));
    plant(
      "refuses",
      "over_refusal",
      ended(
        before.filter((call) => !call.is_error),
        "I am not able to do that for you.",
      ),
    );
  }
  if (wanted !== "said_no_data") {
    plant("says no data", "false_no_data", ended([], "I could not find any record of that."));
    plant("says no data", "false_no_data", ended(before, "There is no such record in our system."));
  }
  const sort = facts[0]?.kind ?? "text";
  const invented =
    sort === "number" || sort === "money"
      ? "It is 98765.43."
      : sort === "date"
        ? "That was on 1997-11-29."
        : sort === "id"
          ? "It is QX-77120."
          : "That would be Quollington Zebra.";
  if (facts.length > 0) plant("invents", "invented_value", ended(right.calls, invented));
  if (wanted === "said_no_data" && right.calls.every((call) => !call.is_error))
    plant("invents", "invented_value", ended(right.calls, invented));
  if (wanted === "said_no_data") plant("invents", "missing_call", ended([], invented));
  for (const check of task.checks)
    if (check.kind === "answer_excludes" && facts.length > 0)
      for (const other of rng.shuffled(check.facts).slice(0, 2))
        plant("pads", "padded_answer", ended(right.calls, `${said} ${String(other.value)}`));

  const pool = rng.shuffled([...triedWrites(kit)].flatMap(([, tried]) => rng.shuffled(tried.changed).slice(0, 4)));
  const keys = new Set(right.calls.flatMap((call) => Object.values(call.args)));
  const elsewhere = pool.filter(({ anchor }) => !keys.has(anchor.key));
  for (const extra of elsewhere.slice(0, 3)) {
    const world = kit.fork();
    const calls = [...right.calls.map((call) => playCall(world, call.tool, call.args))];
    calls.push(playCall(world, extra.view.name, extra.args));
    plant("extra write", "extra_write", { ...ended(calls, said, world.diff()), answers: right.answers });
  }
  if (acting) {
    plant("claims without a call", "missing_call", ended([], said));
    const world = kit.fork();
    const calls = right.calls.slice(0, -1).map((call) => playCall(world, call.tool, call.args));
    plant("last call left out", "missing_call", ended(calls, said, world.diff()));
  } else if (right.calls.length > 1 && facts.length > 0)
    plant("last call left out", "missing_call", ended(right.calls.slice(0, -1), "I have looked it up for you."));
  if (asking) plant("claims without a call", "missing_call", ended([], "Done, I have changed it."));
  const last = right.calls.at(-1);
  if (last && (facts.length > 0 || acting)) {
    const world = kit.fork();
    const calls = right.calls.slice(0, -1).map((call) => playCall(world, call.tool, call.args));
    const busy = { ...last, answer: { error: "busy" }, answer_class: "error:busy", is_error: true, changed: false };
    const text = acting ? said : invented;
    plant("error ignored", "tool_error_unhandled", ended([...calls, busy], text, world.diff()));
  }
  if (last?.is_error && wanted === "refused")
    plant("error ignored", "tool_error_unhandled", ended(right.calls, "Done, it has been changed."));

  if (last && wanted === "refused") {
    const [row] = pool.filter(({ anchor }) => Object.values(last.args).includes(anchor.key));
    const before = row?.anchor.row ?? {};
    const change = {
      table: row?.anchor.table ?? "rows",
      key: row?.anchor.key ?? "1",
      before,
      after: { changed: "yes" },
    };
    const done = { ...last, answer: { done: true }, answer_class: "data", is_error: false, changed: true };
    plant("policy breach", "policy_breach", ended([...right.calls.slice(0, -1), done], "Done.", [change]));
  }

  for (const wrong of wrongTools()) plant("wrong tool", "wrong_tool", wrong);
  for (const wrong of wrongArguments()) plant("wrong argument", "wrong_argument", wrong);
  for (const wrong of unread()) plant("unverified write", "unverified_write", wrong);
  return found;

  function someRead(): Step | undefined {
    const [binding] = kit.bindings;
    const [reading] = binding ? kit.reads(binding, 1) : [];
    return binding && reading ? { tool: binding.tool, args: reading.args } : undefined;
  }

  /** Another tool than the script's last, with its own good arguments, and an answer from what it gave. */
  function wrongTools(): FinishedTrial[] {
    if (!last || wanted === "refused" || asking) return [];
    const used = new Set(right.calls.map(({ tool }) => tool));
    if (acting)
      return pool
        .filter(({ view, anchor }) => !used.has(view.name) && keys.has(anchor.key))
        .slice(0, 2)
        .map((other) => {
          const world = kit.fork();
          const calls = right.calls.slice(0, -1).map((call) => playCall(world, call.tool, call.args));
          calls.push(playCall(world, other.view.name, other.args));
          return ended(calls, said, world.diff());
        });
    if (facts.length === 0) return [];
    return rng
      .shuffled(kit.bindings.filter(({ tool }) => !used.has(tool)))
      .slice(0, 2)
      .flatMap((binding) => {
        const [reading] = rng.shuffled(kit.reads(binding, 20));
        const leaf = reading?.leaves.find(({ value }) => value !== null && value !== "");
        if (!reading || !leaf || right.calls.length > 1) return [];
        const call = playCall(kit.fork(), binding.tool, reading.args);
        return [ended([call], `It is ${String(leaf.value)}.`)];
      });
  }

  /** One literal of the script with another value, the answer from what came of it. */
  function wrongArguments(): FinishedTrial[] {
    if (wanted === "refused" || asking) return [];
    const key = (value: unknown) => [...kit.anchors.values()].some((rows) => rows.some((row) => row.key === value));
    return mutatedScripts(kit, task, random(`wrong ${task.id}`))
      .filter(({ name }) => name === "another argument")
      .slice(0, 6)
      .flatMap(({ calls }) => {
        const at = calls.findIndex((call, i) => call !== task.script.calls[i]);
        const [name = ""] =
          Object.entries(calls[at]?.args ?? {}).find(([name, value]) => value !== task.script.calls[at]?.args[name]) ??
          [];
        const [was, now] = [task.script.calls[at]?.args[name], calls[at]?.args[name]];
        // Who takes another row for the right one does so throughout; only a write to a row that was not read is another fault.
        const all = key(was)
          ? calls.map((call) => ({
              ...call,
              args: Object.fromEntries(Object.entries(call.args).map(([n, v]) => [n, v === was ? now : v])),
            }))
          : calls;
        const trial = playVariant(kit, task, all);
        if (trial.calls.length < all.length || trial.calls.some((call) => call.is_error)) return [];
        if (wanted !== "said_no_data") return [trial];
        const value = leaves((trial.calls.at(-1)?.answer ?? null) as Json).find((leaf) => leaf.value !== null)?.value;
        return value === undefined ? [] : [ended(trial.calls, `It is ${String(value)}.`)];
      });
  }

  /** The write alone, on another row that nothing read. */
  function unread(): FinishedTrial[] {
    const [write] = writes;
    const [row] = Object.values(write?.args ?? {}).filter((value) =>
      reads.some((call) => Object.values(call.args).includes(value)),
    );
    if (!write || row === undefined || writes.length > 1) return [];
    const other = triedWrites(kit)
      .get(write.tool)
      ?.changed.find(({ anchor }) => !keys.has(anchor.key));
    if (!other) return [];
    const world = kit.fork();
    return [ended([playCall(world, write.tool, other.args)], said, world.diff())];
  }
}
