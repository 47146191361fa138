import { refOf } from "../script.ts";
import { enumerated } from "../words/phrases.ts";
import { nounOf, sayLiteral } from "./literals.ts";

/** What tells one thing from others of its kind. */
export const CODE = /^[\w#.-]*\d[\w#.-]*$/;

/** A login as who makes it says it: "log me in with username ann and password blue". Undefined for any other act. */
export function signingIn(act: string, args: Record<string, unknown>): string | undefined {
  const values = Object.entries(args);
  if (!/^(?:authenticate|log ?in|login|sign in)\b/.test(act) || values.length === 0) return undefined;
  if (values.some(([, value]) => typeof value !== "string" || refOf(value))) return undefined;
  const said = values.map(([name, value]) => `${nounOf(name)} ${sayLiteral(value as string, name)}`);
  return `log me in ${said.length === 1 && CODE.test(String(values[0]?.[1])) ? "as" : "with"} ${enumerated(said)}`;
}

/** What an act says or writes, and to whom: "send the message "Hello" to USR002", "publish a post saying "Hello"". */
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
  if (text === undefined || thing === "" || text[1] === "") return undefined;
  const said = sayLiteral(text[1] as string, text[0]);
  const to = args.find(
    ([name, value]) =>
      /^(?:receiver|recipient|to|addressee)(?:_?(?:id|name))?$/i.test(name) &&
      typeof value === "string" &&
      !refOf(value),
  );
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
