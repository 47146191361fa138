import type { ToolDefinition } from "../bundle.ts";
import { declaredEffect, effectByName } from "../compile/effects.ts";
import type { Session } from "../compile/observations.ts";
import { volatilityOf } from "../floor/index.ts";
import { Course, type Rules } from "./course.ts";
import { Effects, toldBy } from "./effects.ts";

/** Calls of other tasks at the same place that must agree for all tasks to be said to start alike, and their tasks. */
const ONE_START = { pairs: 20, tasks: 4, share: 0.995 };

/** Whether sources name no tasks: every session is one of its own. */
export const namesNoTask = (sessions: readonly Session[]): boolean => sessions.every(({ id, group }) => id === group);

/** What sessions show of their calls: which have an effect, on what, what answers make up, and whether all start alike. */
export function learnRules(sessions: readonly Session[], tools: readonly ToolDefinition[]): Rules {
  const listed = new Map(tools.map((tool) => [tool.name, tool]));
  const isRead = (tool: string) => (declaredEffect(listed.get(tool)) ?? effectByName(tool)) === "read";
  const { generated, clocks } = volatilityOf(sessions);
  // What only reads show was there before: it is no id that a call of the session made.
  const made = generated.filter((part) => !isRead(part.split(" ", 1)[0] as string));
  const volatile = { generated: new Set(made), clocks: new Set(clocks) };
  const effects = new Effects(sessions, toldBy(sessions, volatile), isRead);
  const { effective, moves, reaches, left: leaves } = effects;
  const rules = { effective, moves, reaches, leaves, volatile, oneStart: false };
  return { ...rules, oneStart: startsAlike(sessions, rules) };
}

/** Whether sessions of other tasks that went the same way were answered alike, in enough pairs. */
function startsAlike(sessions: readonly Session[], rules: Rules): boolean {
  const held = new Map<string, { group: string; answer: string }>();
  const tasks = new Set<string>();
  let same = 0;
  let pairs = 0;
  for (const { group, calls } of sessions) {
    const course = new Course(rules, undefined);
    for (const call of calls) {
      const key = course.keys(call.tool, call.args, ["any_exact"]).get("any_exact") as string;
      const other = held.get(key);
      const answer = `${call.ok}${course.names.canonical(call.tool, call.value).text}`;
      course.hear(call);
      if (!other) held.set(key, { group, answer });
      else if (other.group !== group) {
        pairs++;
        tasks.add(group);
        if (other.answer === answer) same++;
      }
    }
  }
  // Where no task is named, there is nothing that a start could depend on but what evidence shows.
  if (namesNoTask(sessions)) return same >= pairs * ONE_START.share;
  return pairs >= ONE_START.pairs && tasks.size >= ONE_START.tasks && same >= pairs * ONE_START.share;
}
