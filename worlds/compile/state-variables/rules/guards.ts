import type { Call } from "../../observations.ts";
import { byText, canon } from "../../values.ts";
import type { Answer } from "../answers.ts";

/** One refusal of a tool that something about the thing decides, and the register that holds whether it does. */
export interface Guard {
  readonly form: string;
  readonly register: string;
}

/** By tool the refusals that it meets. */
export type Guards = ReadonlyMap<string, readonly Guard[]>;

const [YES, NO] = ["yes", "no"] as const;
/** How often a tool must have been refused in some words for them to tell of a state. */
const LEAST = 3;

/**
 * Refusals as readings: what makes a tool refuse in words that are always the same, where the same question is also
 * granted, holds or does not whether or not anybody looks; tools that refuse in the same words meet the same thing.
 */
export function findGuards(byTool: ReadonlyMap<string, readonly Call[]>, answers: ReadonlyMap<Call, Answer>): Guards {
  const out = new Map<string, Guard[]>();
  const names = new Map<string, string>();
  for (const [tool, calls] of [...byTool].sort(([a], [b]) => byText(a, b))) {
    const granted = new Set(calls.flatMap((call) => (call.ok && answers.has(call) ? [canon(call.args)] : [])));
    const refused = new Map<string, { n: number; open: boolean }>();
    for (const call of calls) {
      const answer = answers.get(call);
      if (call.ok || !answer?.form.refusal || answer.items.length > 0) continue;
      const { n, open } = refused.get(answer.form.id) ?? { n: 0, open: false };
      refused.set(answer.form.id, { n: n + 1, open: open || granted.has(canon(call.args)) });
    }
    const guards = [...refused]
      .sort(([a], [b]) => byText(a, b))
      .flatMap(([form, { n, open }]) => {
        if (n < LEAST || !open) return [];
        const register = names.get(form) ?? `r_refused_${names.size + 1}`;
        names.set(form, register);
        return [{ form, register }];
      });
    if (guards.length > 0) out.set(tool, guards);
  }
  return out;
}

/** What a call shows of the guards of its tool as they stood before it: granted, none held; refused, that one did. */
export function metBy(guards: readonly Guard[], call: Call, answer: Answer | undefined): Map<string, string> {
  if (!answer) return new Map();
  if (call.ok) return new Map(guards.map(({ register }) => [register, NO]));
  return new Map(guards.flatMap(({ form, register }) => (form === answer.form.id ? [[register, YES]] : [])));
}

/** The form of an answer by its guards, as an expression over readings: the refusal of the one that holds, else `granted`; else null. */
export function guardedText(
  guards: readonly Guard[],
  granted: string | undefined,
  text: (value: string) => string,
): string {
  if (guards.length === 0) return "null";
  const is = (register: string, value: string): string => `s.${register} == ${text(value)}`;
  const only = guards.map(({ form, register }) => {
    const others = guards
      .filter((other) => other.register !== register)
      .map((other) => `s.${other.register} != ${text(YES)}`);
    return `${[is(register, YES), ...others].join(" && ")} ? ${text(form)} : `;
  });
  const none = guards.map(({ register }) => is(register, NO)).join(" && ");
  return `(${only.join("")}${granted === undefined ? "null" : `${none} ? ${text(granted)} : null`})`;
}
