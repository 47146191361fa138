import { isObject } from "../../json.ts";
import { plural, singular } from "../checks/words.ts";
import { columnPath, type Draft, excludeOthers, nameDirectly } from "../draft.ts";
import { askable, factOf, kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { isMap, label, skeleton } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Check } from "../schema.ts";
import { mustCall, mustRead } from "../seen.ts";
import { ask, mine, noun, type Voice, wonder } from "../words/phrases.ts";
import { emptySearch } from "./empty-search.ts";
import { isReference, rowReads } from "./lookup.ts";

function scramble(key: string, rng: Random): string {
  return key
    .replace(/\d/g, () => String(rng.below(10)))
    .replace(/(?<=\d)[A-Z]|[A-Z](?=\d)/g, () => "ABCDEFGHJKLMNPQRSTUVWXYZ"[rng.below(24)] as string);
}

/** Keys that no row has and that the world says it does not have. */
function absentKeys(kit: Kit, tool: string, param: string, table: string, rng: Random): string[] {
  const world = kit.fork();
  const rows = kit.anchors.get(table) ?? [];
  const recorded = kit.bundle.exceptions
    .filter((e) => e.tool === tool && e.answer_class !== "data")
    .flatMap((e) => (Object.keys(e.args).length === 1 && typeof e.args[param] === "string" ? [e.args[param]] : []));
  const made = Array.from({ length: 40 }, () => (rows.length > 0 ? scramble(rng.pick(rows).key, rng) : ""));
  const shapes = new Set(rows.slice(0, 50).map((r) => skeleton(r.key)));
  const found = new Set<string>();
  for (const key of [...recorded, ...made]) {
    if (key === "" || found.has(key) || rows.some((r) => r.key === key) || !shapes.has(skeleton(key))) continue;
    const answer = world.call(tool, { [param]: key });
    const told =
      answer.servedBy !== "gap" &&
      answer.servedBy !== "schema" &&
      answer.answerClass !== "data" &&
      answer.answerClass !== "error:not_served";
    if (told) found.add(key);
  }
  return [...found];
}

/** Questions without an answer: a row that does not exist, an empty field, and by turns a search without results. */
export function* noData(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const rows = absentRows(kit, voices, rng);
  const searches = emptySearch(kit, voices, rng.fork("searches"));
  for (;;) {
    const [row, search] = [rows.next(), searches.next()];
    if (row.done && search.done) return;
    if (!row.done) yield row.value;
    if (!search.done) yield search.value;
  }
}

function* absentRows(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const sources = rowReads(kit, rng);
  const absent = sources.map(({ tool, reads }) => {
    const [first] = reads;
    const params = Object.keys(first?.args ?? {});
    const [param] = params;
    return first && params.length === 1 && param !== undefined && first.args[param] === first.anchor.key
      ? absentKeys(kit, tool, param, first.anchor.table, rng)
      : [];
  });
  for (let round = 0; round < 40; round += 1) {
    for (const [s, { tool, reads: readings }] of sources.entries()) {
      const reading = readings[(round * 3) % readings.length];
      if (!reading) continue;
      const key = absent[s]?.[Math.floor(round / 2)];
      if (round % 2 === 0 && key !== undefined) {
        const [param = ""] = Object.keys(reading.args);
        const open = reading.leaves.filter(
          (l) =>
            !l.generic.includes("[*]") &&
            askable(l.value, l.name) &&
            !isReference(l) &&
            l.value !== reading.anchor.key &&
            columnPath(kit, reading.binding, l.generic) !== undefined,
        );
        const leaf = open.length > 0 ? rng.pick(open) : undefined;
        if (!leaf || leaf.value === null) continue;
        const voice = voices();
        const request = ask(
          voice,
          `${label(leaf.path, reading.anchor.table)} of ${noun(reading.anchor.table)} ${key}`,
          rng,
        );
        const looked = {
          ...mustCall(tool, { [param]: key }),
          shown: { named: [[key]], facts: [], absent_from: reading.anchor.table },
        };
        const checks: Check[] = [{ kind: "answer_class", class: "said_no_data" }, looked, { kind: "no_state_change" }];
        const others = excludeOthers(kit, reading.binding, leaf, [], [factOf("\u0000", leaf.name)], request);
        if (others?.kind === "answer_excludes")
          checks.push({
            ...others,
            ...(others.others ? { others: { ...others.others, kind: kindOf(leaf.value, leaf.name) } } : {}),
            facts: [factOf(leaf.value, leaf.name)],
          });
        yield {
          family: "no_data",
          operation: tool,
          object: reading.anchor.table,
          condition: "absent",
          difficulty: "easy",
          useCase: `ask for an unknown ${noun(reading.anchor.table)}`,
          voice,
          request,
          script: {
            calls: [{ tool, args: { [param]: key } }],
            answer: `I could not find any ${noun(reading.anchor.table)} with that reference.`,
            class: "said_no_data",
          },
          checks,
        };
        continue;
      }
      if (!isObject(reading.answer)) continue;
      const empty = Object.entries(reading.answer).filter(
        ([, v]) => v === null || (Array.isArray(v) && v.length === 0) || (isObject(v) && Object.keys(v).length === 0),
      );
      const told = empty.find(([name]) =>
        readings.some(
          (r) =>
            isObject(r.answer) &&
            (Array.isArray(r.answer[name])
              ? (r.answer[name] as unknown[]).length > 0
              : isMap(r.answer[name] ?? null) || (typeof r.answer[name] === "string" && r.answer[name] !== "")),
        ),
      );
      if (!told) continue;
      const named = nameDirectly(reading);
      const voice = voices();
      const list = told[1] !== null;
      const what = label(told[0]).replace(/ id$/, " number");
      // A column that neither people nor the tools' descriptions speak of is no word to ask with.
      const { corpus } = voice;
      const known = (word: string) => corpus?.says(word) || kit.manual.includes(singular(word));
      if (corpus?.enough && !what.split(" ").every(known)) continue;
      const request = list
        ? wonder(voice, `which ${plural(what)} are there on ${mine(voice, reading.anchor.table, named.who)}`, rng)
        : ask(voice, `${what} on ${mine(voice, reading.anchor.table, named.who)}`, rng);
      const checks: Check[] = [
        { kind: "answer_class", class: "said_no_data" },
        mustRead(kit, reading),
        { kind: "no_state_change" },
      ];
      yield {
        family: "no_data",
        operation: tool,
        object: reading.anchor.table,
        condition: "partial",
        difficulty: "medium",
        useCase: `ask for a missing ${what}`,
        voice,
        request,
        script: {
          calls: [{ tool, args: reading.args }],
          answer: `There is no ${what} recorded there.`,
          class: "said_no_data",
        },
        checks,
      };
    }
  }
}
