import type { JsonObject } from "../../json.ts";
import { stems } from "../checks/words.ts";

/** The parts of a postal address in the order in which they are written. */
const PARTS: readonly (readonly [part: string, names: RegExp])[] = [
  ["street", /^(?:street|street (?:address|name|line)|address|address 1|(?:address )?line 1|address line)$/],
  ["second", /^(?:address 2|(?:address )?line 2|street 2|apartment|apt|unit|suite)$/],
  ["city", /^(?:city|town|locality)$/],
  ["region", /^(?:state|province|region|county)$/],
  ["postcode", /^(?:zip|zip code|zipcode|postcode|post code|postal code|postalcode)$/],
  ["country", /^(?:country|country code)$/],
];

/** An address among a call's arguments: as a person writes it, and the arguments that it says. */
export interface AddressInWords {
  readonly text: string;
  readonly names: ReadonlySet<string>;
}

/** The words of a parameter's name without those that all the others begin with too, such as `new` or `shipping`. */
function partOf(name: string): string | undefined {
  const words = stems(name.replace(/(\d+)$/, "_$1"));
  for (let from = 0; from < words.length; from += 1) {
    const rest = words.slice(from).join(" ");
    const found = PARTS.find(([, names]) => names.test(rest));
    if (found) return found[0];
  }
  return undefined;
}

/** An address from arguments in envelope order; undefined without street and city, or with a part given twice. */
export function addressInWords(args: JsonObject, skip: ReadonlySet<string>): AddressInWords | undefined {
  const parts = new Map<string, { name: string; value: string }>();
  for (const [name, value] of Object.entries(args)) {
    if (skip.has(name) || typeof value !== "string") continue;
    const part = partOf(name);
    if (part === undefined) continue;
    if (parts.has(part)) return undefined;
    parts.set(part, { name, value });
  }
  if (!parts.get("street")?.value || !parts.get("city")?.value) return undefined;
  const given = PARTS.flatMap(([part]) => parts.get(part) ?? []);
  const empty = given.some(({ value }) => value === "");
  const text = given.flatMap(({ value }) => (value === "" ? [] : [value])).join(", ");
  return {
    text: empty ? `${text}, with no second line` : text,
    names: new Set(given.map(({ name }) => name)),
  };
}

/** Acts that end with where something goes. */
const TOWARDS = /^(?:change|modify|update|edit|set|correct|move|redirect|send|ship|deliver|forward)\b/i;

/** An act with the place that it is for: "change where my order is delivered to" as "have my order delivered to 6 Harbour Road". */
export function withAddress(act: string, { text }: Pick<AddressInWords, "text">): string {
  const place = /^change where (.+) is ([a-z]+ed)(?: to)?$/.exec(act);
  if (place) return `have ${place[1]} ${place[2]} to ${text}`;
  return `${act.replace(/ (?:to|at)$/, "")} ${TOWARDS.test(act) ? "to" : "at"} ${text}`;
}

const WRITTEN = /\b(?:to|at) (\d[^,.?!]*(?:, (?!please\b|and\b|with\b|reason\b|since\b)[^,.?!]+)+)/g;

/** The last address of a text by parameter; undefined when there is none or its parts do not fit. */
export function writtenAddress(text: string, params: readonly string[]): ReadonlyMap<string, string> | undefined {
  const [, written = ""] = [...text.matchAll(WRITTEN)].at(-1) ?? [];
  const values = written.split(", ").map((value) => value.trim());
  const wanted = PARTS.flatMap(([part]) => {
    const name = params.find((param) => partOf(param) === part);
    return name === undefined ? [] : [{ part, name }];
  });
  const noSecond = values.length < wanted.length || /^with no second line/.test(values.at(-1) ?? "");
  const filled = noSecond ? wanted.filter(({ part }) => part !== "second") : wanted;
  if (filled.length < 2 || values.length < filled.length) return undefined;
  const found = new Map(filled.map(({ name }, i) => [name, values[i] as string]));
  for (const { part, name } of wanted) if (part === "second" && noSecond) found.set(name, "");
  return found;
}
