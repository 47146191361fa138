import type { Json, JsonObject } from "../../json.ts";
import { keepsCallRules } from "../call-rules.ts";
import { sameBag } from "../checks/data.ts";
import { dateInWords, dayOf } from "../checks/dates.ts";
import { asksForFacts } from "../checks/fact-checks.ts";
import { opOf, sameEnd } from "../checks/state.ts";
import type { Kit } from "../kit.ts";
import { type Random, random } from "../random.ts";
import type { FinishedTrial, Script, Task } from "../schema.ts";
import { refOf, resolveArgs } from "../script.ts";
import { lastText, playLoosely, saying, type Variation } from "./variation.ts";

function equal(name: string, detail: string, trial: FinishedTrial): Variation {
  return { name, detail, right: true, trial };
}

/** Other ways to write the values of an answer: grouped digits and currency, spoken and ISO dates, other case. */
export function otherFormats(task: Task, text: string): { name: string; text: string }[] {
  const out: { name: string; text: string }[] = [];
  const put = (name: string, changed: string) => {
    if (changed !== text) out.push({ name, text: changed });
  };
  put("in capitals", text.toUpperCase());
  for (const check of task.checks) {
    if (!asksForFacts(check)) continue;
    let money = text;
    let dates = text;
    let iso = text;
    for (const { value, kind } of check.facts) {
      const raw = String(value);
      if (kind === "money" && typeof value === "number")
        money = money.replaceAll(
          new RegExp(`(?<![\\d.])${raw.replace(".", "\\.")}(?![\\d])(?!\\.\\d)`, "g"),
          `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`,
        );
      const day = kind === "date" && typeof value === "string" ? dayOf(value) : undefined;
      if (day?.year !== undefined) {
        const two = (n: number) => String(n).padStart(2, "0");
        dates = dates.replaceAll(raw, dateInWords(raw) ?? raw);
        iso = iso.replaceAll(raw, `${two(day.month)}/${two(day.day)}/${day.year}`);
      }
    }
    put("money with sign and groups", money);
    put("dates in words", dates);
    put("dates with slashes", iso);
  }
  return out;
}

/** The script with its independent calls in another order; undefined when only one order is possible. */
export function reordered(kit: Kit, calls: Script["calls"], rng: Random, writes: boolean): Script["calls"] | undefined {
  const effect = new Map(kit.tools.map((t) => [t.name, t.effect]));
  const isWrite = (i: number) => effect.get(calls[i]?.tool ?? "") === "write";
  const needs = calls.map((call, i) => {
    const before = new Set([...JSON.stringify(call.args).matchAll(/"\$(\d+)/g)].map((m) => Number(m[1]) - 1));
    for (let j = 0; j < i; j += 1)
      if (isWrite(i) !== isWrite(j) || (isWrite(i) && isWrite(j) && !writes)) before.add(j);
    return before;
  });
  const order: number[] = [];
  const left = new Set(calls.map((_, i) => i));
  while (left.size > 0) {
    const free = [...left].filter((i) => [...(needs[i] ?? [])].every((j) => !left.has(j)));
    const next = free.length > 1 ? rng.pick(free) : (free[0] as number);
    order.push(next);
    left.delete(next);
  }
  if (order.every((i, at) => i === at)) return undefined;
  const place = new Map(order.map((i, at) => [i + 1, at + 1]));
  const move = (v: unknown): unknown => {
    const ref = refOf(v);
    if (ref) return String(v).replace(/^\$\d+/, `$${place.get(ref.n) ?? ref.n}`);
    if (Array.isArray(v)) return v.map(move);
    return typeof v === "object" && v !== null
      ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, move(x)]))
      : v;
  };
  return order.map((i) => ({ tool: calls[i]?.tool ?? "", args: move(calls[i]?.args ?? {}) as JsonObject }));
}

