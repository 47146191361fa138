import type { Json } from "../../../json.ts";
import type { Session } from "../../observations.ts";
import { byText, canon } from "../../values.ts";
import type { LabelledText } from "./text-forms.ts";

/** Pairs of calls in turn that show two values to take turns: by chance, a pair differs in one of two. */
const PAIRS = 4;
/** Names of tools that say so: one pair is enough. */
const TOGGLES = /(?:^|[./:_-])(?:toggle|flip|invert)(?![a-z])|(?:^|[./:_-])(?:toggle|flip|invert)(?=[A-Z])/;

/** Two values, of which each call leaves the other one. */
export type Turns = readonly [Json, Json];

/** The two values that a tool's calls take in turns, each the other one than before, from what each session shows in order. */
export function turnsOf(tool: string, shown: Iterable<readonly Json[]>): Turns | undefined {
  const values = new Map<string, Json>();
  let pairs = 0;
  for (const list of shown) {
    for (const [i, value] of list.entries()) {
      values.set(canon(value), value);
      if (i === 0) continue;
      if (canon(list[i - 1] as Json) === canon(value)) return undefined;
      pairs++;
    }
  }
  const [a, b, ...more] = [...values.keys()].sort(byText).map((key) => values.get(key) as Json);
  if (a === undefined || b === undefined || more.length > 0) return undefined;
  return pairs >= (TOGGLES.test(tool) ? 1 : PAIRS) ? [a, b] : undefined;
}

/** Words that say no more than that something is so now. */
const COPULA = /(?:^| )(?:is|are|was|has been|now|=|:)(?= |$)/g;

/** The texts of tools that switch something between two words, as records of one field: `Data is ON.`, `Data is OFF.` */
export function switchForms(sessions: readonly Session[]): Map<string, LabelledText> {
  const texts = new Map<string, string[][]>();
  const others = new Set<string>();
  for (const { calls } of sessions)
    for (const [tool, of] of Map.groupBy(
      calls.filter(({ ok }) => ok),
      (call) => call.tool,
    )) {
      const list = of.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
      if (list.length < of.length) others.add(tool);
      else texts.set(tool, [...(texts.get(tool) ?? []), list]);
    }
  const out = new Map<string, LabelledText>();
  for (const [tool, of] of texts) {
    const turns = others.has(tool) ? undefined : turnsOf(tool, of);
    const form = turns && wordForm(turns[0] as string, turns[1] as string);
    if (form) out.set(tool, form);
  }
  return out;
}

/** The form of two texts that differ in one word. */
function wordForm(a: string, b: string): LabelledText | undefined {
  const [ours, theirs] = [a.split(" "), b.split(" ")];
  const at = ours.findIndex((word, i) => word !== theirs[i]);
  if (ours.length !== theirs.length || ours.slice(at + 1).join(" ") !== theirs.slice(at + 1).join(" "))
    return undefined;
  const after = sharedEnd(ours[at] as string, theirs[at] as string);
  const lead = ours.slice(0, at).join(" ");
  const rest = ours.slice(at + 1).join(" ");
  const field = `${lead} ${rest}`
    .replace(COPULA, "")
    .replace(/[^\p{L}\p{N}]+$/u, "")
    .trim();
  const tail = `${after}${rest === "" ? "" : ` ${rest}`}`;
  const before = lead === "" ? "" : `${lead} `;
  return { lines: [{ field: field === "" ? "state" : field, before, after: tail, number: false }], between: "\n" };
}

/** The signs that two words both end with. */
function sharedEnd(a: string, b: string): string {
  let end = "";
  for (let i = 1; i < Math.min(a.length, b.length); i++) {
    const sign = a.at(-i) as string;
    if (sign !== b.at(-i) || /[\p{L}\p{N}]/u.test(sign)) break;
    end = sign + end;
  }
  return end;
}
