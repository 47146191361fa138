import { escapePattern } from "../../pattern.ts";
import { NAMING } from "../leaves.ts";
import { PROPER } from "./literals.ts";
import { CODE } from "./speech.ts";

/** What is no thing that could be "of" another. */
const STATE = /(?:^| )(?:done|complete|open|ready|read|\w+ed|up|down|on|off|out|in)$/;

/** What goes on after a thing, and is no part of it. */
const JOINS = /^ (?:to|for|from|of|by|in|into|on|at|as|with|and|or)\b/;

/** The words on a part, before what goes on after it. */
const HEAD = /^.+?(?= (?:to|for|from|by|in|into|on|at|as|with)\b|$)/;

/** A part with the thing that it is of: "details for a user" as "details of the ticket T-9 for a user". */
const partOf = (part: string, whole: string): string => part.replace(HEAD, (head) => `${head} of ${whole}`);

const isState = (part: string): boolean => STATE.test(HEAD.exec(part)?.[0] ?? "");

/**
 * An act with a made thing named where it speaks of one: "a task's status" becomes "the status of the task "…"".
 * Undefined where it does not.
 */
export function putMade(act: string, noun: string, whole: string, sentence: boolean): string | undefined {
  const thing = escapePattern(noun);
  const article = "(?:(?:an?|the|my) )(?:(?:existing|specific|given|specified|particular) )?";
  const owner = new RegExp(`\\b${article}${thing}'s ([\\w /-]+)$`).exec(act);
  if (owner) return `${act.slice(0, owner.index)}the ${partOf(owner[1] ?? "", whole)}`;
  const plain = new RegExp(`\\b${article}${thing}\\b(?!')(?! \\w+ing\\b)`).exec(act);
  if (plain) return `${act.slice(0, plain.index)}${whole}${act.slice(plain.index + plain[0].length)}`;
  const part = new RegExp(`^(\\w+) ${thing} ([\\w /-]+)$`).exec(act);
  if (part && !isState(part[2] ?? "")) return `${part[1]} the ${partOf(part[2] ?? "", whole)}`;
  const bare = sentence ? null : new RegExp(`\\b${thing}\\b`).exec(act);
  return bare ? `${act.slice(0, bare.index)}${whole}${act.slice(bare.index + bare[0].length)}` : undefined;
}

/** Currencies by their signs; dollars are what an amount is in where nothing tells another. */
const SIGNS: readonly (readonly [string, RegExp])[] = [
  ["\u20ac", /\u20ac|\beuros?\b|\bEUR\b/i],
  ["\u00a3", /\u00a3|\bpounds?\b|\bGBP\b/i],
];

/**
 * An amount and what follows it: of money where the act speaks of that, "fund the account with $500", and of things
 * where it says of what, "transfer 5 shares to another account".
 */
function amountIn(act: string, after: string, text: string, description: string | undefined): string {
  const [whole = "", of = ""] = /^ of (\w+)\b/.exec(after) ?? [];
  const isOfMoney = /^(?:funds?|money|cash|credit)$/.test(of);
  if (of && !isOfMoney) return `${text}${after.slice(/^(?:an?|the|my|its)$/.test(of) ? 0 : " of".length)}`;
  const isMoney = /\b(?:accounts?|balance|funds?|money|cash|credit|deposit)\b/.test(act) && /^[\d.,]+$/.test(text);
  const sign = SIGNS.find(([, spoken]) => spoken.test(description ?? ""))?.[0] ?? "$";
  return isMoney ? `${sign}${text}${after.slice(whole.length)}` : `${text}${after}`;
}

