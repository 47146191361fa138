import { MADE } from "../../compile/programs/records/tables.ts";
import { isObject, type Json, type JsonObject, type Scalar } from "../../json.ts";
import { keepsCallRules, ruleBreakers } from "../call-rules.ts";
import { asksForFacts } from "../checks/fact-checks.ts";
import { columnValues } from "../checks/others.ts";
import { triedWrites } from "../families/write.ts";
import type { Kit } from "../kit.ts";
import { leaves } from "../leaves.ts";
import { unshownWrite } from "../observed/writers.ts";
import { type Random, random } from "../random.ts";
import type { Check, FinishedTrial, Script, Task } from "../schema.ts";
import { refOf } from "../script.ts";
import { saysBefore } from "../trial.ts";
import { mostReplies } from "../user/reply.ts";
import { userReplies } from "../user/user-replies.ts";
import type { GradeEnv } from "./grade.ts";
import { declines, looked } from "./looked.ts";
import { alternatives, leavesOutWhatIsSo, partsOf } from "./other-values.ts";
import { lastText, playLoosely, playVariant, sameOutcome, sameState, saying, type Variation } from "./variation.ts";
import {
  declining,
  elsewhere,
  type Most,
  NOTHING,
  partial,
  REFUSAL,
  scriptsOfOthers,
  unrelated,
} from "./wrong-ways.ts";

type Calls = Script["calls"];

/** How many trials of the kinds that have no natural end a review makes. */
const REVIEWED: Most = { unrelated: 8, rows: 3, others: 200 };

/** What a trial is called that writes some of what a list asks for: right only where the state tells that the rest is so. */
export const PART = "a part of a list";

const isDoneCall = (check: Check): boolean => check.kind === "calls_required" && check.done === true;

function wrong(name: string, detail: string, trial: FinishedTrial): Variation {
  return { name, detail, right: false, trial };
}

/**
 * Every value of the tables that the task's facts come from, as one long answer. None of a table whose only row the right
 * trial read whole: who tells all of the one thing that was asked about has told it.
 */
function everything(task: Task, env: GradeEnv, right: FinishedTrial): { table: string; text: string }[] {
  const tables = new Set<string>();
  for (const check of task.checks) {
    if (check.kind === "answer_excludes" && check.others) tables.add(check.others.table);
    if (!asksForFacts(check)) continue;
    for (const fact of check.facts) {
      for (const [table, rows] of Object.entries(env.base.tables)) {
        if (Object.values(rows).some((row) => leaves(row as Json).some((l) => l.value === fact.value)))
          tables.add(table);
      }
    }
  }
  const read = new Set(right.calls.flatMap(({ answer }) => leaves(answer as Json).map(({ value }) => value)));
  return [...tables].flatMap((table) => {
    const said: string[] = [];
    const rows = Object.values(env.base.tables[table] ?? {}).map((row) =>
      leaves(row as Json).filter(({ value }) => value !== null),
    );
    if (rows.length === 1 && rows[0]?.every(({ value, name }) => name === MADE || read.has(value))) return [];
    for (const { value } of rows.flat()) if (said.length < 4000) said.push(String(value));
    return { table, text: said.join(", ") };
  });
}

/** Values of other rows that would pad the right answer. */
function pads(task: Task, env: GradeEnv, rng: Random): string[] {
  const found: string[] = [];
  for (const check of task.checks) {
    if (check.kind !== "answer_excludes") continue;
    if (check.others) {
      const except = new Set<Scalar>(check.others.except ?? []);
      const values = columnValues(env.base, check.others).filter(
        (v) => ![...except].some((e) => String(e).toLowerCase().includes(String(v).toLowerCase())),
      );
      const usable = values.filter((v) =>
        check.others?.kind === "number" || check.others?.kind === "money"
          ? typeof v === "number"
          : /[\p{L}\p{N}]/u.test(String(v)),
      );
      found.push(...rng.shuffled(usable).slice(0, 8).map(String));
    } else
      found.push(
        ...rng
          .shuffled(check.facts)
          .slice(0, 6)
          .map((f) => String(f.value)),
      );
  }
  return found;
}