/** Trials that are as right as the reference, and must be spared; the task's own alternatives among them. */
export function equalTrials(
  kit: Kit,
  task: Task,
  [right, ...others]: readonly [FinishedTrial, ...FinishedTrial[]],
): Variation[] {
  const rng = random(`equals ${task.id}`);
  const text = lastText(right);
  const cls = right.answers.at(-1)?.class;
  const out: Variation[] = [];
  out.push(equal("the reference again", "", right));
  for (const [i, other] of others.entries()) out.push(equal("an alternative", `${i + 1}`, other));
  out.push(equal("without a class of its own", "", { ...right, answers: saying(task, text) }));
  out.push(
    equal("with a polite sentence", "", {
      ...right,
      answers: saying(task, `Thank you for your patience. ${text} Have a nice day!`, cls),
    }),
  );
  if (task.user !== undefined) {
    const answers = saying(task, text, cls).toSpliced(-1, 0, { text: "Shall I go ahead?" });
    out.push(equal("with a confirmation asked for", "", { ...right, answers }));
  }
  for (const other of otherFormats(task, text))
    out.push(equal("another format", other.name, { ...right, answers: saying(task, other.text, cls) }));
  const reads = rng
    .shuffled(kit.bindings.filter((b) => b.gives !== "other"))
    .slice(0, 3)
    .flatMap((b) =>
      kit
        .reads(b, 8)
        .slice(0, 2)
        .map((r) => ({ tool: b.tool, args: r.args })),
    );
  {
    const world = kit.fork();
    const calls = [...playLoosely(world, reads), ...playLoosely(world, task.script.calls)];
    out.push(equal("with extra reads", "", { calls, answers: right.answers, diff: world.diff() }));
  }
  const failing = failingCall(kit, task, right);
  if (failing) {
    const world = kit.fork();
    const calls = [...playLoosely(world, [failing]), ...playLoosely(world, task.script.calls)];
    out.push(equal("with a failed call first", failing.tool, { calls, answers: right.answers, diff: world.diff() }));
  }
  for (const writes of [false, true]) {
    const order = reordered(kit, task.script.calls, rng, writes);
    if (!order) continue;
    const world = kit.fork();
    const calls = playLoosely(world, order);
    const diff = world.diff();
    const keyless = (t: FinishedTrial["diff"]) => t.map((c) => [c.table, opOf(c), opOf(c) === "insert" ? "" : c.key]);
    if (
      calls.length === order.length &&
      // An order in which the service refuses a call is another course of things.
      sameBag(calls.map(courseOf), right.calls.map(courseOf)) &&
      sameBag(keyless(diff), keyless(right.diff)) &&
      diff.every((c, i) => opOf(c) === "insert" || JSON.stringify(c) === JSON.stringify(right.diff[i]))
    ) {
      out.push(
        equal(writes ? "writes in another order" : "reads in another order", "", {
          calls,
          answers: right.answers,
          diff,
        }),
      );
    }
  }
  out.push(...permuted(kit, task, right));
  return out.filter(({ trial }) => keepsCallRules(task, trial, kit));
}

const courseOf = ({ tool, answer_class, changed }: FinishedTrial["calls"][number]) => [tool, answer_class, changed];

/** Lists among the arguments turned round, where the state that follows is the same but for the order of lists. */
function permuted(kit: Kit, task: Task, right: FinishedTrial): Variation[] {
  const out: Variation[] = [];
  task.script.calls.forEach((call, i) => {
    for (const [name, value] of Object.entries(call.args)) {
      if (!Array.isArray(value) || value.length < 2) continue;
      const world = kit.fork();
      const calls = playLoosely(
        world,
        task.script.calls.map((c, j) =>
          j === i ? { tool: c.tool, args: { ...c.args, [name]: [...value].reverse() } } : c,
        ),
      );
      const diff = world.diff();
      const parallel = Object.values(call.args).filter((v) => Array.isArray(v) && v.length === value.length).length > 1;
      if (
        !parallel &&
        diff.length === right.diff.length &&
        diff.every((c, k) => sameEnd(c, right.diff[k] as typeof c))
      ) {
        out.push(equal("a list in another order", `${call.tool}.${name}`, { calls, answers: right.answers, diff }));
      }
    }
  });
  return out;
}

function failingCall(kit: Kit, task: Task, right: FinishedTrial): Script["calls"][number] | undefined {
  const world = kit.fork();
  for (const call of task.script.calls) {
    const view = kit.tools.find((t) => t.name === call.tool);
    const param = view?.params.find((p) => p.required && p.type === "string" && !p.values);
    if (!view || !param) continue;
    let args: JsonObject;
    try {
      args = resolveArgs(
        call.args,
        right.calls.map((c) => c.answer as Json),
      );
    } catch {
      continue;
    }
    const wrong = { ...args, [param.name]: `${String(args[param.name])}x` };
    const answer = world.fork().call(call.tool, wrong);
    if (answer.changes.length === 0 && answer.isError && answer.answerClass !== "error:not_served")
      return { tool: call.tool, args: wrong };
  }
  return undefined;
}
