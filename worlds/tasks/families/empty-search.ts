import type { JsonObject, Scalar } from "../../json.ts";
import { feed } from "../bindings.ts";
import { humanize, plural } from "../checks/words.ts";
import type { Draft } from "../draft.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import type { Random } from "../random.ts";
import { mustCall } from "../seen.ts";
import { sayArguments, sayValue, type Voice, wonder } from "../words/phrases.ts";
import { isKey } from "./write.ts";

const VERB = /^(?:get|list|search|find|all|by|for|fetch|query|lookup|show)$/;

/** What a search is for, by its name: "search_open_order" finds open orders. */
function sought(tool: string): string {
  const words = humanize(tool)
    .split(" ")
    .filter((word) => !VERB.test(word));
  return [...words.slice(0, -1), plural(words.at(-1) ?? "result")].join(" ");
}

const PREPOSITION: readonly (readonly [name: RegExp, word: string])[] = [
  [/^(?:origin|from|departure)$/, "from"],
  [/^(?:destination|to|arrival)$/, "to"],
  [/^(?:date|day)$/, "on"],
  [/^(?:city|town|location|place)$/, "in"],
];

/** A search's arguments in a user's words: "from SFO to JFK on May 20, 2024". */
function where(args: JsonObject): string {
  const said = Object.entries(args).map(([name, value]) => {
    const word = PREPOSITION.find(([pattern]) => pattern.test(name))?.[1];
    return word && `${word} ${sayValue(value, name)}`;
  });
  return said.every((part) => part !== undefined) ? said.join(" ") : `with ${sayArguments(args)}`;
}

/** Searches of the drawn world that find nothing, as the real system was seen to or as a fitted search answers. */
function emptySearches(kit: Kit, rng: Random): { tool: string; table: string; args: JsonObject }[] {
  const recorded = kit.bundle.exceptions.flatMap((e) =>
    e.answer_class === "empty" ? [{ tool: e.tool, table: "", args: e.args as JsonObject }] : [],
  );
  const fed = kit.bindings
    .filter(({ gives }) => gives === "list")
    .flatMap((binding) =>
      rng
        .shuffled(kit.anchors.get(binding.table) ?? [])
        .slice(0, 60)
        .flatMap((anchor) => {
          const args = feed(binding, anchor);
          return args ? [{ tool: binding.tool, table: binding.table, args }] : [];
        }),
    );
  const world = kit.fork();
  const seen = new Set<string>();
  const reads = new Map(kit.tools.flatMap((view) => (view.effect === "read" ? [[view.name, view] as const] : [])));
  return rng.shuffled([...fed, ...recorded]).filter(({ tool, args }) => {
    const name = `${tool} ${JSON.stringify(args)}`;
    const values = Object.values(args);
    if (seen.has(name) || !reads.has(tool) || values.length === 0) return false;
    seen.add(name);
    if (
      !values.every(
        (v) => typeof v === "string" && v !== "" && (kindOf(v, "") !== "id" || v.length < 12 || isKey(kit, v)),
      )
    )
      return false;
    const answer = world.call(tool, args);
    return answer.answerClass === "empty" && Array.isArray(answer.value);
  });
}

/** A search whose honest answer is that there is nothing. */
export function* emptySearch(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  for (const { tool, table, args } of emptySearches(kit, rng)) {
    const voice = voices();
    const things = sought(tool);
    const params = kit.tools.find(({ name }) => name === tool)?.params ?? [];
    const needed = Object.keys(args).filter((name) => params.some((param) => param.name === name && param.required));
    // A wider search, without what the tool need not be given, finds nothing of it either.
    const free = needed.length > 0 ? Object.keys(args).filter((name) => !needed.includes(name)) : [];
    yield {
      family: "no_data",
      operation: tool,
      object: kit.bundle.tables.find(({ name, internal }) => name === table && !internal)?.name ?? things,
      condition: "absent",
      difficulty: "easy",
      useCase: `search for ${things}`,
      voice,
      request: wonder(voice, `which ${things} are there ${where(args)}`, rng),
      script: { calls: [{ tool, args }], answer: `There are no ${things} ${where(args)}.`, class: "said_no_data" },
      checks: [
        { kind: "answer_class", class: "said_no_data" },
        { ...mustCall(tool, args, free), shown: { named: [Object.values(args) as Scalar[]], facts: [] } },
        { kind: "no_state_change" },
      ],
    };
  }
}
