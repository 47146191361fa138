import type { JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { outcomeOf } from "../acts/proof.ts";
import { recordedIn } from "../acts/recorded.ts";
import { actOf } from "../acts/words.ts";
import { plural } from "../checks/words.ts";
import type { Draft } from "../draft.ts";
import type { Kit } from "../kit.ts";
import type { Random } from "../random.ts";
import { type Field, fieldsOf, isTelling, type Listing, listingsOf, tellingWords } from "../words/listings.ts";
import { nameReplaced } from "../words/named-rows.ts";
import { argumentLabel, type Voice, want } from "../words/phrases.ts";
import { type ChangeOfAny, changesOfAny, gives, isName, ofRow } from "./changes-of-other-rows.ts";
import { DONE } from "./recorded-changes.ts";

/** So many things are changed at once: one is named by itself, and more make a long way of it. */
const FEWEST = 2;
const MOST = 5;
/** Groups of one listing that one change is made of. */
const MOST_GROUPS = 6;

/** Things of a listing that are alike in one or two fields and in what the listing was asked for, with these fields. */
function* alike(
  { call, elements }: Listing,
  thing: string,
): Generator<{ fields: readonly Field[]; group: readonly JsonObject[] }> {
  const has = (fields: readonly Field[]) =>
    elements.filter((one) => fields.every(([name, value]) => one[name] === value));
  const seen = new Set<string>();
  for (const element of elements) {
    const telling = fieldsOf(element).filter((field) => isTelling(field) && !isName(field[0], thing));
    const asked = telling.filter(([name, value]) => call.args[name] === value);
    if (asked.length < Object.keys(call.args).length) continue;
    const rest = telling.filter((field) => !asked.includes(field));
    for (const [i, one] of rest.entries())
      for (const two of [undefined, ...rest.slice(i + 1)]) {
        const fields = [one, ...(two ? [two] : []), ...asked];
        const name = JSON.stringify(fields);
        const group = seen.has(name) ? [] : has(fields);
        seen.add(name);
        if (group.length >= FEWEST && group.length <= MOST) yield { fields, group };
      }
  }
}

/** Groups with each size in turn: a way of so many calls is asked for only so often. */
function sizesInTurn<T extends { readonly group: readonly JsonObject[] }>(groups: readonly T[]): T[] {
  const met = new Map<number, number>();
  const turns = new Map(
    groups.map((one) => {
      const turn = met.get(one.group.length) ?? 0;
      met.set(one.group.length, turn + 1);
      return [one, turn];
    }),
  );
  return groups.toSorted((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0));
}

/** The row of each thing of a group; undefined where one is not known, or where another row is like them and not listed. */
function rowsOf(change: ChangeOfAny, fields: readonly Field[], group: readonly JsonObject[]) {
  const rows = group.map((one) =>
    change.rows.find(({ key }) => Object.values(one).some((value) => String(value) === key)),
  );
  const others = change.rows.filter(
    (row) => !rows.includes(row) && fields.every(([name, value]) => row.row[name] === value),
  );
  return rows.includes(undefined) || others.length > 0 ? undefined : (rows as NonNullable<(typeof rows)[number]>[]);
}

/** One change of all things that are alike: "change the stage of all accounts with owner Ann and region west to won". */
export function* changesOfAll(
  kit: Kit,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const listings = listingsOf(kit);
  const changes = changesOfAny(kit, recordedIn(traces)).filter(({ call, thing }) => !gives(call.args, thing));
  for (const change of rng.shuffled(changes))
    for (const listing of listings)
      for (const { fields, group } of sizesInTurn(rng.shuffled([...alike(listing, change.thing)])).slice(
        0,
        MOST_GROUPS,
      )) {
        const rows = rowsOf(change, fields, group);
        const calls = rows?.map((row) => {
          const { tool, args } = ofRow(change.call, change.param, row);
          return { tool, args };
        });
        const [first] = calls ?? [];
        if (!rows || !calls || !first) continue;
        const outcome = outcomeOf(kit, calls);
        if (!outcome || outcome.changed.includes(false) || outcome.succeeded.includes(false)) continue;
        const act = actOf(kit, [first], 0);
        const all = `all ${plural(change.thing)} ${tellingWords(fields)}`;
        const said = act && nameReplaced(act, rows[0]?.key ?? "", change.thing, all);
        if (said === undefined) continue;
        const voice = voices();
        yield {
          family: "multi_write",
          operation: first.tool,
          object: rows[0]?.table ?? "",
          condition: "present",
          difficulty: "hard",
          useCase: argumentLabel(first.tool),
          words: "templated",
          voice,
          request: want(voice, said, rng),
          script: { calls: [listing.call, ...calls], answer: DONE, class: "answered" },
          checks: [
            { kind: "state", changes: [...outcome.changes] },
            { kind: "answer_class", class: "answered" },
          ],
        };
      }
}
