import { label } from "../leaves.ts";
import { refOf } from "../script.ts";

/** What is changed of a thing, and to what. */
export interface Setting {
  readonly what: string;
  readonly to: string;
}

/** How users say that a field gets a value where they do not name the field: "move", and "to the" before the value. */
export interface Move {
  readonly verb: string;
  readonly link: string;
}

/** A field's name and its new value where a call takes these as two arguments: `field: "list_name", new_value: "Done"`. */
export function settingOf(
  args: Record<string, unknown>,
): { readonly what: string; readonly to: string | number; readonly names: ReadonlySet<string> } | undefined {
  const field = Object.keys(args).find((name) => /^(?:field|property|attribute|column)(?:_?name)?$/i.test(name));
  const to = Object.keys(args).find((name) => /^(?:new_?)?value$/i.test(name));
  const [what, value] = [args[field ?? ""], args[to ?? ""]];
  if (field === undefined || to === undefined || typeof what !== "string" || refOf(what) || refOf(value))
    return undefined;
  if (!/^[a-z_ ]+$/i.test(what) || (typeof value !== "string" && typeof value !== "number")) return undefined;
  return { what: label(what), to: value, names: new Set([field, to]) };
}

/** Who sets a thing that is not yet there makes it: "set a goal". */
const CHANGING = /^(?:change|modify|update|edit|set(?! an? )) (?:the |a |an )?(.+)$/;

/** A field's name without the thing that it is of: "event start" of an event is its "start". */
export function ofThing(field: string, thing: string): string {
  const [first, ...rest] = field.split(" ");
  return rest.length > 0 && thing.split(" ").includes(first ?? "") ? rest.join(" ") : field;
}

/** Names that are no other thing's: a person has a first name, and a task is in a list. */
const OWN_NAME = /^(?:first|last|given|family|full|middle|nick|user|file|host|domain|display|screen) /;

/** What a thing is given of another by that one's name: the "list name" of a task is the "list" that it is in. */
const withoutName = (field: string): string => (OWN_NAME.test(field) ? field : field.replace(/(?<=^\w+) name$/, ""));

const lastWord = (what: string) => (what.split(" ").at(-1) ?? "").replace(/^percent$/, "percentage");
const share = (what: string, to: string) => (lastWord(what) === "percentage" && /^[\d.]+$/.test(to) ? `${to}%` : to);

/** What is said of the one part of "title or description" that ends in a word; undefined where none does. */
function partNamed(parts: string, last: string, say: (part: string) => string): string | undefined {
  const part = parts.split(/,? (?:and\/or|and|or) |, /).find((one) => one.split(" ").at(-1) === last);
  return part === undefined ? undefined : say(part);
}

/**
 * Several settings of one thing: "change the title of the task X to A and its description to B"; one that users speak of
 * as of a move is one. Undefined where one is none.
 */
export function setAll(act: string, settings: readonly Setting[], moved?: Move): string | undefined {
  const said = moved && settings.length === 1 ? moveTo(act, moved, settings) : undefined;
  if (said !== undefined) return said;
  const [first, ...rest] = settings.map((one) => setTo(act, one));
  if (first === undefined || rest.includes(undefined)) return undefined;
  return [first, ...settings.slice(1).map(({ what, to }) => `its ${what} to ${share(what, to)}`)].join(" and ");
}

/** "update the task X" as "move the task X to In Review", where users say so of its list; undefined where it is no change of a thing. */
function moveTo(act: string, { verb, link }: Move, [setting]: readonly Setting[]): string | undefined {
  const thing = setting && / of ((?:the|my) .+) to /.exec(setTo(act, { ...setting, to: "" }) ?? "")?.[1];
  return thing === undefined ? undefined : `${verb} ${thing} ${link} ${setting?.to}`;
}

/** "update the task X" with a status becomes "change the status of the task X to done"; undefined without a changed thing. */
export function setTo(act: string, { what, to }: Setting): string | undefined {
  const changes = CHANGING.exec(act)?.[1]?.replace(/^(?:existing|specific|given) /, "");
  if (changes === undefined) return undefined;
  const part = /^(.+?) of ((?:the|my) .+)$/.exec(changes);
  const [own, thing] = part ? [part[1], part[2]] : [undefined, changes.startsWith("my ") ? changes : `the ${changes}`];
  const last = lastWord(what);
  // What only names the thing is no change of it.
  if (own === undefined && changes.split(" ").includes(last)) return undefined;
  if (own !== undefined && !/\b(?:fields?|details?|properties|info|information|attributes?|record)$/.test(own))
    return partNamed(own, last, (named) => `change the ${named} of ${thing} to ${share(what, to)}`);
  return `change the ${withoutName(ofThing(what, thing ?? ""))} of ${thing} to ${share(what, to)}`;
}
