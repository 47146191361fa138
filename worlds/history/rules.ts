import { declaredEffect, effectByName } from "../compile/effects.ts";
import type { Session } from "../compile/observations.ts";
import type { ToolDefinition } from "../bundle.ts";
import { Course, type Rules } from "./course.ts";
import { Effects, toldBy } from "./effects.ts";
import { findGenerated } from "./generated.ts";

/** Calls of other tasks at the same place that must agree for all tasks to be said to start alike, and their tasks. */
const ONE_START = { pairs: 20, tasks: 4, share: 0.995 };

/** Whether sources name no tasks: every session is one of its own. */
export const namesNoTask = (sessions: readonly Session[]): boolean => sessions.every(({ id, group }) => id === group);

/** What sessions show of their calls: which have an effect, on what, what answers make up, and whether all start alike. */
export function learnRules(sessions: readonly Session[], tools: readonly ToolDefinition[]): Rules {
  const listed = new Map(tools.map((tool) => [tool.name, tool]));
  const isRead = (tool: string) => (declaredEffect(listed.get(tool)) ?? effectByName(tool)) === "read";
  const none = { moves: new Map(), leaves: new Map(), generated: new Map(), oneStart: false };
  const first = new Effects(sessions, toldBy(sessions, none.generated), isRead);
  const generated = findGenerated(sessions, { ...none, effective: first.effective }, isRead);
  const effects = generated.size === 0 ? first : new Effects(sessions, toldBy(sessions, generated), isRead);
  const rules = {
    effective: effects.effective,
    moves: effects.moves,
    leaves: effects.left,
    generated,
    oneStart: false,
  };
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
      const key = course.keys(call.tool, call.args).get("any_exact") as string;
      const other = held.get(key);
      course.hear(call);
      const answer = `${call.ok}${course.names.answerText(call.tool, call.value)}`;
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
