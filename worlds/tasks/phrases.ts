import { isObject, type Json, type JsonObject } from "../json.ts";
import { escapePattern } from "../pattern.ts";
import { saidAddress } from "./address.ts";
import { humanize, singular, stems } from "./checks/words.ts";
import { kindOf, spoken } from "./kinds.ts";
import { numbered } from "./leaves.ts";
import type { Random } from "./random.ts";
import type { ToolView } from "./surface.ts";

/** Who asks, and how. */
export interface Voice {
  readonly persona: string;
  readonly register: "plain" | "polite" | "terse" | "chatty";
  /** What this persona says before the request; where absent, what its name has words for, in a share of the requests. */
  readonly lead?: string | undefined;
}

/** Who asks, and what they say of themselves where they say anything. */
export const LEADS: Readonly<Record<string, readonly string[]>> = {
  "returning customer": ["I've been with you for years.", "It's me again."],
  "first-time user": ["I'm new to this.", "This is my first time here."],
  "busy professional": ["I'm between meetings.", "I'm in a bit of a hurry."],
  "careful planner": ["I'm putting my papers in order.", "I like to have things settled early."],
};
/** The personas that requests are voiced in. */
export const PERSONAS: readonly string[] = Object.keys(LEADS);
/** The registers that requests are phrased in. */
export const REGISTERS = ["plain", "polite", "terse", "chatty"] as const satisfies readonly Voice["register"][];

/** How many voices there are: each persona in each register. */
export const VOICES = PERSONAS.length * REGISTERS.length;

/** The n-th voice: personas and registers go round so that each pair comes up. */
export function voiceOf(n: number): Voice {
  return {
    persona: PERSONAS[Math.floor(n / REGISTERS.length) % PERSONAS.length] as string,
    register: REGISTERS[n % REGISTERS.length] as Voice["register"],
  };
}

/** A voice as a task keeps it. */
export function saidIn({ persona, register, lead }: Voice): Voice {
  return { persona, register, ...(lead === undefined ? {} : { lead }) };
}

/** A request as its persona begins it: with its own words, else in a share of the chatty and polite ones with a word about themselves. */
function led(voice: Voice, request: string, rng: Random): string {
  if (voice.lead !== undefined) return begun(voice.lead, request);
  const leads = LEADS[voice.persona];
  if (leads === undefined || voice.register === "terse" || voice.register === "plain" || rng.next() > 0.4)
    return request;
  return begun(rng.pick(leads), request);
}

function begun(lead: string, request: string): string {
  const greeting = /^(?:Hello!|Good (?:morning|afternoon)[.,]|Hi there,|Hey,) /.exec(request)?.[0];
  return greeting === undefined
    ? `${lead} ${request}`
    : `${greeting.trim().replace(/[.,]$/, "!")} ${lead} ${capital(request.slice(greeting.length))}`;
}

function capital(text: string): string {
  return text === "" ? text : (text[0] as string).toUpperCase() + text.slice(1);
}

/** A noun for a table's rows. */
export function noun(table: string): string {
  return humanize(table).split(" ").map(singular).join(" ");
}

/** A question for a piece of information, in a voice. `what` is a noun phrase such as "total of order #W1". */
export function ask(voice: Voice, what: string, rng: Random): string {
  return led(voice, asked(voice, what, rng), rng);
}

function asked(voice: Voice, what: string, rng: Random): string {
  switch (voice.register) {
    case "plain":
      return rng.pick([`What is the ${what}?`, `I'd like to know the ${what}.`]);
    case "polite":
      return rng.pick([
        `Hello! Could you please tell me the ${what}? Thank you.`,
        `Good morning, would you mind checking the ${what} for me, please?`,
      ]);
    case "terse":
      return rng.pick([`Need the ${what}.`, `${capital(what)}?`]);
    case "chatty":
      return rng.pick([
        `Hi there, I was going through my notes and can't make it out. Can you look up the ${what} for me?`,
        `Hey, quick question, hope you can help: what is the ${what}?`,
      ]);
  }
}

/** A question that is a sentence of its own, such as "which items of order #W1 cost more than $10.00". */
export function wonder(voice: Voice, question: string, rng: Random): string {
  return led(voice, wondered(voice, question, rng), rng);
}

