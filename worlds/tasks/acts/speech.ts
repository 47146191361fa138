import { refOf } from "../script.ts";
import { enumerated } from "../words/phrases.ts";
import { nounOf, sayLiteral } from "./literals.ts";

/** What tells one thing from others of its kind. */
export const CODE = /^[\w#.-]*\d[\w#.-]*$/;

/** A login as who makes it says it: "log me in with username ann and password blue". Undefined for any other act. */
export function signingIn(act: string, args: Record<string, unknown>): string | undefined {
  const values = Object.entries(args);
  if (!/^(?:authenticate|log ?in|login|sign in|(?:sign|log) (?:an?|the|my) \w+ in)\b/.test(act) || values.length === 0)
    return undefined;
  if (values.some(([, value]) => typeof value !== "string" || refOf(value))) return undefined;
  const said = values.map(([name, value]) => `${nounOf(name)} ${sayLiteral(value as string, name)}`);
  return `log me in ${said.length === 1 && CODE.test(String(values[0]?.[1])) ? "as" : "with"} ${enumerated(said)}`;
}

/** Parameters that hold who is written to. */
const RECEIVER = /^(?:receiver|recipient|to|addressee)(?:_?(?:id|name))?$/i;

/** What an act says or writes, and to whom: "send the message "Hello" to Ann", "publish a post saying "Hello"". */
export function saying(
  act: string,
  args: readonly (readonly [string, unknown])[],
): { words: string; names: string[] } | undefined {
  const text = args.find(
    ([name, value]) =>
      /^(?:content|text|body|message|comment)$/i.test(name) &&
      typeof value === "string" &&
      !refOf(value) &&
      !/\n/.test(value),
  );
  const [, verb = "", thing = "", tail = ""] =
    /^(\w+) (an? (?:new )?(?:message|e?mail|post|comment|note|reply|tweet|review))\b(.*)$/.exec(act) ?? [];
  // Whom a result names is said in other words.
  const named = args.some(([name, value]) => RECEIVER.test(name) && refOf(value) !== undefined);
  if (text === undefined || thing === "" || text[1] === "" || named) return undefined;
  const said = sayLiteral(text[1] as string, text[0]);
  const to = args.find(([name, value]) => RECEIVER.test(name) && typeof value === "string" && !refOf(value));
  const rest = to === undefined ? tail : tail.replace(/ to (?:an?|the|another) \w+$/, "");
  const whom = to === undefined ? "" : ` to ${sayLiteral(to[1] as string, to[0])}`;
  return {
    words: `${verb} ${thing}${rest}${whom} saying ${/^["\u201c]/.test(said) ? said : `"${said}"`}`,
    names: [text[0], ...(to === undefined ? [] : [to[0]])],
  };
}

/** `new recipe` and `add book` as a person says them. */
export function fromName(name: string): string {
  const made = name.replace(/^new (?=\w)/, "create a new ");
  return made.replace(
    /^(add|create|make|open|post|place|register|send|submit|start|book|schedule|plan) (?!an? |new |all |my |the )(\w+)$/,
    (all, verb: string, thing: string) =>
      /s$/.test(thing) ? all : `${verb} ${/^[aeiou]/.test(thing) ? "an" : "a"} ${thing}`,
  );
}

/** "fill the tank: amount 30 gallons" as "fill the tank with 30 gallons"; undefined for other acts and where more is said. */
export function filledWith(act: string, parts: readonly string[]): string | undefined {
  const amount =
    parts.length === 1 && /^(?:re)?fill\b/.test(act) && /^amount (\S+ [a-z]+)$/.exec(parts[0] as string)?.[1];
  return amount ? `${act} with ${amount}` : undefined;
}

/** An act of which only a quoted text is left to say: "comment on the case 7: "Called again."". */
export function withText(act: string, parts: readonly string[]): string | undefined {
  const [part = ""] = parts;
  const text = /^(?:text|content|body|message) ("[^"]*"|\u201c[^\u201d]*\u201d)$/.exec(part)?.[1];
  return parts.length === 1 && text !== undefined ? `${act}: ${text}` : undefined;
}
