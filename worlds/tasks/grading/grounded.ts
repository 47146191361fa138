import type { Json } from "../../json.ts";
import { dayOf } from "../checks/dates.ts";
import { asksForFacts } from "../checks/fact-checks.ts";
import { findFact, Reading } from "../checks/facts.ts";
import type { Kit } from "../kit.ts";
import { leaves } from "../leaves.ts";
import type { Fact, FinishedTrial, Task } from "../schema.ts";
import { holes } from "../script.ts";
import { figure, readPath } from "../select.ts";
import { userWords } from "../user/user-replies.ts";
import { lastText } from "./variation.ts";

function inResults(fact: Fact, results: readonly Json[]): boolean {
  const day = fact.kind === "date" && typeof fact.value !== "boolean" ? dayOf(fact.value) : undefined;
  for (const result of results) {
    if (typeof result === "string" && findFact(fact, new Reading(result)).said > 0) return true;
    const groups = new Map<string, Json[]>();
    for (const leaf of leaves(result, 300)) {
      if (leaf.value === null) continue;
      groups.set(leaf.generic, [...(groups.get(leaf.generic) ?? []), leaf.value]);
      if (leaf.value === fact.value) return true;
      if (typeof leaf.value === "number" && typeof fact.value === "number" && Math.abs(leaf.value - fact.value) < 0.005)
        return true;
      if (
        typeof leaf.value === "string" &&
        (fact.kind === "text" || fact.kind === "id") &&
        findFact(fact, new Reading(leaf.value)).said > 0
      )
        return true;
      if (day && (typeof leaf.value === "string" || typeof leaf.value === "number")) {
        const other = dayOf(leaf.value);
        if (other && other.month === day.month && other.day === day.day && other.year === day.year) return true;
      }
    }
    if (typeof fact.value !== "number" && fact.kind !== "unit") continue;
    for (const values of groups.values()) {
      for (const kind of ["count", "sum", "min", "max"] as const) {
        const value = figure(kind, values);
        if (typeof value === "number" && findFact(fact, new Reading(String(value))).said > 0) return true;
        if (typeof value === "number" && typeof fact.value === "number" && Math.abs(value - fact.value) < 0.005)
          return true;
      }
    }
  }
  return false;
}

/** Whether the answer's own holes compute a fact from the results. */
function computed(fact: Fact, task: Task, results: readonly Json[]): boolean {
  return holes(task.script.answer).some((hole) => {
    const values = readPath(results[hole.n - 1] ?? null, hole.path);
    const said = hole.of ? figure(hole.of, values) : values.map(String).join(", ");
    return said !== null && findFact(fact, new Reading(String(said))).said > 0;
  });
}

/** Ungrounded parts of a task: calls that are not served, facts that no result holds, answers that are given away. */
export function ungrounded(kit: Kit, task: Task, right: FinishedTrial): string[] {
  const problems: string[] = [];
  const results = right.calls.map((c) => c.answer as Json);
  right.calls.forEach((call, i) => {
    if (call.answer_class === "error:unknown_tool") problems.push(`call ${i + 1}: the tool is not served`);
    if (call.answer_class === "error:bad_arguments")
      problems.push(`call ${i + 1} (${call.tool}): the arguments do not fit its schema`);
    if (call.answer_class === "error:not_served")
      problems.push(`call ${i + 1} (${call.tool}): meets a gap of the world`);
  });
  for (const check of task.checks) {
    if (check.kind === "calls_required" || check.kind === "call_order" || check.kind === "calls_forbidden") {
      for (const call of check.calls)
        if (!kit.bundle.tools.some((t) => t.name === call.tool))
          problems.push(`check ${check.kind}: the tool ${call.tool} is not served`);
    }
    if (check.kind === "state") {
      for (const change of [check.changes, ...(check.alternatives ?? [])].flat()) {
        const known =
          Object.hasOwn(kit.base.tables, change.table) || kit.bundle.tables.some((t) => t.name === change.table);
        if (!known) problems.push(`check state: there is no table ${change.table}`);
        else if (
          change.op !== "insert" &&
          change.key !== undefined &&
          !Object.hasOwn(kit.base.tables[change.table] ?? {}, change.key)
        )
          problems.push(`check state: ${change.table} has no row ${change.key}`);
      }
    }
    if (!asksForFacts(check)) continue;
    for (const fact of check.facts) {
      if (!inResults(fact, results) && !computed(fact, task, results))
        problems.push(`fact ${JSON.stringify(fact.value)}: no result of the script holds it`);
      const text = String(fact.value).toLowerCase();
      if (typeof fact.value === "string" && text.length >= 3 && kit.manual.includes(text))
        problems.push(`fact ${JSON.stringify(fact.value)}: is printed in a tool's description`);
      const asked = findFact(fact, new Reading(userWords(task, right)));
      if (asked.said + asked.denied > 0)
        problems.push(`fact ${JSON.stringify(fact.value)}: is given away by the request`);
    }
  }
  if (lastText(right).trim() === "") problems.push("the script gives no answer");
  return problems;
}
