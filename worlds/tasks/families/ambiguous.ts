import { isObject, type Json, type Scalar } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { type Attempt, attempt, requiredChanges } from "../attempts.ts";
import { humanize, singular, stems } from "../checks/words.ts";
import { type Draft, ref } from "../draft.ts";
import { askable, inWords, kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { NAMING } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Script, UserFact } from "../schema.ts";
import type { Anchor } from "../surface.ts";
import { introduced, introductionOf, saysWho } from "../words/identity.ts";
import { isPeople, ownersOf } from "../words/owners.ts";
import { argumentLabel, noun, type Voice, want } from "../words/phrases.ts";
import { falseState } from "../words/states.ts";
import { type Found, foundByTitle } from "../words/titles.ts";
import { isUserCode } from "../words/user-codes.ts";
import { imperative, withArguments } from "../words/user-requests.ts";
import { readingOf, triedWrites } from "./write.ts";

/** What of a row its user can tell beside what names it: so many fields. */
const MOST_FIELDS = 8;

/**
 * A change asked for without saying to which of several rows. The right act is to ask, and where the user can answer, to
 * change the row that is meant; where what the change takes cannot be told in an answer, to ask and to change nothing.
 */
export function* ambiguous(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const tried = [...triedWrites(kit)]
    .filter(([, t]) => new Set(t.changed.map((a) => a.anchor.key)).size > 1)
    .map(([tool, { changed }]) => {
      const own = changed.filter((one) => namesOwnParts(one));
      return [tool, own.length > 0 ? own : changed] as const;
    });
  for (let round = 0; round < 24; round += 1) {
    for (const [tool, changed] of tried) {
      const chosen = changed[(round * 3) % changed.length];
      if (!chosen) continue;
      const { view, anchor, keyParam } = chosen;
      // Who asks is told first: that is none of several rows.
      if (saysWho(kit) && isPeople(anchor.table)) continue;
      const thing = noun(anchor.table);
      const named = escapePattern(thing);
      // Who calls a thing by its title leaves open which one is meant where several are called so.
      const titled = isUserCode(kit, keyParam) ? undefined : foundByTitle(kit, anchor);
      if (titled?.day === undefined && !isUserCode(kit, keyParam)) continue;
      const others = Object.keys(chosen.args).filter((name) => name !== keyParam);
      const voice = voices();
      const act = imperative(view, thing, titled?.title ?? "")
        .replace(/\s+/g, " ")
        .replace(/ ([,.])/g, "$1")
        .trim()
        .replace(new RegExp(` (for|to) ${named}$`), ` $1 my ${thing}`)
        .replace(/\bmy my\b/g, "my");
      const plain = Object.entries(chosen.args).filter(([name, value]) => name !== keyParam && !holdsId(value));
      // A row that is as the request wants it is not meant.
      const isSo = ({ row }: Anchor) =>
        plain.some(([name, value]) => typeof value === "string" && (row as Record<string, Json>)[name] === value);
      const fits = (row: Anchor) => falseState(kit, row, act) === undefined && !isSo(row);
      if (!fits(anchor)) continue;
      const owner = parentRowOf(kit, chosen, rng, fits);
      if (owner === undefined && isOnlyOne(kit, anchor, fits)) continue;
      const mine = act
        .replace(new RegExp(`^(\\w+) (?:the |my )?(.+) of the ${named}$`), "$1 my $2")
        .replace(new RegExp(` for my ${named}$`), owner ? ` for my ${thing}` : "");
      const wish = withArguments(mine, Object.fromEntries(plain), {}, new Set());
      const request = owner ? `${want(voice, wish, rng)} ${owner.who}` : want(voice, wish, rng);
      const calls = owner ? [owner.call] : [];
      const label = titled ? "date" : argumentLabel(keyParam) === thing ? "number" : argumentLabel(keyParam);
      const about = titled
        ? aboutTitled(thing, titled)
        : [...new Set([thing, argumentLabel(keyParam), `${thing} id`, `${thing} number`])];
      const question = `Which ${thing} do you mean? Please tell me its ${label}.`;
      const draft = {
        family: "ambiguous" as const,
        operation: tool,
        object: anchor.table,
        condition: "contradictory" as const,
        difficulty: others.length > 1 ? ("hard" as const) : ("medium" as const),
        useCase: argumentLabel(tool),
        voice,
        request,
      };
      const told = namesOwnParts(chosen)
        ? titled
          ? dayFacts(chosen, about, titled)
          : userFactsOf(kit, chosen, about, label)
        : undefined;
      const changes = told && requiredChanges(kit, [{ tool, args: chosen.args }]);
      if (told && changes)
        yield {
          ...draft,
          user: { knows: [...told.needed, ...told.optional] },
          script: {
            calls: [...calls, ...told.reads, { tool, args: { ...chosen.args, [keyParam]: told.key } }],
            answer: `Done: the ${thing} has been updated as you asked.`,
            class: "answered",
            questions: [question, ...told.needed.slice(1).map(({ names }) => `What is the ${names[0]}?`)],
          },
          checks: [
            { kind: "asks", about },
            { kind: "state", changes },
            { kind: "answer_class", class: "answered" },
          ],
        };
      else
        yield {
          ...draft,
          script: { calls, answer: question, class: "none" },
          checks: [{ kind: "asks", about }, { kind: "no_state_change" }],
        };
    }
  }
}