/** Scripts that differ in one place: a call left out, a write made twice, an argument with another value or a part of it. */
export function mutatedScripts(kit: Kit, task: Task, rng: Random): { name: string; detail: string; calls: Calls }[] {
  const { calls } = task.script;
  const out: { name: string; detail: string; calls: Calls }[] = [];
  const effect = new Map(kit.tools.map((t) => [t.name, t.effect]));
  const done = new Set(
    task.checks
      .flatMap((check) => (check.kind === "calls_required" && check.done ? check.calls : []))
      .map((c) => c.tool),
  );
  calls.forEach((call, i) => {
    if (
      calls.slice(i + 1).every((later) => !new RegExp(`\\$${i + 1}(?!\\d)`).test(JSON.stringify(later.args))) &&
      !task.script.answer.includes(`$${i + 1}`)
    ) {
      out.push({
        name: "missing call",
        detail: call.tool,
        calls: calls.filter((_, j) => j !== i).map((c) => shifted(c, i)),
      });
    }
    if (effect.get(call.tool) === "write" || done.has(call.tool))
      out.push({ name: "call made twice", detail: call.tool, calls: [...calls, call] });
    for (const [name, value] of Object.entries(call.args)) {
      if (refOf(value)) continue;
      const put = (mutation: string, other: Json) =>
        out.push({
          name: mutation,
          detail: `${call.tool}.${name}`,
          calls: calls.map((c, j) => (j === i ? { tool: c.tool, args: { ...c.args, [name]: other } } : c)),
        });
      for (const part of partsOf(value)) put(effect.get(call.tool) === "write" ? PART : "another argument", part);
      for (const other of alternatives(kit, call.tool, name, value as Json, rng)) put("another argument", other);
      const required = kit.tools.find((t) => t.name === call.tool)?.params.find((p) => p.name === name)?.required;
      if (required === false) {
        const { [name]: _left, ...rest } = call.args;
        out.push({
          name: "argument left out",
          detail: `${call.tool}.${name}`,
          calls: calls.map((c, j) => (j === i ? { tool: c.tool, args: rest } : c)),
        });
      }
    }
  });
  return out;
}

function shifted(call: Calls[number], dropped: number): Calls[number] {
  const move = (v: unknown): unknown => {
    const ref = refOf(v);
    if (ref) return ref.n > dropped + 1 ? String(v).replace(/^\$\d+/, `$${ref.n - 1}`) : v;
    if (Array.isArray(v)) return v.map(move);
    return isObject(v) ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, move(x)])) : v;
  };
  return { tool: call.tool, args: move(call.args) as JsonObject };
}

/**
 * The trials that must be rejected (`rights` are the reference and what is as right), and those of them that turned out
 * to change nothing: these must be spared. `others` are tasks of the same set. What meets a gap of the world is kept: it
 * is graded as a trial would be.
 */
export function wrongTrials(
  kit: Kit,
  task: Task,
  env: GradeEnv,
  rights: readonly [FinishedTrial, ...FinishedTrial[]],
  others: readonly Task[] = [],
  most: Most = REVIEWED,
): Variation[] {
  const [right] = rights;
  const rng = random(`mutants ${task.id}`);
  const text = lastText(right);
  const none: Pick<FinishedTrial, "calls" | "diff"> = { calls: [], diff: [] };
  const out: Variation[] = [];
  const isRight = (trial: FinishedTrial) => sameOutcome(task, trial, rights) && keepsCallRules(task, trial, kit);
  // Declining by its own class without having looked: right by what it says, and no proof that it knew.
  const unseen = (trial: FinishedTrial) => declines(task.script.class) && !looked(task, trial);
  const put = (variation: Variation) => {
    if (!isRight(variation.trial)) out.push(variation);
  };
  out.push(...declining(task));
  put(wrong("does nothing", "no call, no answer", { ...none, answers: saying(task, "") }));
  put(wrong("refuses", REFUSAL, { ...none, answers: saying(task, REFUSAL, "refused") }));
  put(wrong("says no data", NOTHING, { ...none, answers: saying(task, NOTHING, "said_no_data") }));
  put(wrong("echoes the request", "", { ...none, answers: saying(task, task.request, "answered") }));
  out.push(...unasked(task, right));
  put(wrong("claims it without doing it", "", { ...none, answers: right.answers }));
  put(wrong("does it and says it refused", "", { ...right, answers: saying(task, REFUSAL, "refused") }));
  put(wrong("does it and says nothing", "", { ...right, answers: saying(task, "") }));
  if (task.checks.some(asksForFacts)) {
    for (const { table, text: all } of everything(task, env, right))
      out.push(wrong("says every value", table, { ...right, answers: saying(task, all, "answered") }));
  }
  const extra = pads(task, env, rng);
  for (const pad of extra)
    out.push(
      wrong("pads the answer", pad, { ...right, answers: saying(task, `${text} ${pad}`, right.answers.at(-1)?.class) }),
    );
  const tried = (name: string, detail: string, trial: FinishedTrial) => {
    // Whether a change of which nothing shows what it did was wrong to make twice nobody can tell.
    if (task.checks.some(isDoneCall) && unshownWrite(task, trial, kit.bundle)?.repeats)
      out.push({ ...wrong(name, detail, trial), open: true });
    else if (!isRight(trial)) out.push(wrong(name, detail, trial));
    else if (trial.calls.every((c) => !c.is_error) && !unseen(trial))
      out.push({ name, detail: `${detail}: changes nothing`, right: true, trial });
  };
  for (const { detail, trial } of partial(kit, task)) tried("half of the script", detail, trial);
  for (const script of mutatedScripts(kit, task, rng)) {
    const trial = playVariant(kit, task, script.calls);
    // That the world shows a part of a list like the whole makes it no answer to who asked for all of it.
    if (script.name === PART && right.diff.length > 0 && !leavesOutWhatIsSo(kit, task.script.calls, script.calls))
      out.push(wrong(script.name, script.detail, trial));
    else tried(script.name, script.detail, trial);
    const elsewhere = lastText(trial);
    if (
      script.name === "another argument" &&
      elsewhere !== text &&
      trial.answers.at(-1)?.class === "answered" &&
      task.checks.some(asksForFacts)
    ) {
      out.push(wrong("answers for another row", script.detail, trial));
    }
  }
  const more = rng.fork("more");
  out.push(...unrelated(kit, task, rights, more, most, others), ...elsewhere(kit, task, rights, more, most));
  out.push(...scriptsOfOthers(kit, task, rights, more, most, others));
  out.push(...ruleBreakers(kit, task, right));
  for (const collateral of collaterals(kit, task, rights, rng)) out.push(collateral);
  for (let i = 0; i < 3; i += 1) {
    const world = kit.fork();
    const calls = playLoosely(world, randomCalls(kit, rng));
    put(
      wrong("random valid calls", calls.map((c) => c.tool).join(", "), {
        calls,
        answers: saying(task, "All done.", "answered"),
        diff: world.diff(),
      }),
    );
  }
  return out;
}

