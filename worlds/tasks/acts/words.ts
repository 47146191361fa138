import { isObject, type Json, type JsonObject } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { humanize, singular } from "../checks/words.ts";
import { inWords } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import type { Script } from "../schema.ts";
import { refOf } from "../script.ts";
import type { ToolView } from "../surface.ts";
import { addressInWords, withAddress } from "../words/address.ts";
import { corpusFor } from "../words/corpus.ts";
import { argumentLabel, enumerated } from "../words/phrases.ts";
import { REASON, reasonFor } from "../words/reasons.ts";
import { called, isMadeWith } from "./called.ts";
import { measured, nounOf, PROPER, sayLiteral } from "./literals.ts";
import { scalarsOf } from "./recorded.ts";
import { type Setting, setAll, settingOf } from "./settings.ts";
import { putBound, putGiven, putMade, putName, putPlain } from "./slots.ts";
import {
  CODE,
  countOf,
  fromName,
  isProse,
  type OpenArgument,
  phrasedByUsers,
  phraseOf,
  spanOf,
  withoutPlaceholder,
  withPhrases,
  writtenAs,
} from "./speech.ts";
import { putThings } from "./things.ts";

type Calls = Script["calls"];

/** Words that open a sentence which is no instruction. */
const NO_VERB =
  /^(?:this|that|these|those|it|the|an?|given|once|after|before|when|whenever|if|while|for|from|with|in|on|at|by|as|use|used|using|allows?|lets?|returns?|note|tool|function|helper|wrapper|please|you|your|all|any|only|tries)$/i;

const boiled = new WeakMap<Kit, ReadonlySet<string>>();

/** Sentences that a third of the listing's descriptions share say nothing of one tool. */
function shared(kit: Kit): ReadonlySet<string> {
  let found = boiled.get(kit);
  if (!found) {
    const counts = new Map<string, number>();
    for (const { tool } of kit.tools)
      for (const text of new Set(sentences(tool.description ?? ""))) counts.set(text, (counts.get(text) ?? 0) + 1);
    found = new Set([...counts].filter(([, n]) => n > 2 && n * 3 > kit.tools.length).map(([text]) => text));
    boiled.set(kit, found);
  }
  return found;
}

