import type { Scalar } from "../../json.ts";
import { type Draft, distinguish, excludeOthers, leaks, nameRow, ref, says } from "../draft.ts";
import { askable, factOf, inWords } from "../kinds.ts";
import type { Kit, RowRead } from "../kit.ts";
import { label } from "../leaves.ts";
import type { Random } from "../random.ts";
import { isShared, mustRead } from "../seen.ts";
import { readPath, select, selector } from "../select.ts";
import { isFoundByOwnFacts, saysWho } from "../words/identity.ts";
import { isPeople } from "../words/owners.ts";
import { argumentLabel, ask, mine, unasked, type Voice, wonder } from "../words/phrases.ts";
import { isReference, rowReads } from "./lookup.ts";

interface Step {
  readonly path: string;
  readonly value: Scalar;
  /** What tells the element from its siblings, in a user's words. */
  readonly which: string;
}

/** Where a reading holds a reference that can be said without its id: the only one, or one of a list told apart. */
function stepOf(rowRead: RowRead, generic: string, rng: Random): Step | undefined {
  if (!generic.includes("[*]")) {
    const leaf = rowRead.leaves.find((l) => l.generic === generic);
    return leaf && leaf.value !== null ? { path: leaf.path, value: leaf.value, which: "" } : undefined;
  }
  if (generic.indexOf("[*]") !== generic.lastIndexOf("[*]")) return undefined;
  const list = readPath(rowRead.answer, generic.slice(0, generic.indexOf("[*]") + 3));
  if (list.length === 0) return undefined;
  const at = rng.below(list.length);
  const told = distinguish(list, at);
  if (!told) {
    if (list.length > 1) return undefined;
    const [value] = readPath(rowRead.answer, generic);
    return typeof value === "string" || typeof value === "number"
      ? { path: generic.replace("[*]", "[0]"), value, which: "" }
      : undefined;
  }
  const path = select(generic, selector(told.field, told.value));
  const [value] = readPath(rowRead.answer, path);
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const said = inWords(told.value, told.field);
  return { path, value, which: /name|title/.test(told.field) ? said : `with ${argumentLabel(told.field)} ${said}` };
}

/** What people ask in words of their own in place of a field's name. */
function questionOf(field: string, thing: string, on: string): string | undefined {
  const at = on === "" ? "" : ` on ${on}`;
  if (field === "creation date") return `when was ${on === "" ? "" : "the "}${thing}${at} made`;
  return field === "stock" && on !== "" ? `how many of the ${thing}${at} are left in stock` : undefined;
}

/** A value of a row that only another row's answer leads to. */
export function* multiHop(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const sources = rowReads(kit, rng);
  for (let round = 0; round < 60; round += 1) {
    for (const { reads } of sources) {
      const rowRead = reads[(round * 7 + 3) % reads.length] as RowRead;
      const hops = kit.hops(rowRead);
      if (hops.length === 0) continue;
      const hop = rng.pick(hops);
      const target = kit.bindings.find((b) => b.tool === hop.to && b.gives === "row");
      const step = stepOf(rowRead, hop.generic, rng);
      if (!target || !step || target.tool === rowRead.binding.tool) continue;
      // Who can say who they are need not be found through what they own.
      if (isFoundByOwnFacts(kit, target.table)) continue;
      const anchor = (kit.anchors.get(target.table) ?? []).find((a) => {
        const args = kit.read(target, a)?.args;
        return args !== undefined && Object.keys(args).length === 1 && args[hop.param] === step.value;
      });
      const second = anchor && kit.read(target, anchor);
      if (!second) continue;
      const named = nameRow(kit, rowRead, rng);
      if (named.who.includes(String(step.value))) continue;
      const before = new Set(rowRead.leaves.map((l) => l.value));
      const open = rng.shuffled(
        second.leaves.filter(
          (l) =>
            !l.generic.includes("[*]") &&
            askable(l.value, l.name) &&
            !isReference(l) &&
            !before.has(l.value) &&
            !leaks(kit, l.value) &&
            !says(`${named.who} ${step.which}`, factOf(l.value, l.name)),
        ),
      );
      const voice = voices();
      const leaf = open.find((l) => !unasked(voice, target.table, label(l.path, target.table)));
      if (!leaf || leaf.value === null) continue;
      const held = label(hop.generic, rowRead.anchor.table)
        .split(" ")
        .filter((w) => w !== "id" && w !== "ids")
        .join(" ");
      const thing = step.which.startsWith("with ") ? `${held} ${step.which}` : step.which || held;
      const who = mine(voice, target.table, named.who);
      const isAsker = saysWho(kit) && isPeople(rowRead.anchor.table);
      const place = isAsker ? `of my ${thing}` : who === named.who ? `of the ${thing} on ${who}` : `on ${who}`;
      const question = questionOf(label(leaf.path, target.table), isAsker ? `my ${thing}` : thing, isAsker ? "" : who);
      const request =
        question === undefined
          ? ask(voice, `${label(leaf.path, target.table)} ${place}`, rng)
          : wonder(voice, question, rng);
      const fact = factOf(leaf.value, leaf.name);
      const own = [...rowRead.leaves, ...second.leaves].map((l) => l.value);
      const excluded = excludeOthers(kit, target, leaf, own, [fact], request);
      if (!excluded) continue;
      const n = named.calls.length + 1;
      yield {
        family: "multi_hop",
        operation: target.tool,
        object: target.table,
        condition: "present",
        difficulty: named.calls.length > 0 ? "hard" : "medium",
        useCase: `find ${label(leaf.generic)} through ${label(hop.generic)}`,
        voice,
        request,
        script: {
          calls: [
            ...named.calls,
            { tool: rowRead.binding.tool, args: named.args },
            { tool: target.tool, args: { [hop.param]: ref(n, step.path) } },
          ],
          answer: `The ${label(leaf.path)} is {${ref(n + 1, leaf.path)}}.`,
          class: "answered",
        },
        checks: [
          { kind: "answer_includes", facts: [fact] },
          ...(isShared(kit, second, leaf.generic, fact) ? [mustRead(kit, second, [fact])] : []),
          excluded,
          { kind: "answer_class", class: "answered" },
          { kind: "no_state_change" },
        ],
      };
    }
  }
}
