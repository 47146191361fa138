import { isObject, type Json } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { plural, singular } from "../checks/words.ts";
import { NAMING } from "../leaves.ts";
import { enumerated } from "../words/phrases.ts";
import { sayLiteral } from "./literals.ts";

/** What is written of a thing beside its title. */
const WRITTEN = /^(?:description|details?|text|content|notes?|summary)$/i;

const quoted = (text: string): string => (/^["\u201c]/.test(text) ? text : `"${text}"`);

/** Things by their titles, with what is written of each in brackets: "A" ("x") and "B". Undefined where one has no title, or more. */
function titledThings(things: readonly Json[]): string | undefined {
  const said = things.map((thing) => {
    const entries = isObject(thing) ? Object.entries(thing) : [];
    const title = entries.find(([name, value]) => NAMING.test(name) && typeof value === "string" && value !== "");
    const [written, ...more] = entries.filter((entry) => entry !== title);
    if (title === undefined || more.length > 0) return undefined;
    if (written === undefined) return quoted(sayLiteral(title[1], title[0]));
    if (!WRITTEN.test(written[0]) || typeof written[1] !== "string" || written[1] === "") return undefined;
    return `${quoted(sayLiteral(title[1], title[0]))} (${quoted(sayLiteral(written[1], written[0]))})`;
  });
  return said.includes(undefined) ? undefined : enumerated(said as string[]);
}

/** An act with titled things where it speaks of such: "plan its associated tasks" as "plan the tasks "A" and "B"", if it does. */
export function putThings(act: string, noun: string, things: readonly Json[]): string | undefined {
  const one = singular(noun);
  const spoken = new RegExp(
    `\\b(?:(?:an?|the|its|their|all|some|new|associated|multiple|several|one or more) )+(?:${escapePattern(plural(one))}|${escapePattern(one)})\\b(?!')`,
  ).exec(act);
  const said = spoken && titledThings(things);
  if (!said) return undefined;
  const fresh = /\bnew\b/.test(spoken[0]) ? "new " : "";
  return `${act.slice(0, spoken.index)}the ${fresh}${things.length === 1 ? one : plural(one)} ${said}${act.slice(spoken.index + spoken[0].length)}`;
}