/** Whether whose row this is, as users say first, has no other that fits: nothing is to be asked. */
export function isOnlyOne(kit: Kit, anchor: Anchor, fits: (row: Anchor) => boolean): boolean {
  const of = ({ table, key, row }: Anchor) => ownersOf(kit, table, key, row);
  const owners = of(anchor);
  if (!saysWho(kit) || owners.size === 0) return false;
  return !(kit.anchors.get(anchor.table) ?? []).some(
    (other) => other.key !== anchor.key && fits(other) && [...of(other)].some((person) => owners.has(person)),
  );
}

/** Fields that are said by their value alone: "It's pending.", "It was $5.90."; of others people say what they are. */
function factSentence(called: string, value: Scalar, name: string): string {
  const words = inWords(value, name);
  if (/^(?:first|last|full|family) name$/.test(called)) return `My ${called} is ${words}.`;
  if (/\b(?:on|at|by|in|since|for|from|to)$/.test(called))
    return `It ${/ed \w+$/.test(called) ? "was" : "is"} ${called} ${words}.`;
  if (/\baddress(?: line)?(?: \d+)?$/.test(called)) return `The address is ${words}.`;
  if (words.includes("@")) return `My email is ${words}.`;
  return `It's ${words}.`;
}

/** What a user can tell, and the calls that find the row by it. */
interface Known {
  readonly needed: readonly UserFact[];
  readonly optional: readonly UserFact[];
  readonly reads: Script["calls"];
  /** The row's key as the change takes it. */
  readonly key: unknown;
}

/** Words by which somebody is asked which of the things of one title is meant. */
function aboutTitled(thing: string, { title, day }: Found): string[] {
  const named = day === undefined ? [] : [argumentLabel(day.name)];
  return [...new Set([thing, "date", "day", "time", ...named, ...stems(title.replace(/[^\p{L}\p{N} ]/gu, " "))])].slice(
    0,
    20,
  );
}

/** What the user knows who names a thing by its title: on which day it is. Undefined where the change takes more that nobody says. */
function dayFacts(
  { args, keyParam }: Attempt,
  about: readonly string[],
  { tool, args: sought, path, day }: Found,
): Known | undefined {
  const isTold = Object.entries(args).every(([name, value]) => name === keyParam || !holdsId(value));
  if (day === undefined || !isTold) return undefined;
  const says = `The one on ${inWords(day.value, day.name)}.`;
  const calls = [{ tool, args: sought }];
  return { needed: [{ names: [...about], value: day.value, says }], optional: [], reads: calls, key: ref(1, path) };
}

/**
 * What the user who asks for a change can tell: what it needs, the row's name first and then the ids that it takes, and
 * fields of the row by which people know it. Undefined where an id stands too deep to be told.
 */
function userFactsOf(
  kit: Kit,
  { anchor, args, keyParam }: Attempt,
  about: readonly string[],
  label: string,
): Known | undefined {
  const thing = noun(anchor.table);
  const first = label === "number" ? `${thing} number` : label;
  const needed: UserFact[] = [{ names: [...new Set([first, ...about])], value: anchor.key }];
  const reads: Script["calls"] = [];
  for (const [name, value] of Object.entries(args)) {
    if (name === keyParam || !holdsId(value)) continue;
    const ids = Array.isArray(value) ? value : [value];
    if (!ids.every((id) => typeof id === "string")) return undefined;
    const called = argumentLabel(name);
    const part = ids.length === 1 ? partOf(kit, anchor, ids[0] as string) : undefined;
    if (part) {
      if (reads.length === 0) reads.push(part.call);
      needed.push({ names: [...new Set([called, "item", `${called} name`])], value: part.title, says: part.says });
      continue;
    }
    const sort = ids.length === 1 ? /^([a-z]+(?:_[a-z]+)*)_\d+$/.exec(ids[0] as string)?.[1] : undefined;
    needed.push({
      names: [...new Set([called, `${called} id`, `${called} number`])],
      value: ids.join(", "),
      ...(sort === undefined ? {} : { says: `My ${humanize(sort)}, please: ${ids[0]}.` }),
      ...(ids.length > 1 ? { says: `The ${called} are ${ids.join(", ")}.` } : {}),
    });
  }
  const beside = anchor.leaves.flatMap(({ value, name, generic }): UserFact[] => {
    if (generic.includes("[*]") || value === anchor.key || Object.hasOwn(args, name) || !askable(value, name))
      return [];
    // The service's code of another row is nothing that its user has by heart.
    if (
      typeof value === "string" &&
      [...kit.anchors.keys()].some((table) => Object.hasOwn(kit.base.tables[table] ?? {}, value))
    )
      return [];
    const called = argumentLabel(name);
    return [{ names: [called, `${thing} ${called}`], value, says: factSentence(called, value, name) }];
  });
  const taken = new Set(needed.concat(beside.slice(0, MOST_FIELDS)).flatMap(({ names }) => names));
  const who = personFacts(kit, anchor).filter(({ names }) => !names.some((name) => taken.has(name)));
  return { needed, optional: [...beside.slice(0, MOST_FIELDS), ...who], reads, key: anchor.key };
}