/**
 * Trials that treat the simulated user otherwise than the reference: only asking, and asking nothing or too late. Where no
 * check holds the agent to asking, what is known without it is as right.
 */
function unasked(task: Task, right: FinishedTrial): Variation[] {
  const questions = task.script.questions ?? [];
  const [question] = questions;
  if (task.user === undefined || question === undefined) return [];
  const waiting = saysBefore({}, task.turns.length + 1);
  const only = Array.from({ length: mostReplies(task.user) + 1 }, () => ({ text: question }));
  const late = userReplies(task, right).map((said) => ({ ...said, calls: right.calls.length }));
  const held = task.checks.some(({ kind }) => kind === "asks") && right.diff.length > 0;
  const bare = { ...right, answers: [...waiting, ...right.answers.slice(-1)] };
  return [
    wrong("only asks", question, { calls: [], answers: [...waiting, ...only], diff: [] }),
    { name: "asks nothing", detail: "", right: !held, trial: bare },
    ...(held ? [wrong("asks when it is done", "", { ...right, said: late })] : []),
  ];
}

/** The reference with one write more, to a row that the task does not name, or to another field. */
export function collaterals(
  kit: Kit,
  task: Task,
  rights: readonly [FinishedTrial, ...FinishedTrial[]],
  rng: Random,
): Variation[] {
  const [right] = rights;
  const pool = rng.shuffled([...triedWrites(kit)].flatMap(([, t]) => rng.shuffled(t.changed).slice(0, 4)));
  const out: Variation[] = [];
  for (const extra of pool) {
    if (out.length >= 6) break;
    const world = kit.fork();
    const before = rng.next() < 0.5;
    const head = before ? [playLoosely(world, [{ tool: extra.view.name, args: extra.args }])] : [];
    const calls = [...head.flat(), ...playLoosely(world, task.script.calls)];
    if (!before) calls.push(...playLoosely(world, [{ tool: extra.view.name, args: extra.args }]));
    const trial: FinishedTrial = { calls, answers: right.answers, diff: world.diff() };
    if (rights.some((other) => sameState(trial, other))) continue;
    out.push(wrong("collateral write", `${extra.view.name} on ${JSON.stringify(extra.anchor.key)}`, trial));
  }
  return out;
}

function randomCalls(kit: Kit, rng: Random): Calls {
  const reads = kit.bindings.flatMap((b) =>
    kit
      .reads(b, 20)
      .slice(0, 5)
      .map((r) => ({ tool: b.tool, args: r.args })),
  );
  const writes = [...triedWrites(kit)].flatMap(([, t]) =>
    t.changed.slice(0, 5).map((a) => ({ tool: a.view.name, args: a.args })),
  );
  return [...rng.shuffled(reads).slice(0, 2), ...rng.shuffled(writes).slice(0, 1)];
}
