import type { Bundle } from "../bundle.ts";
import type { Call, Session } from "../compile/observations.ts";
import { canon } from "../compile/values.ts";

const questionOf = (call: Pick<Call, "tool" | "args">): string => `${call.tool}\n${canon(call.args)}`;

/** Questions that name no row and that sessions answered otherwise before anything was done: what they ask of is every session's own. */
export class OwnStarts {
  /** By question, the answers of each group of sessions. */
  private readonly firsts = new Map<string, Map<string, Set<string>>>();

  constructor({ behaviours }: Bundle, sessions: readonly Session[]) {
    for (const { group, calls } of sessions)
      for (const call of calls) {
        if (Object.keys(call.args).length === 0) this.hear(call, group);
        if (behaviours[call.tool]?.effect === "write") break;
      }
  }

  private hear(call: Call, group: string): void {
    const question = questionOf(call);
    const groups = this.firsts.get(question) ?? new Map<string, Set<string>>();
    this.firsts.set(question, groups);
    groups.set(group, (groups.get(group) ?? new Set()).add(canon(call.value)));
  }

  /** Whether no evidence tells what a session of this group finds: others found one thing or another, and none of this group asked. */
  unknown(call: Call, group: string): boolean {
    const groups = this.firsts.get(questionOf(call));
    if (!groups || groups.has(group)) return false;
    return new Set([...groups.values()].flatMap((answers) => [...answers])).size > 1;
  }
}