function wondered(voice: Voice, question: string, rng: Random): string {
  switch (voice.register) {
    case "plain":
      return `${capital(question)}?`;
    case "polite":
      return rng.pick([
        `Hello! Could you please tell me: ${question}? Thank you.`,
        `Good morning. ${capital(question)}, please?`,
      ]);
    case "terse":
      return `${capital(question)}?`;
    case "chatty":
      return rng.pick([
        `Hi there, one thing I've been wondering about: ${question}?`,
        `Hey, quick question, hope you can help: ${question}?`,
      ]);
  }
}

/** A wish that something be done, in a voice. `act` is an imperative such as "cancel order #W1". */
export function want(voice: Voice, act: string, rng: Random): string {
  return led(voice, wanted(voice, act, rng), rng);
}

function wanted(voice: Voice, act: string, rng: Random): string {
  switch (voice.register) {
    case "plain":
      return rng.pick([`I'd like to ${act}.`, `Please ${act}.`]);
    case "polite":
      return rng.pick([
        `Hello! Could you please ${act}? Thank you very much.`,
        `Good afternoon, I would like to ${act}, please.`,
      ]);
    case "terse":
      return `${capital(act)}.`;
    case "chatty":
      return rng.pick([
        `Hi there, hope you're having a good day! I need to ${act}.`,
        `Hey, something came up on my side and I want to ${act}.`,
      ]);
  }
}

/** Several wishes as one request. */
export function wantAll(voice: Voice, acts: readonly string[], rng: Random): string {
  const [first = "", ...rest] = acts;
  return `${want(voice, first, rng)} ${rest.map((act) => rng.pick([`Also, please ${act}.`, `And then please ${act}.`])).join(" ")}`;
}

/** Rows that are the person who asks. */
const PEOPLE: ReadonlySet<string> = new Set(["user", "customer", "client", "member", "guest", "account"]);
const IMPERATIVE = /^([A-Z]?[a-z]+) (.+)$/;

/** What a tool does as an imperative, from the first sentence of its description, else from its name. `who` names the row it acts on, and is put after its noun. */
export function imperative(view: ToolView, tableNoun: string, who: string): string {
  const first =
    (view.tool.description ?? "")
      .split(/(?<=[.!])\s|\n|\. /)[0]
      ?.replace(/[.!]$/, "")
      .trim() ?? "";
  const match = IMPERATIVE.exec(first);
  const verb = match?.[1]?.toLowerCase() ?? "";
  const usable =
    match &&
    first.split(" ").length <= 14 &&
    humanize(view.name)
      .split(" ")
      .some(
        (word) =>
          word === verb ||
          word.slice(0, 4) === verb.slice(0, 4) ||
          ["change", "modify", "update", "edit", "set"].includes(verb),
      );
  let act = usable ? first[0]?.toLowerCase() + first.slice(1) : humanize(view.name);
  act = act
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
  return `${act} for ${tableNoun} ${who}`;
}

const TOWARDS = /^(?:change|modify|update|edit|set|correct|move|redirect|send|ship|deliver|forward)\b/i;
const REASON = /(?:^|_)(?:reason|purpose|why)$/;
/** What a description says of the other side of an exchange; the values say it better. */
const OTHER_SIDE = / (?:for|to|with|into|by) (?:a |an |the )?(?:other|another|new|different)\b[^,.]*$/;

/** Parameters that stand for the old and the new of one thing: `product_id` and `new_product_id`. */
function exchanges(args: JsonObject, skip: ReadonlySet<string>): [old: string, fresh: string][] {
  return Object.keys(args).flatMap((fresh): [string, string][] => {
    const old = fresh.replace(/^new_/, "");
    return old !== fresh && Object.hasOwn(args, old) && !skip.has(old) && !skip.has(fresh) ? [[old, fresh]] : [];
  });
}