/** An act on a thing with the name that a parameter's description says is of it: "add a contact" as "add Kelly as a contact". */
export function putName(act: string, name: string, description: string | undefined, text: string): string | undefined {
  const [, verb, article, thing, rest] = /^([a-z]+) (an?|the) ([a-z]+)\b(?!')(.*)$/.exec(act) ?? [];
  if (!NAMING.test(name) || thing === undefined) return undefined;
  if (!new RegExp(`\\b${escapePattern(thing)}\\b`, "i").test(description ?? "")) return undefined;
  return /^(?:add|register|invite|enrol)$/.test(verb ?? "")
    ? `${verb} ${text} as ${article} ${thing}${rest}`
    : `${verb} the ${thing} ${text}${rest}`;
}

/** Where in a thing something is put. */
const PLACE = / at the (?:end|top|bottom|start|beginning|left|right)$/;

/** A bound as people say it: "set a goal" with at_least 200 is "set a goal of at least 200". Undefined where nothing has one. */
export function putBound(act: string, label: string, text: string): string | undefined {
  const [made = ""] = /^[a-z]+ an? [a-z]+(?= |$)/.exec(act) ?? [];
  if (made === "" || !/^(?:at (?:least|most)|(?:more|less|fewer) than|up to)$/.test(label)) return undefined;
  return `${made} of ${label} ${text}${act.slice(made.length)}`;
}

/** Names of arguments that hold what a thing, or somebody, is known by. */
const KNOWN_BY = /^(?:id|number|no|code|key|ref|reference|name|handle|user|username|account)$/;

/**
 * An act with a value put where a person says it: "plan a recipe" as "plan the recipe rye-bread", "change the plan" as
 * "change the plan to family", "pay an invoice" as "pay the invoice R-2203", "follow somebody" as "follow mira".
 */
export function putPlain(act: string, name: string, noun: string, text: string): string | undefined {
  const thing = escapePattern(noun);
  const written = new RegExp(`^(add|write|send|post) an? ${thing}\\b(?!'| \\w+ing\\b)`).exec(act);
  if (written && /^["\u201c]/.test(text)) return `${written[1]} the ${noun} ${text}${act.slice(written[0].length)}`;
  if (/\s/.test(text)) return undefined;
  if (PLACE.test(act) && !/^[\d.]+$/.test(text)) return `${act} of the ${noun} ${text}`;
  if (new RegExp(`^(?:change|switch|set) the ${thing}$`).test(act)) return `${act} to ${text}`;
  const own = new RegExp(`\\b(?:an?|another) ${thing}\\b(?!'| \\w+ing\\b)`).exec(act);
  // "for the day Monday" is "for Monday".
  const said = /^(?:day|month)$/.test(noun) && PROPER.test(text) ? text : `the ${noun} ${text}`;
  if (own) return `${act.slice(0, own.index)}${said}${act.slice(own.index + own[0].length)}`;
  if (/^(?:sign|log) in$/.test(act) && KNOWN_BY.test(noun)) return `${act} as ${text}`;
  if (noun === "password") return `${act} with the password ${text}`;
  if (!KNOWN_BY.test(noun) && !KNOWN_BY.test(name)) return undefined;
  const somebody = /\b(?:somebody|someone|a person|an? user|an? account)$/.exec(act);
  if (somebody) return `${act.slice(0, somebody.index)}${text}`;
  const only = /^([a-z]+) an? ([a-z]+)$/.exec(act);
  return only && !/^(?:add|create|make|open|register|write)$/.test(only[1] ?? "")
    ? `${only[1]} the ${only[2]} ${text}`
    : undefined;
}

/**
 * An act with a value put where it speaks of it: "the given sector" as "the sector Technology", "a new task" as "a
 * new task titled "…"".
 */
export function putGiven(
  act: string,
  name: string,
  noun: string,
  text: string,
  description?: string,
): string | undefined {
  const thing = escapePattern(noun);
  const known = new RegExp(
    `\\b(?:an?|the) (?:existing|specific|given|specified|particular)((?: [a-z]+){0,3}?) ${thing}\\b(?!')( (?:id|name|number|code)\\b)?`,
    "i",
  ).exec(act);
  if (known) {
    const after = act.slice(known.index + known[0].length);
    const said = /^(?:amount|sum)$/.test(noun)
      ? amountIn(act, after, text, description)
      : `the${known[1]} ${noun}${known[2] ?? ""} ${text}${after}`;
    return `${act.slice(0, known.index)}${said}`;
  }
  const other = new RegExp(`\\b(?:another|a different) ${thing}\\b(?!')`).exec(act);
  if (other) return `${act.slice(0, other.index)}the ${noun} ${text}${act.slice(other.index + other[0].length)}`;
  const made = new RegExp(`\\b(an?) new((?: [a-z]+){0,3}?) ${thing}\\b(?!')`).exec(act);
  const named = NAMING.test(name) && PROPER.test(text) ? "called " : "";
  if (made) return `${act.slice(0, made.index)}${made[0]} ${named}${text}${act.slice(made.index + made[0].length)}`;
  const plain = new RegExp(`\\b(?:an?|the|my) ((?:[a-z]+(?<!new) )?)${thing}\\b(?!')(?! \\w+ing\\b)`).exec(act);
  if (plain && CODE.test(text))
    return `${act.slice(0, plain.index)}${plain[1] === "own " ? "my" : "the"} ${plain[1]}${noun} ${text}${act.slice(plain.index + plain[0].length)}`;
  const owner = new RegExp(`\\b(?:an?|the) (?:existing |specific |given )?${thing}'s ([\\w /-]+)$`).exec(act);
  if (owner && CODE.test(text))
    return `${act.slice(0, owner.index)}the ${partOf(owner[1] ?? "", `the ${noun} ${text}`)}`;
  const [, verb, rest] = new RegExp(`^([a-z]+) ${thing}\\b(?!')(.*)$`).exec(act) ?? [];
  if (verb && CODE.test(text))
    return rest && !isState(rest) && !JOINS.test(rest)
      ? `${verb} the${partOf(rest, `the ${noun} ${text}`)}`
      : `${verb} the ${noun} ${text}${rest}`;
  if (!NAMING.test(name) || !/\s/.test(text)) return undefined;
  // Only a new thing that ends the wish is known by a title: "rename" and "update" give it one.
  return /^(?:create|add|make|open|start|register|write|plan|draft|schedule|set up) (?:an?|one) (?:new )?[a-z]+(?: [a-z]+)?$/.test(
    act,
  )
    ? `${act} ${/name$/i.test(name) ? "called" : "titled"} ${text}`
    : undefined;
}
