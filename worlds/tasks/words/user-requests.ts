import { isObject, type Json, type JsonObject } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { setTo } from "../acts/settings.ts";
import { fromName } from "../acts/speech.ts";
import { baseForm } from "../acts/words.ts";
import { humanize, plural, singular } from "../checks/words.ts";
import { kindOf } from "../kinds.ts";
import type { ToolView } from "../surface.ts";
import { addressInWords, withAddress } from "./address.ts";
import { argumentLabel, enumerated, PEOPLE, sayMembers, sayValue } from "./phrases.ts";
import { REASON, reasonFor } from "./reasons.ts";

const IMPERATIVE = /^([A-Z]?[a-z]+) (.+)$/;
const CHANGE = ["change", "modify", "update", "edit", "set"];

/** A tool's description (or name) as an imperative. `who` names the row it acts on, after its noun. */
export function imperative(view: ToolView, tableNoun: string, who: string): string {
  const first =
    (view.tool.description ?? "")
      .split(/(?<=[.!])\s|\n|\. /)[0]
      ?.replace(/[.!]$/, "")
      .trim() ?? "";
  const [, opening = "", rest = ""] = IMPERATIVE.exec(first) ?? [];
  const name = humanize(view.name.split(/[./:]/).at(-1) ?? view.name);
  const verb = baseForm(opening, name.split(" ")) ?? "";
  const usable =
    verb !== "" &&
    first.split(" ").length <= 14 &&
    name.split(" ").some((word) => word === verb || word.slice(0, 4) === verb.slice(0, 4) || CHANGE.includes(verb));
  const act = (usable ? `${verb} ${rest}` : fromName(name))
    .replace(/ by (?:its |their )?ids?$/i, "")
    .replace(/\b(?:a|an) (?=customer|user|client|member|guest)/g, "the ")
    .replace(/\ba user's\b|\bthe user's\b|\ba customer's\b|\bthe customer's\b/g, "my")
    .replace(new RegExp(`\\b(?:a|an) (?=(?:[\\p{L}-]+ )?${escapePattern(tableNoun)}\\b)`, "gu"), "my ");
  const own = PEOPLE.has(tableNoun)
    ? new RegExp(`^(\\w+) (?:the|my) (.+) of (?:the|my) ${tableNoun}$`).exec(act)
    : null;
  if (own && who !== "")
    return `${own[1]} my ${own[2]} (${who.startsWith("with ") ? who.slice(5) : `${tableNoun} ${who}`})`;
  const at = new RegExp(`\\b${escapePattern(tableNoun)}s?\\b(?!')`).exec(act);
  if (at) return `${act.slice(0, at.index + at[0].length)} ${who}${act.slice(at.index + at[0].length)}`;
  // "remove stock from the watchlist" is of a row that a reading calls "stock info".
  const part = tableNoun.split(" ").find((word) => tableNoun.includes(" ") && act.split(" ").slice(1).includes(word));
  if (part !== undefined) return act.replace(new RegExp(`(?<= )${escapePattern(part)}\\b`), `the $& ${who}`);
  return `${act} ${/^(?:apply|add|attach|assign)\b/.test(act) ? "to" : "for"} ${tableNoun} ${who}`;
}

/** What a description says of the other side of an exchange; the values say it better. */
const OTHER_SIDE = / (?:for|to|with|into|by) (?:a |an |the )?(?:other|another|new|different)\b[^,.]*$/;

/** Parameters that stand for the old and the new of one thing: `product_id` and `new_product_id`. */
function exchanges(args: JsonObject, skip: ReadonlySet<string>): [old: string, fresh: string][] {
  return Object.keys(args).flatMap((fresh): [string, string][] => {
    const old = fresh.replace(/^new_/, "");
    return old !== fresh && Object.hasOwn(args, old) && !skip.has(old) && !skip.has(fresh) ? [[old, fresh]] : [];
  });
}

/** A request with a call's arguments: "change the address to 6 Harbour Road", "cancel order #W1, since it is no longer needed". */
export function withArguments(
  act: string,
  args: JsonObject,
  words: Readonly<Record<string, string>>,
  skip: ReadonlySet<string>,
): string {
  const address = addressInWords(args, skip);
  const swaps = exchanges(args, skip);
  const told = new Set([...skip, ...(address?.names ?? []), ...swaps.flat()]);
  const rest = Object.entries(args).filter(([name]) => !told.has(name));
  const priced = Object.keys(args).some((name) => /(?:^|_)(?:price|rate)$/.test(name));
  const say = (name: string) =>
    // Beside a price an amount is how many.
    sayArgument(name, args[name] as Json, priced && name === "amount" ? String(args[name]) : words[name]);
  const swapped = swaps.map(
    ([old, fresh]) => `${say(old)} for ${words[fresh] ?? sayValue(args[fresh] as Json, fresh)}`,
  );
  const plain = (swaps.length > 0 ? act.replace(OTHER_SIDE, "") : act).replace(/\b(?:the|my) (?:whole|entire) /, "my ");
  const picked = pickedOut(plain, rest, words);
  const others = rest.filter(([name]) => !REASON.test(name) && name !== picked?.name).map(([name]) => say(name));
  const reasons = rest
    .filter(([name]) => REASON.test(name))
    .map(([name, value]) => reasonFor(argumentLabel(name), words[name] ?? sayValue(value, name)));
  if (picked && swapped.length === 0 && address === undefined) {
    const [only, ...more] = others;
    const using = more.length === 0 && only !== undefined ? /^payment by (.+)$/.exec(only)?.[1] : undefined;
    const means = using && `${/^(?:the|my) /.test(using) ? "" : "my "}${using}`;
    const how =
      means !== undefined
        ? `, ${/^(?:return|refund)\b/.test(picked.act) ? "with the refund to" : "using"} ${means}`
        : others.length > 0
          ? `, with ${enumerated(others)}`
          : "";
    return [`${picked.act}${how}`, ...reasons].join(", ");
  }
  const whole = address === undefined ? plain : withAddress(plain, address);
  const [one] = Object.keys(args).filter((name) => !told.has(name) && !REASON.test(name));
  if (one !== undefined && others.length === 1 && swapped.length === 0 && address === undefined) {
    const value = args[one] as Json;
    const to = words[one] ?? (typeof value === "string" ? sayValue(value, one) : undefined);
    const changed = to === undefined ? undefined : setTo(plain, { what: argumentLabel(one), to });
    // "apply credit for order A: amount $10" is "apply credit of $10 for order A".
    const isAmount = argumentLabel(one) === "amount" && typeof value === "number";
    const amount = isAmount ? /^\w+ [a-z ]+?(?= for | to |$)/.exec(plain)?.[0] : undefined;
    const said = amount?.replace(/^(apply|grant|give|issue) (?=(?:credit|discount|refund|payment)$)/, "$1 a ");
    const put = changed ?? (amount && `${said} of ${sayValue(value, one)}${plain.slice(amount.length)}`);
    if (put !== undefined) return [put, ...reasons].join(", ");
  }
  const listed = enumerated([...swapped, ...others]);
  const full = listed === "" ? whole : address === undefined ? `${whole}: ${listed}` : `${whole}, with ${listed}`;
  return [full, ...reasons].join(", ");
}

