import { type Draft, nameDirectly } from "../draft.ts";
import type { Kit } from "../kit.ts";
import { argumentLabel, imperative, noun, type Voice, want } from "../phrases.ts";
import type { Random } from "../random.ts";
import { readingOf, triedWrites } from "./write.ts";

/** A change asked for without saying to which of several rows: the right act is to ask, and to change nothing. */
export function* ambiguous(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const tried = [...triedWrites(kit)].filter(([, t]) => new Set(t.changed.map((a) => a.anchor.key)).size > 1);
  for (let round = 0; round < 24; round += 1) {
    for (const [tool, { changed }] of tried) {
      const chosen = changed[(round * 3) % changed.length];
      if (!chosen) continue;
      const { view, anchor, keyParam } = chosen;
      const thing = noun(anchor.table);
      const owner = ownerOf(kit, anchor.key, anchor.table, rng);
      const others = Object.keys(chosen.args).filter((name) => name !== keyParam);
      const voice = voices();
      const act = imperative(view, thing, "")
        .replace(/\s+/g, " ")
        .replace(/ ([,.])/g, "$1")
        .trim()
        .replace(new RegExp(` for ${thing}$`), ` for my ${thing}`)
        .replace(/\bmy my\b/g, "my");
      const request = owner ? `${want(voice, act, rng)} I am ${owner.who}.` : want(voice, act, rng);
      yield {
        family: "ambiguous",
        operation: tool,
        object: anchor.table,
        condition: "contradictory",
        difficulty: others.length > 1 ? "hard" : "medium",
        useCase: argumentLabel(tool),
        voice,
        request,
        script: {
          calls: owner ? [owner.call] : [],
          answer: `Which ${thing} do you mean? Please tell me its ${argumentLabel(keyParam) === thing ? "number" : argumentLabel(keyParam)}.`,
          class: "none",
        },
        checks: [
          { kind: "asks", about: [...new Set([thing, argumentLabel(keyParam), `${thing} id`, `${thing} number`])] },
          { kind: "no_state_change" },
        ],
      };
    }
  }
}

/** A row that two or more rows of the table belong to, one of them this one: who asks. */
function ownerOf(
  kit: Kit,
  key: string,
  table: string,
  rng: Random,
): { who: string; call: { tool: string; args: Record<string, unknown> } } | undefined {
  const anchor = kit.anchors.get(table)?.find((a) => a.key === key);
  if (!anchor) return undefined;
  for (const leaf of rng.shuffled(anchor.leaves)) {
    if (typeof leaf.value !== "string" || leaf.generic.includes("[*]")) continue;
    for (const other of kit.anchors.keys()) {
      if (other === table) continue;
      const reading = readingOf(kit, other, leaf.value);
      if (!reading || reading.args[Object.keys(reading.args)[0] ?? ""] !== leaf.value) continue;
      const siblings = (kit.anchors.get(table) ?? []).filter((a) =>
        a.leaves.some((l) => l.generic === leaf.generic && l.value === leaf.value),
      );
      if (siblings.length < 2) continue;
      return { who: nameDirectly(reading).who, call: { tool: reading.binding.tool, args: reading.args } };
    }
  }
  return undefined;
}