/** A part of a row as people call it, where a reading of the row shows it by a title that no other part has. */
function partOf(
  kit: Kit,
  { table, key }: Anchor,
  id: string,
): { title: string; says: string; call: Script["calls"][number] } | undefined {
  const reading = readingOf(kit, table, key);
  // Who knows the row's name alone has to be able to make the call.
  if (!reading || Object.values(reading.args).join() !== key) return undefined;
  const parts = reading.leaves.filter(({ generic, name }) => generic.includes("[*]") && NAMING.test(name));
  const holder = (path: string) => path.slice(0, path.lastIndexOf("."));
  const own = reading.leaves.filter(({ value, generic }) => value === id && generic.includes("[*]"));
  const titles = own.flatMap((leaf) => parts.find(({ path }) => holder(path) === holder(leaf.path)) ?? []);
  const title = titles.length === 1 ? titles[0] : undefined;
  if (typeof title?.value !== "string" || parts.filter(({ value }) => value === title.value).length > 1)
    return undefined;
  const call = { tool: reading.binding.tool, args: reading.args };
  return { title: title.value, says: `It's the ${title.value}.`, call };
}

/** Who asks, as the person's own row says it: what the service finds people by, which it may ask for. */
function personFacts(kit: Kit, anchor: Anchor): UserFact[] {
  const owners = ownersOf(kit, anchor.table, anchor.key, anchor.row);
  const facts = [...kit.anchors].flatMap(([table, rows]) => {
    const person = isPeople(table) && owners.size === 1 ? rows.find(({ key }) => owners.has(key)) : undefined;
    return (person?.leaves ?? []).flatMap(({ value, name, generic }): UserFact[] => {
      if (value === null || generic.includes("[*]") || !TOLD_OF_SELF.test(name) || !askable(value, name)) return [];
      const called = argumentLabel(name);
      const names = /\be-?mail$/.test(called) ? [called, `${called} address`] : [called];
      return [{ names, value, says: `My ${called} is ${inWords(value, name)}.` }];
    });
  });
  return facts.slice(0, MOST_FIELDS);
}

/** What people know of themselves and are asked for to be found. */
const TOLD_OF_SELF =
  /^(?:(?:first|last|full|family|given)?_?name|e_?mail(?:_address)?|phone(?:_number)?|zip(?:_?code)?|post_?code|postal_code)$/i;

/** Whether a change's codes of parts are of the row's own, where it lists such: nobody returns what the order does not hold. */
function namesOwnParts({ anchor, args, keyParam }: Attempt): boolean {
  return Object.entries(args).every(([param, value]) => {
    const own = anchor.leaves.filter(({ name, generic }) => generic.includes("[*]") && name === singular(param));
    const codes = [value].flat();
    return param === keyParam || own.length === 0 || codes.every((code) => own.some((leaf) => leaf.value === code));
  });
}

/** Whether a value holds an id, which a person who does not name the row would not know. */
function holdsId(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsId);
  if (isObject(value)) return Object.values(value).some(holdsId);
  return typeof value === "string" && kindOf(value, "") === "id" && !/^\d{5}$/.test(value);
}

/** A row that two or more rows of the table belong to, for each of which the change would be made: who asks. */
function parentRowOf(
  kit: Kit,
  chosen: Attempt,
  rng: Random,
  fits: (row: Anchor) => boolean,
): { who: string; call: { tool: string; args: Record<string, unknown> } } | undefined {
  const { anchor, view } = chosen;
  const { table } = anchor;
  const param = view.params.find((p) => p.name === chosen.keyParam);
  if (!param) return undefined;
  for (const leaf of rng.shuffled(anchor.leaves)) {
    if (typeof leaf.value !== "string" || leaf.generic.includes("[*]")) continue;
    for (const other of kit.anchors.keys()) {
      if (other === table) continue;
      const direct = readingOf(kit, other, leaf.value);
      const keyed = direct && Object.values(direct.args)[0] === leaf.value ? direct : undefined;
      const reading = introductionOf(kit, other, leaf.value) ?? keyed;
      if (!reading) continue;
      const siblings = (kit.anchors.get(table) ?? []).filter((a) =>
        a.leaves.some((l) => l.generic === leaf.generic && l.value === leaf.value),
      );
      const able = siblings
        .filter(fits)
        .filter((a) => [0, 1, 2, 3].some(() => attempt(kit, view, param, a, rng, chosen.from)?.outcome === "changed"));
      if (able.length < 2) continue;
      return { who: introduced(reading.args), call: { tool: reading.binding.tool, args: reading.args } };
    }
  }
  return undefined;
}
