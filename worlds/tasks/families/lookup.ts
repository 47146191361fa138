import type { Scalar } from "../../json.ts";
import { type Draft, excludeOthers, leaks, nameRow, ref, says } from "../draft.ts";
import { askable, factOf, kindOf } from "../kinds.ts";
import type { Kit, RowRead } from "../kit.ts";
import { type Leaf, label } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Check } from "../schema.ts";
import { isShared, mustRead } from "../seen.ts";
import { ask, isClear, mine, unasked, type Voice } from "../words/phrases.ts";
import { OWN_PLACE } from "../words/unlikely.ts";

/** The leaves of a reading that a question can ask for: told by no description, said by no request, and the row's own. */
export function questions(kit: Kit, rowRead: RowRead): (Leaf & { value: Scalar })[] {
  const given = new Set([rowRead.anchor.key, ...Object.values(rowRead.args)]);
  return rowRead.leaves.filter(
    (leaf): leaf is Leaf & { value: Scalar } =>
      !leaf.generic.includes("[*]") &&
      !/(^|\.)\d|\[\d+\]/.test(leaf.generic) &&
      askable(leaf.value, leaf.name) &&
      !isReference(leaf) &&
      !given.has(leaf.value) &&
      !leaks(kit, leaf.value),
  );
}

/** Whether a value only points at another record: a person asks for what stands there. */
export function isReference({ name, value }: Leaf): boolean {
  return /(?:^|_)id$|[a-z]Id$/.test(name) && kindOf(value ?? "", name) === "id";
}

/** Row-giving reads, each with its readings in a seeded order. */
export function rowReads(kit: Kit, rng: Random): { tool: string; reads: readonly RowRead[] }[] {
  return kit.bindings
    .filter((b) => b.gives === "row")
    .map((b) => ({ tool: b.tool, reads: rng.fork(b.tool + b.table).shuffled(kit.reads(b)) }))
    .filter((entry) => entry.reads.length > 1);
}

/** One value of one row, at times with a second one asked in a follow-up turn. */
export function* lookup(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const sources = rowReads(kit, rng);
  const used = new Map<string, number>();
  for (let round = 0; round < 60; round += 1) {
    for (const { reads } of sources) {
      const rowRead = reads[round % reads.length] as RowRead;
      const open = rng
        .shuffled(questions(kit, rowRead))
        .sort(
          (a, b) =>
            (used.get(rowRead.binding.tool + a.generic) ?? 0) - (used.get(rowRead.binding.tool + b.generic) ?? 0),
        );
      const named = nameRow(kit, rowRead, rng);
      const { table } = rowRead.anchor;
      const voice = voices();
      const clear = open.filter(
        (leaf) =>
          !says(named.who, factOf(leaf.value, leaf.name)) &&
          isClear(voice, label(leaf.path, table)) &&
          !unasked(voice, table, label(leaf.path, table), Object.values(rowRead.args)[0] === rowRead.anchor.key),
      );
      const [first, ...rest] = clear;
      if (!first) continue;
      const who = mine(voice, table, named.who);
      // Where one lives oneself is no question, first or second.
      const second = rest.find(
        (leaf) => who === named.who || !OWN_PLACE.test(`${label(leaf.path, table)} on my account`),
      );
      const request = ask(voice, `${label(first.path, table)} ${who === named.who ? "of" : "on"} ${who}`, rng);
      const asked = second && round % 4 === 3 && second.value !== first.value ? [first, second] : [first];
      const turns = asked.length > 1 && second ? [`And what is the ${label(second.path, rowRead.anchor.table)}?`] : [];
      const facts = asked.map((leaf) => factOf(leaf.value, leaf.name));
      const shared = facts.filter((fact, i) => isShared(kit, rowRead, asked[i]?.generic ?? "", fact));
      const n = named.calls.length + 1;
      const own = rowRead.leaves.map((leaf) => leaf.value);
      const excluded = asked.flatMap((leaf, i) => {
        const check = excludeOthers(kit, rowRead.binding, leaf, own, [facts[i] as (typeof facts)[number]], request);
        return check ? [check] : [];
      });
      if (excluded.length < asked.length) continue;
      used.set(rowRead.binding.tool + first.generic, (used.get(rowRead.binding.tool + first.generic) ?? 0) + 1);
      const checks: Check[] = [
        { kind: "answer_includes", facts },
        ...(shared.length > 0 ? [mustRead(kit, rowRead, shared)] : []),
        ...excluded,
        { kind: "answer_class", class: "answered" },
        { kind: "no_state_change" },
      ];
      yield {
        family: "lookup",
        operation: rowRead.binding.tool,
        object: rowRead.anchor.table,
        condition: "present",
        difficulty: named.calls.length > 0 || asked.length > 1 ? "medium" : "easy",
        useCase: `look up ${label(first.generic)}`,
        voice,
        request,
        turns,
        script: {
          calls: [...named.calls, { tool: rowRead.binding.tool, args: named.args }],
          answer: asked.map((leaf) => `The ${label(leaf.path)} is {${ref(n, leaf.path)}}.`).join(" "),
          class: "answered",
        },
        checks,
      };
    }
  }
}