/** A wish with a call's arguments as a person would add them: "change the address to 6 Harbour Road, Clifton, 60215", "cancel order #W1, reason: no longer needed", "exchange an item of order #W1: item Mug for new item Bowl". */
export function withArguments(
  act: string,
  args: JsonObject,
  words: Readonly<Record<string, string>>,
  skip: ReadonlySet<string>,
): string {
  const address = saidAddress(args, skip);
  const swaps = exchanges(args, skip);
  const told = new Set([...skip, ...(address?.names ?? []), ...swaps.flat()]);
  const rest = Object.entries(args).filter(([name]) => !told.has(name));
  const say = (name: string) => sayArgument(name, args[name] as Json, words[name]);
  const swapped = swaps.map(([old, fresh]) => `${say(old)} for ${say(fresh)}`);
  const others = rest.filter(([name]) => !REASON.test(name)).map(([name]) => say(name));
  const reasons = rest
    .filter(([name]) => REASON.test(name))
    .map(([name, value]) => `${argumentLabel(name)}: ${words[name] ?? sayValue(value, name)}`);
  const plain = (swaps.length > 0 ? act.replace(OTHER_SIDE, "") : act).replace(/\bthe (?=whole\b)/, "my ");
  const whole = address === undefined ? plain : `${plain} ${TOWARDS.test(act) ? "to" : "at"} ${address.text}`;
  const listed = enumerated([...swapped, ...others]);
  const full = listed === "" ? whole : address === undefined ? `${whole}: ${listed}` : `${whole}, with ${listed}`;
  return [full, ...reasons].join(", ");
}

/** "a, b and c". */
export function enumerated(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** An argument as a person says it: its label and value, "5 bags" for a count of things, "flight HAT1 on May 4, 2024" for a list of things. */
function sayArgument(name: string, value: Json, words: string | undefined): string {
  const label = argumentLabel(name);
  if (words === undefined && typeof value === "number" && /[^s]s$/.test(label) && kindOf(value, name) !== "money")
    return `${value} ${value === 1 ? [...label.split(" ").slice(0, -1), singular(label.split(" ").at(-1) ?? "")].join(" ") : label}`;
  if (words === undefined && Array.isArray(value) && value.length > 0 && value.every(isObject))
    return enumerated(value.map((item) => sayMembers(item, label.split(" ").map(singular))));
  return `${label} ${words ?? sayValue(value, name)}`;
}

/** The arguments that name something, as a person says them: "name Mia Lopez and zip 97201". */
export function sayArguments(args: JsonObject): string {
  const named = nameParts(args);
  const rest = Object.entries(args).filter(([name]) => !named?.names.has(name));
  return enumerated([
    ...(named ? [`name ${named.text}`] : []),
    ...rest.map(([name, value]) => `${argumentLabel(name)} ${sayValue(value, name)}`),
  ]);
}

/** A first and last name among arguments, as it is written. */
function nameParts(args: JsonObject): { readonly text: string; readonly names: ReadonlySet<string> } | undefined {
  const part = (pattern: RegExp) =>
    Object.keys(args).find((name) => pattern.test(name) && typeof args[name] === "string");
  const [first, last] = [part(/^(?:first|given)_?name$/i), part(/^(?:last|family)_?name$|^surname$/i)];
  if (first === undefined || last === undefined) return undefined;
  return { text: `${args[first]} ${args[last]}`, names: new Set([first, last]) };
}

/** A thing by its members: what it is called first, a date with "on", the others by their labels. */
function sayMembers(thing: JsonObject, noun: readonly string[]): string {
  const name = nameParts(thing);
  const kind = noun.join(" ");
  const said = Object.entries(thing).flatMap(([key, value]) => {
    if (name?.names.has(key)) return [];
    const own = stems(key);
    if (typeof value !== "object" && own[0] === noun.at(-1) && own.length > 1)
      return [{ rank: 0, text: `${kind} ${sayValue(value, key)}` }];
    if (/^(?:dob|date_of_birth|birth_?date)$/i.test(key)) return [{ rank: 2, text: `born ${sayValue(value, key)}` }];
    if (/^(?:date|day)$/i.test(key)) return [{ rank: 2, text: `on ${sayValue(value, key)}` }];
    return [{ rank: 3, text: `${argumentLabel(key)} ${sayValue(value, key)}` }];
  });
  const parts = [...(name ? [{ rank: 0, text: `${kind} ${name.text}` }] : []), ...said].sort((a, b) => a.rank - b.rank);
  return parts.map(({ text }) => text).join(" ");
}

/** A parameter's name as a person would label it. */
export function argumentLabel(name: string): string {
  const words = numbered(humanize(name)).split(" ");
  const core = words.filter((w) => w !== "id" && w !== "ids");
  return (core.length > 0 ? core : words).join(" ");
}

/** Any argument value in a user's words; lists joined by "and", members named. */
export function sayValue(value: Json, name: string): string {
  if (Array.isArray(value)) return enumerated(value.map((item) => sayValue(item, singular(name))));
  if (value === null) return "none";
  if (typeof value === "object") {
    return sayMembers(value, stems(name));
  }
  return value === "" ? "none" : spoken(value, name);
}