/** "return some items of my order A" with the item meant: "return the Bookshelf of my order A". Undefined where no argument names it. */
function pickedOut(
  act: string,
  rest: readonly [string, Json][],
  words: Readonly<Record<string, string>>,
): { readonly act: string; readonly name: string } | undefined {
  const [, verb = "", kind = "", place = ""] =
    /^(\w+) (?:some|an?|one or more) ([a-z]+) ((?:of|in|from|on) .+)$/.exec(act) ?? [];
  const name = rest.find(([own]) => singular(argumentLabel(own)) === singular(kind) && words[own] !== undefined)?.[0];
  if (name === undefined) return undefined;
  const said = words[name] as string;
  const from = verb === "return" ? place.replace(/^of /, "from ") : place;
  return { name, act: `${verb} the ${/^with\b/.test(said) ? `${singular(kind)} ` : ""}${said} ${from}` };
}

/** An argument as a person says it: label and value, "5 bags" for a count, "flight HAT1 on May 4, 2024" for a list of things. */
function sayArgument(name: string, value: Json, words: string | undefined): string {
  const label = argumentLabel(name);
  if (words === undefined && typeof value === "number" && /[^s]s$/.test(label) && kindOf(value, name) !== "money")
    return `${value} ${value === 1 ? [...label.split(" ").slice(0, -1), singular(label.split(" ").at(-1) ?? "")].join(" ") : label}`;
  if (words === undefined && Array.isArray(value) && value.length > 0 && value.every(isObject))
    return enumerated(value.map((item) => sayMembers(item, label.split(" ").map(singular))));
  if (words !== undefined && PAID.test(label) && !/^(?:with|ending|the one)\b/.test(words))
    return `payment by ${words}`;
  return `${label} ${words ?? sayValue(value, name)}`;
}
const PAID = /\bpayment$|\bpayment method$/;

const TOKEN = /"[^"]*"|\u201c[^\u201d]*\u201d|\S+/gu;

/**
 * Wishes that are the same for several things as one: "cancel the order A" and "cancel the order B" become "cancel the
 * orders A and B". Those that follow each other and differ in one word or quoted text; others stay as they are.
 */
export function joinedRequests(wishes: readonly string[]): string[] {
  const out: string[] = [];
  for (let from = 0; from < wishes.length; ) {
    let to = wishes.length;
    let one = asOne(wishes.slice(from, to));
    while (one === undefined && to > from + 1) {
      to -= 1;
      one = asOne(wishes.slice(from, to));
    }
    out.push(one ?? (wishes[from] as string));
    from = to;
  }
  return out;
}

const NO_THING = /^(?:to|at|in|on|by|as|of|for|from|with|and|called|titled|saying)$/;

function asOne(wishes: readonly string[]): string | undefined {
  const rows = wishes.map((wish) => wish.match(TOKEN) ?? []);
  const [first = []] = rows;
  if (rows.some((row) => row.length !== first.length)) return undefined;
  const differ = first.flatMap((_, i) => (rows.some((row) => row[i] !== first[i]) ? [i] : []));
  const at = differ[0];
  // The first word is the verb, and the thing has a name before it.
  if (differ.length !== 1 || at === undefined || at < 2) return undefined;
  const told = rows.map((row) => row[at] as string);
  const end = told.every((thing) => thing.endsWith(",")) ? "," : "";
  const things = told.map((thing) => (end === "" ? thing : thing.slice(0, -1)));
  if (new Set(things).size < things.length || things.some((thing) => /[,.;:!?]$/.test(thing))) return undefined;
  const kind = first[at - 1] as string;
  // "my order" and "the pending order" are of a kind; the first word is the verb.
  const article = [first[at - 2], at > 3 && /^[a-z]+$/.test(first[at - 2] ?? "") ? first[at - 3] : ""];
  if (!/^[a-z]+$/.test(kind) || !article.some((word) => word === "the" || word === "my") || NO_THING.test(kind))
    return undefined;
  const joined = [...first.slice(0, at - 1), plural(kind), `${enumerated(things)}${end}`, ...first.slice(at + 1)];
  return joined
    .join(" ")
    .replace(/\bsince it (?:is|was) /, (of) => (of.endsWith("is ") ? "since they are " : "since they were "));
}
