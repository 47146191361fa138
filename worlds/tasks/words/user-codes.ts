import type { JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { scalarsOf } from "../acts/recorded.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import type { Task } from "../schema.ts";
import type { Corpus } from "./corpus.ts";

/** Codes that users gave in fewer than one of twenty calls are the service's own: as rare as an odd turn in `usual`. */
const SELDOM = 0.05;
/** Fewer calls than these show no habit: none of twenty is the first that lies below the share. */
const LEAST_CALLS = 20;
/** None of so many said: users who say a code in half of the calls would say one of five with 97 %. */
const NEVER_OF = 5;
/** Users who knew a code before the agent had said it: one may be a slip. */
const LEAST_FIRST = 2;
const GREETING = /^[^\d\n]{0,80}\b(?:help|assist|do for)\b[^\d\n]{0,40}$/i;

interface Unsaid {
  /** Names of parameters whose codes users do not say. */
  readonly names: ReadonlySet<string>;
  /** The figures of `EXACT` form that users say; undefined where too few users were heard. */
  readonly figures: ReadonlySet<string> | undefined;
}

const unsaid = new WeakMap<Kit, Unsaid>();

/** A figure that was computed, and is no amount of money: people ask for 10 gallons, not for 10.04. */
const EXACT = /(?<![\p{Sc}\d.,])\d+\.\d{2,}(?![\d.])/gu;
const exactIn = (text: string): readonly string[] => text.match(EXACT) ?? [];

/** Keeps what the evidence's users do not say: codes, as an event's id where people speak of its title, and exact figures. */
export function keepUserCodes(kit: Kit, traces: readonly ObservedTrace[], corpus: Corpus): void {
  const heard = traces.flatMap(({ request = "", turns = [] }) => [request, ...turns]).flatMap(exactIn);
  const counts = new Map<string, { calls: number; said: number; first: number }>();
  for (const { request = "", turns = [], calls, answers = [] } of corpus.enough ? traces : []) {
    const words = [request, ...turns];
    const text = words.join("\n");
    // Where the agent greets, it has spoken once more than the user by the time of each turn.
    const ahead = GREETING.test(answers[0] ?? "") ? 1 : 0;
    const seen = new Set<string>();
    for (const { args } of calls)
      for (const { name, value } of scalarsOf(args)) {
        if (typeof value !== "string" || kindOf(value, name) !== "id" || seen.has(`${name}\n${value}`)) continue;
        seen.add(`${name}\n${value}`);
        const count = counts.get(name) ?? { calls: 0, said: 0, first: 0 };
        counts.set(name, count);
        count.calls += 1;
        if (!text.includes(value)) continue;
        count.said += 1;
        const at = words.findIndex((turn) => turn.includes(value));
        if (!answers.slice(0, at + ahead).some((answer) => answer.includes(value))) count.first += 1;
      }
  }
  const never = [...counts].filter(
    ([, { calls, said, first }]) =>
      (calls >= NEVER_OF && said === 0) || (calls >= LEAST_CALLS && (said < calls * SELDOM || first < LEAST_FIRST)),
  );
  unsaid.set(kit, {
    names: new Set(never.map(([name]) => name)),
    figures: corpus.enough ? new Set(heard) : undefined,
  });
}

/** Whether users say the codes that stand under a parameter's name; so where nothing tells against it. */
export function isUserCode(kit: Kit, name: string): boolean {
  return unsaid.get(kit)?.names.has(name) !== true;
}

/** Whether a request says a code or a figure that no user of the evidence would: people speak of the thing by its title or its owner. */
export function saysUnheard(kit: Kit, { family, request, turns, script }: Task): boolean {
  if (family === "mined") return false;
  const said = [request, ...turns].join("\n");
  const { figures } = unsaid.get(kit) ?? {};
  const unheard = new Set(figures && exactIn(said).filter((figure) => !figures.has(figure)));
  return script.calls.some(({ args }) =>
    scalarsOf(args as JsonObject).some(({ name, value }) =>
      typeof value === "number"
        ? unheard.has(String(value))
        : typeof value === "string" && kindOf(value, name) === "id" && said.includes(value) && !isUserCode(kit, name),
    ),
  );
}