function sentences(text: string): string[] {
  return text
    .slice(0, 4_000)
    .split(/(?<=[.!?])\s+|;\s+|\n+/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** `Locks` as "lock" where the tool's name says so; a base form as it is; undefined for what is no verb. */
export function baseForm(word: string, name: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  if (!/^[a-z]+$/.test(lower) || (NO_VERB.test(lower) && !name.includes(lower)) || /(?:ing|ed|ly)$/.test(lower))
    return undefined;
  if (!lower.endsWith("s") || lower.endsWith("ss")) return lower;
  const bases = [lower.replace(/ies$/, "y"), lower.replace(/es$/, ""), lower.replace(/s$/, "")];
  const known = bases.find((base) => name.includes(base));
  return (
    known ?? (/(?:ches|shes|sses|xes|zes|oes)$/.test(lower) ? bases[1] : lower.endsWith("ies") ? bases[0] : bases[2])
  );
}

/** What a tool does as an imperative: the first sentence of its own that is one, else its name. Whether it is a sentence stands beside. */
export function imperativeOf(kit: Kit, view: ToolView): { readonly act: string; readonly sentence: boolean } {
  const name = humanize(view.name.split(/[./:]/).at(-1) ?? view.name);
  const plain = { act: fromName(name), sentence: false };
  const common = shared(kit);
  for (const text of sentences(view.tool.description ?? "")
    .filter((one) => !common.has(one))
    .slice(0, 2)) {
    const own = text
      .replace(/^[A-Z][\w ]{0,30}: /, "")
      .replace(/\s*\([^)]*\)/g, "")
      .replace(/[.!]$/, "")
      .trim();
    const [first = "", ...rest] = own.split(" ");
    const verb = baseForm(first, name.split(" "));
    // Tools are named in code; a request speaks of things.
    if (
      verb === undefined ||
      rest.length === 0 ||
      rest.length > 13 ||
      /[_`'"<>{}=]\w|\b[a-z]+[A-Z]/.test(rest.join(" ").replace(/'s\b/g, ""))
    )
      continue;
    const thirdPerson = verb !== first.toLowerCase();
    const tail = rest.join(" ");
    const act = `${verb} ${thirdPerson ? tail.replace(/\band (\w+?)(?:es|s)\b(?= (?:a|an|the|it|them) )/g, "and $1") : tail}`;
    return { act: trimmed(act), sentence: true };
  }
  return plain;
}

/** Without the clauses that tell when, what for and what comes back. */
function trimmed(act: string): string {
  return (
    act
      .replace(
        /,? (?:so that|in order to|whenever|when|if|while|based on|including|which|returning|and (?:return|get)s?) .*$/,
        "",
      )
      .replace(/,? (?:and|with) optional\b.*$/, "")
      // What one thing has to be is no wish: "remove a recipe that is not planned". Of several it says which.
      .replace(/^([a-z]+ an? [a-z]+) that (?:is|was|has|can|may|must)\b.*$/, "$1")
      .replace(/\b(?:an|the|one's) own\b/, "my own")
      .replace(/ to (?!an?\b|another\b|the\b|my\b|your\b|your\b|it\b|\w+$)[a-z]+ [a-z ]+$/, "")
      .replace(/ by (?:its |their )?ids?$/i, "")
      .replace(/^log in an? (?:user|customer|client|member)\b/, "log in")
      .replace(/^comment (?=an? |the |my )/, "comment on ")
      .replace(/ (?:and\/or) /g, " or ")
      .replace(/\b(?:his|her|their|the user's|a user's|the customer's|your)\b/g, "my")
  );
}

/** What is given for what: literal arguments such as `item_ids` and `new_item_ids`. */
function swapsOf(args: Record<string, unknown>): [name: string, old: Json, fresh: Json][] {
  const literal = (value: unknown) => scalarsOf({ value: value as Json }).every((place) => !refOf(place.value));
  return Object.keys(args).flatMap((name): [string, Json, Json][] => {
    const fresh = args[`new_${name}`];
    return fresh !== undefined && literal(args[name]) && literal(fresh)
      ? [[name, args[name] as Json, fresh as Json]]
      : [];
  });
}

/** Names of arguments that hold what a thing is known by. */
const KEY = /(?:^|_)(?:id|key|ref|code|number)$|Id$/;
const isCode = (name: string, value: unknown): value is string =>
  KEY.test(name) && typeof value === "string" && CODE.test(value);
/** Words that say no more of a thing than that it is the one spoken of. */
const FIRST = /^(?:original|initial|main|whole|full) /;

/** What is no thing that a deed is for: nobody orders "for the price of ZETA". */
const FIGURE = /(?:^| )(?:price|cost|amount|balance|rate|value|total)$/;

const isReason = (name: string, value: unknown): boolean =>
  REASON.test(name) && typeof value === "string" && !refOf(value) && value.length <= 60 && !/[.!?]$/.test(value);

/**
 * One call as a wish: "update the status of the task "Fix the report": status done". Undefined where a person could not say
 * it; `plainly` where that takes no label and its value after a colon either, or the act is one of two that the tool does.
 */
export function actOf(kit: Kit, calls: Calls, at: number, plainly = false): string | undefined {
  const call = calls[at];
  const view = kit.tools.find(({ name }) => name === call?.tool);
  if (!call || !view) return undefined;
  const { act, sentence } = imperativeOf(kit, view);
  const address = addressInWords(call.args as JsonObject, new Set());
  const given = settingOf(call.args);
  const setting = given && { ...given, to: sayLiteral(given.to, given.what) };
  let words = act;
  let placed: ReturnType<typeof refOf>;
  let titled = false;
  const phrases: string[] = [];
  const texts: string[] = [];
  const left = new Map<string, OpenArgument>();
  const listed: string[] = [];
  const lists: string[] = [];
  const late: string[] = [];
  const counts: string[] = [];
  const literals = new Map<string, Setting>();
  const asides: string[] = [];
  let coded = false;
  const speaksOf = ([name, value]: [string, unknown]) =>
    refOf(value) === undefined
      ? isCode(name, value) && putGiven(act, name, nounOf(name), value) !== undefined
      : putMade(act, nounOf(name), "", sentence) !== undefined;
  const swaps = swapsOf(call.args);
  if (swaps.some(([, old, fresh]) => JSON.stringify(old) === JSON.stringify(fresh))) return undefined;
  const span = spanOf(call.args);
  if (span) phrases.push(span.said);
  const swapped = new Set([...swaps.flatMap(([name]) => [name, `new_${name}`]), ...(span?.names ?? [])]);
  const args = Object.entries(call.args).filter(
    ([name]) =>
      !swapped.has(name) && !address?.names.has(name) && !setting?.names.has(name) && !isReason(name, call.args[name]),
  );
  for (const [name, value] of [...args.filter(speaksOf), ...args.filter((one) => !speaksOf(one))]) {
    const noun = nounOf(name);
    const ref = refOf(value);
    if (ref) {
      const said = called(kit, calls, ref, noun);
      if (!said) return undefined;
      const spoken = putMade(words, noun, said.whole, sentence);
      if (spoken === undefined && FIGURE.test(noun)) return undefined;
      if (spoken === undefined && placed && isMadeWith(kit, calls, ref, placed)) continue;
      const taken = spoken ?? (placed ? undefined : `${words} for ${said.whole}`);
      placed ??= ref;
      if (taken === undefined) listed.push(said.name === undefined ? `${noun}: ${said.whole}` : `${noun} ${said.name}`);
      else words = taken;
      continue;
    }
    if (scalarsOf({ value: value as Json }).some((place) => refOf(place.value))) {
      const inside = sayNested(kit, calls, value as Json, name);
      if (inside === undefined) return undefined;
      listed.push(`${noun} ${inside}`);
      continue;
    }
    const said = sayLiteral(value as Json, name);
    const isFigure = typeof value === "number" || (typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value));
    const text = isFigure ? measured(view, name, said) : said;
    if (isProse(name, value) && value !== "") {
      texts.push(/^["\u201c]/.test(said) ? said : `"${said}"`);
      continue;
    }
    const description = view.params.find((param) => param.name === name)?.description;
    const taken =
      typeof value === "string" || typeof value === "number"
        ? ((plainly ? (putBound(words, noun, text) ?? putPlain(words, name, noun, text)) : undefined) ??
          putGiven(words, name, noun, text, description) ??
          putGiven(words, name, noun.replace(FIRST, ""), text, description) ??
          putName(words, name, description, text))
        : undefined;
    const phrase = taken === undefined ? phraseOf(view, name, value, said) : undefined;
    const lasting = lastingOf(name, value);
    const things = Array.isArray(value) && value.some(isObject) ? putThings(words, noun, value) : undefined;
    if (phrase !== undefined) phrases.push(phrase);
    else if (taken !== undefined) {
      titled ||= taken.endsWith(text);
      coded ||= isCode(name, value);
      words = taken;
    } else if (coded && isCode(name, value)) asides.push(`${noun} ${text}`);
    else if (lasting !== undefined) listed.push(lasting);
    else if (things !== undefined) words = things;
    else if (Array.isArray(value) && value.some(isObject))
      lists.push(`${value.length === 1 ? singular(noun) : noun}: ${text}`);
    else if (typeof value === "string" && /\n/.test(value)) late.push(`${argumentLabel(name)} ${text}`);
    else {
      const label = writtenAs(view, shorter(words, noun));
      const count = plainly ? countOf(label, value as Json, text) : undefined;
      if (count !== undefined) {
        listed.push(count);
        counts.push(count);
        continue;
      }
      const said = sayNamed(name, label, value as Json, text);
      if (typeof value !== "boolean" && typeof value !== "object" && !KEY.test(name))
        literals.set(said, { what: said.slice(0, -text.length).trim(), to: text });
      if (typeof value === "string" || typeof value === "number")
        left.set(said, { label: said.slice(0, -text.length).trim(), text });
      listed.push(said);
    }
  }
  for (const [name, old, fresh] of swaps)
    listed.unshift(`${nounOf(name)} ${sayLiteral(old, name)} for ${sayLiteral(fresh, name)}`);
  const reasons = Object.entries(call.args)
    .filter(([name, value]) => isReason(name, value))
    .map(([name, value]) => `, ${reasonFor(argumentLabel(name), inWords(value as string, name))}`)
    .join("");
  if (address) words = withAddress(words, address);
  const settings = setting ? [setting] : listed.flatMap((one) => literals.get(one) ?? []);
  const isAll = listed.length === (setting ? 0 : settings.length) && lists.length + late.length === 0;
  const moved = given && corpusFor(kit)?.movesTo(given.what, String(given.to));
  const changed = isAll ? setAll(words, settings, moved) : undefined;
  // Who names a thing by its code says in brackets what it is in.
  const aside = asides.length === 0 ? "" : ` (${enumerated(asides)})`;
  if (changed) return `${changed}${aside}${reasons}`;
  if (setting) listed.push(`${setting.what} ${setting.to}`);
  const parts = [...listed, ...lists, ...late];
  const bare = withoutPlaceholder(withPhrases(words, phrases), parts);
  const labels = parts.flatMap((part) => left.get(part) ?? []);
  const open = !titled && phrases.length === 0 && labels.length > 0 && labels.length === parts.length;
  const whole = open
    ? phrasedByUsers(kit, bare, labels)
    : withRemainingWords(bare, parts, { titled, listed, late, args });
  const quoted = texts.length === 0 ? "" : `: ${enumerated(texts)}`;
  // "send a mail to Ann with the subject "Lunch": "At one."", "add a visit with the page /jobs and 20 seconds".
  const isPlain = plainly && !titled && parts.length > 0 && (quoted !== "" || MAKES.test(bare));
  if (isPlain && parts.every((part) => left.has(part) || counts.includes(part)))
    return `${bare} with ${enumerated(parts.map((part) => (left.has(part) ? `the ${part}` : part)))}${aside}${quoted}${reasons}`;
  if (whole === undefined || (plainly && (isLabelled(whole) || TWOFOLD.test(whole)))) return undefined;
  return `${whole}${aside}${quoted}${reasons}`;
}

/** Whether labels stand with their values after a colon. */
const isLabelled = (wish: string): boolean => /: (?!["\u201c])/.test(wish) && !MAKES.test(wish);
/** Who has something made says what it is to be. */
const MAKES = /^(?:add|book|create|draw|log|make|open|record|register|schedule|set) an? /;
/** "rename the Wi-Fi or opens one for guests". */
const TWOFOLD = / or [a-z]+s (?:an?|the|one|it)\b/;

/** An act with all that is left to say of it. */
function withRemainingWords(
  bare: string,
  parts: readonly string[],
  {
    titled,
    listed,
    late,
    args,
  }: {
    readonly titled: boolean;
    readonly listed: readonly string[];
    readonly late: readonly string[];
    readonly args: readonly (readonly [string, unknown])[];
  },
): string {
  if (parts.length === 0) return bare;
  const [[only, value] = ["", null]] = args;
  // "fill 4 litres", where the verb is all that the name says.
  if (args.length === 1 && typeof value === "number" && !bare.includes(" ") && /[^s]s$/.test(nounOf(only)))
    return `${bare} ${value} ${nounOf(only)}`;
  if (parts.length === 1 && late.length === 1) return `${bare}, with the ${late[0]}`;
  return titled && listed.length === parts.length
    ? `${bare}, with ${enumerated(parts)}`
    : `${bare}: ${enumerated(parts)}`;
}

/** "task type" as "type" where it is the task that is spoken of. */
function shorter(act: string, noun: string): string {
  const [first, ...rest] = noun.split(" ");
  return rest.length > 0 && new RegExp(`\\b(?:new|the|an?) ${escapePattern(first ?? "")}\\b`).test(act)
    ? rest.join(" ")
    : noun;
}

/** "estimate_hours" of 2 as "an estimate of 2 hours"; undefined for what is no span of time. */
function lastingOf(name: string, value: unknown): string | undefined {
  const [, what, unit = ""] = /^(.+) (minutes|hours|days|weeks|months|years)$/.exec(argumentLabel(name)) ?? [];
  if (what === undefined || typeof value !== "number") return undefined;
  return `${/^[aeiou]/.test(what) ? "an" : "a"} ${what} of ${value} ${value === 1 ? singular(unit) : unit}`;
}

function sayNamed(name: string, noun: string, value: Json, text: string): string {
  if (typeof value === "boolean") return `${argumentLabel(name)}: ${text}`;
  if (Array.isArray(value) && value.length === 1) return `${singular(noun)} ${text}`;
  const code = typeof value === "string" ? !/\s/.test(value) : NUMBERED.test(name);
  return `${code || noun !== nounOf(name) ? noun : argumentLabel(name)} ${text}`;
}
/** Names of arguments whose figure names a thing. */
const NUMBERED = /(?:^|_)(?:no|nr|num|id)$|[a-z](?:No|Nr|Num|Id)$/;

function sayNested(kit: Kit, calls: Calls, value: Json, name: string): string | undefined {
  const ref = refOf(value);
  if (ref) return called(kit, calls, ref, nounOf(name))?.whole;
  if (Array.isArray(value)) {
    const said = value.map((item) => sayNested(kit, calls, item, singular(name)));
    return said.includes(undefined) ? undefined : enumerated(said as string[]);
  }
  if (!isObject(value)) return sayLiteral(value, name);
  const said = Object.entries(value).map(([key, item]) => {
    const inner = sayNested(kit, calls, item, key);
    return inner === undefined ? undefined : `${argumentLabel(key)} ${inner}`;
  });
  return said.includes(undefined) ? undefined : enumerated(said as string[]);
}

/** Whether an argument only chooses what of a thing is read, in one word. */
export function isChoice(name: string, value: unknown): value is string {
  return CHOOSING.test(name) && typeof value === "string" && /^[a-z]+(?:_[a-z]+)*$/i.test(value);
}

/** A short name in capitals that needs no word for its kind: of a share, an airport, a currency. */
const TICKER = /^[A-Z]{2,6}$/;
/** Parameters that only choose what of a thing is read. */
const CHOOSING = /^(?:field|option|property|attribute|column|section|aspect)(?:_?name)?$/i;
/**
 * What a reading is asked about: "project borealis and file brief.md", "between Rome and Oslo"; empty where it takes
 * nothing, or only what `asked` says already. Undefined where a person could not say it.
 */
export function aboutOf(kit: Kit, calls: Calls, at: number, asked = ""): string | undefined {
  const call = calls[at];
  if (!call) return undefined;
  const parts: string[] = [];
  const args = Object.entries(call.args);
  const ends = args.length === 2 && args.every(([name]) => /(?:_|[a-z])(?:[AB12]|_[ab])$/.test(name));
  // Nobody asks what lies between a thing and itself.
  if (ends && args[0]?.[1] === args[1]?.[1]) return undefined;
  for (const [name, value] of args) {
    const noun = nounOf(name);
    const ref = refOf(value);
    const said = ref ? called(kit, calls, ref, noun) : undefined;
    if (ref && !said) return undefined;
    if (!ref && scalarsOf({ value: value as Json }).some((place) => refOf(place.value))) return undefined;
    const text = ref ? "" : sayLiteral(value as Json, name);
    if (isChoice(name, value) && asked !== "") continue;
    if (said) parts.push(said.name !== undefined || ends ? said.whole : `${noun} (${said.whole})`);
    else
      parts.push(
        ends || (args.length === 1 && (PROPER.test(text) || TICKER.test(text)))
          ? text
          : sayNamed(name, noun, value as Json, text),
      );
  }
  return ends ? `between ${enumerated(parts)}` : enumerated(parts);
}
