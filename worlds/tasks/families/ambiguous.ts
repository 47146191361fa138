import { isObject, type Json, type JsonObject } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { type Attempt, attempt } from "../attempts.ts";
import { humanize } from "../checks/words.ts";
import type { Draft } from "../draft.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { argumentLabel, noun, sayValue, type Voice, want } from "../phrases.ts";
import type { Random } from "../random.ts";
import { imperative, withArguments } from "../wishes.ts";
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
      const named = escapePattern(thing);
      const owner = ownerOf(kit, chosen, rng);
      const others = Object.keys(chosen.args).filter((name) => name !== keyParam);
      const voice = voices();
      const act = imperative(view, thing, "")
        .replace(/\s+/g, " ")
        .replace(/ ([,.])/g, "$1")
        .trim()
        .replace(new RegExp(` for ${named}$`), ` for my ${thing}`)
        .replace(/\bmy my\b/g, "my");
      const plain = Object.entries(chosen.args).filter(([name, value]) => name !== keyParam && !holdsId(value));
      const mine = act
        .replace(new RegExp(`^(\\w+) (?:the |my )?(.+) of the ${named}$`), "$1 my $2")
        .replace(new RegExp(` for my ${named}$`), owner ? ` for my ${thing}` : "");
      const wish = withArguments(mine, Object.fromEntries(plain), {}, new Set());
      const request = owner ? `${want(voice, wish, rng)} ${owner.who}` : want(voice, wish, rng);
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

/** Whether a value holds an id, which a person who does not name the row would not know. */
function holdsId(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsId);
  if (isObject(value)) return Object.values(value).some(holdsId);
  return typeof value === "string" && kindOf(value, "") === "id" && !/^\d{5}$/.test(value);
}

/** How a person says who they are by what finds them: "My user id is ann_1." */
function introduced(args: JsonObject): string {
  return `My ${Object.entries(args)
    .map(([name, value]) => `${humanize(name)} is ${sayValue(value, name)}`)
    .join(", my ")}.`;
}

/** A row that two or more rows of the table belong to, for each of which the change would be made: who asks. */
function ownerOf(
  kit: Kit,
  chosen: Attempt,
  rng: Random,
): { who: string; call: { tool: string; args: Record<string, unknown> } } | undefined {
  const { anchor, view } = chosen;
  const { table } = anchor;
  const param = view.params.find((p) => p.name === chosen.keyParam);
  if (!param) return undefined;
  for (const leaf of rng.shuffled(anchor.leaves)) {
    if (typeof leaf.value !== "string" || leaf.generic.includes("[*]")) continue;
    for (const other of kit.anchors.keys()) {
      if (other === table) continue;
      const reading = readingOf(kit, other, leaf.value);
      if (!reading || reading.args[Object.keys(reading.args)[0] ?? ""] !== leaf.value) continue;
      const siblings = (kit.anchors.get(table) ?? []).filter((a) =>
        a.leaves.some((l) => l.generic === leaf.generic && l.value === leaf.value),
      );
      const able = siblings.filter((a) =>
        [0, 1, 2, 3].some(() => attempt(kit, view, param, a, rng, chosen.from)?.outcome === "changed"),
      );
      if (able.length < 2) continue;
      return { who: introduced(reading.args), call: { tool: reading.binding.tool, args: reading.args } };
    }
  }
  return undefined;
}
