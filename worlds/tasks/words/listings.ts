import { canonicalJson } from "../../digest.ts";
import { isObject, type Json, type JsonObject, type Scalar } from "../../json.ts";
import { isCertain, succeeded } from "../acts/chain.ts";
import { sayLiteral } from "../acts/literals.ts";
import type { Recorded } from "../acts/recorded.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { leaves, NAMING } from "../leaves.ts";
import type { Script } from "../schema.ts";
import { readPath } from "../select.ts";
import type { Anchor } from "../surface.ts";
import { argumentLabel, enumerated } from "./phrases.ts";

/** How people tell of a row whose code they do not know, and the calls that show that code to who knows no more. */
export interface Description {
  /** "\"Fix the roof\" assigned to ann@example.com", or "with number 555-1234". */
  readonly words: string;
  readonly calls: Script["calls"];
}

/** A reading that shows several things, on the drawn world. */
export interface Listing {
  readonly call: Script["calls"][number];
  readonly elements: readonly JsonObject[];
}

/** Different arguments of a reading that are tried: more list the same again. */
const MOST_LISTINGS = 30;
/** Values of an answer that are looked at. */
const MOST_LEAVES = 2_000;
/** Longer texts name nothing. */
const LONGEST = 60;

const recordedFor = new WeakMap<Kit, Recorded>();
const found = new WeakMap<Kit, readonly Listing[]>();

/** Keeps the sessions whose readings rows are found by. */
export function keepListings(kit: Kit, recorded: Recorded): void {
  recordedFor.set(kit, recorded);
}

/** The things that an answer lists: objects of a list, wherever it stands. */
function elementsOf(answer: Json): JsonObject[] {
  const lists = leaves(answer, MOST_LEAVES).flatMap(({ generic }) => {
    const end = generic.indexOf("[*]");
    return end < 0 || generic.indexOf("[*]", end + 1) >= 0 ? [] : [generic.slice(0, end + 3)];
  });
  return [...new Set(lists)].flatMap((list) => readPath(answer, list)).filter(isObject);
}

/** What sessions read that lists things and is answered for certain where nothing has been done, shortest arguments first. */
export function listingsOf(kit: Kit): readonly Listing[] {
  const known = found.get(kit);
  if (known) return known;
  const reads = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "read" ? [name] : [])));
  const tried = new Map<string, Set<string>>();
  const all: Listing[] = [];
  const world = kit.fork();
  for (const { tool, args, ok, value } of recordedFor.get(kit)?.sessions.flat() ?? []) {
    const given = tried.get(tool) ?? new Set();
    const name = JSON.stringify(args);
    if (!ok || !reads.has(tool) || given.has(name) || given.size >= MOST_LISTINGS) continue;
    tried.set(tool, given.add(name));
    if (Object.values(args).some((value) => typeof value === "object" || value === "")) continue;
    const answer = world.call(tool, args);
    if (!succeeded(answer) || answer.changes.length > 0) continue;
    if (!isCertain(answer) && canonicalJson(answer.value) !== canonicalJson(value)) continue;
    const elements = elementsOf(answer.value);
    if (elements.length > 0) all.push({ call: { tool, args }, elements });
  }
  const listings = all.sort(
    (a, b) =>
      Object.keys(a.call.args).length - Object.keys(b.call.args).length || b.elements.length - a.elements.length,
  );
  found.set(kit, listings);
  return listings;
}

export type Field = [name: string, value: Scalar];

export const fieldsOf = (element: JsonObject): Field[] =>
  Object.entries(element).filter((entry): entry is Field => ["string", "number"].includes(typeof entry[1]));

/** Whether a person would tell a thing by this field: its day, whose it is, where it stands. */
export const isTelling = ([name, value]: Field): boolean =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= LONGEST &&
  ["text", "date", "time"].includes(kindOf(value, name)) &&
  !/\n/.test(value);

/** Fields as what tells things from others: "assigned to ann@example.com with priority high in the Design board". */
export function tellingWords(fields: readonly Field[]): string {
  const parts = fields.map(([name, value]) => {
    const said = sayLiteral(value, name);
    const mail = typeof value === "string" && /^\S+@\S+$/.test(value);
    const label = argumentLabel(name).replace(mail ? / e?mail(?: address)?$/ : / name$/, "");
    if (/^due(?: date)?$/.test(label)) return { text: `due on ${said}`, link: "" };
    if (/ (?:to|by|from|for|in|on|at)$/.test(label)) return { text: `${label} ${said}`, link: "" };
    return !mail && !label.includes(" ") && typeof value === "string" && /^\p{Lu}[\p{L} ]*$/u.test(value)
      ? { text: `the ${value} ${label}`, link: "in" }
      : { text: `${label} ${said}`, link: "with" };
  });
  return ["", "with", "in"]
    .flatMap((link) => {
      const own = parts.filter((part) => part.link === link).map(({ text }) => text);
      // A list stands in its board: "in the Done list in the Design board".
      const told = link === "in" ? own.join(" in ") : enumerated(own);
      return own.length === 0 ? [] : `${link} ${told}`.trim();
    })
    .join(" ");
}

/** Whether no other thing of the listing, and no other row of the table, has all of these. */
function isAlone(kit: Kit, anchor: Anchor, elements: readonly JsonObject[], fields: readonly Field[]): boolean {
  const fits = (other: JsonObject) => fields.every(([name, value]) => other[name] === value);
  return (
    elements.filter(fits).length === 1 &&
    (kit.anchors.get(anchor.table) ?? []).every(({ key, row }) => key === anchor.key || !fits(row))
  );
}

/** A row by what a listing shows of it: its title, and as much besides as tells it from all others; undefined where nothing does. */
export function describedByListing(kit: Kit, anchor: Anchor): Description | undefined {
  for (const { call, elements } of listingsOf(kit)) {
    const own = elements.find((element) => fieldsOf(element).some(([, value]) => String(value) === anchor.key));
    const fields = own === undefined ? [] : fieldsOf(own);
    const title = fields.find(([name, value]) => NAMING.test(name) && isTelling([name, value]));
    if (title === undefined) continue;
    const others = fields.filter((field) => field !== title && isTelling(field) && String(field[1]) !== anchor.key);
    // What the listing was asked for is told too: who knows the thing knows that of it.
    const asked = others.filter(([name, value]) => call.args[name] === value);
    if (asked.length < Object.keys(call.args).length) continue;
    const parts = [...new Set([undefined, ...others])].map((one) => [
      title,
      ...new Set([...asked, ...(one === undefined ? [] : [one])]),
    ]);
    const telling = parts.find((part) => isAlone(kit, anchor, elements, part));
    if (telling === undefined) continue;
    const quoted = sayLiteral(title[1], title[0]);
    const name = /^["\u201c]/.test(quoted) ? quoted : `"${quoted}"`;
    return { words: `${name} ${tellingWords(telling.slice(1))}`.trim(), calls: [call] };
  }
  return undefined;
}

/** A row by what a reading that shows its code is asked for: "with number 555-1234". */
export function describedByReading(
  kit: Kit,
  anchor: Anchor,
  isSaid: (name: string) => boolean,
): Description | undefined {
  for (const binding of kit.bindings) {
    if (binding.table !== anchor.table) continue;
    const reading = kit.read(binding, anchor);
    const args = Object.entries(reading?.args ?? {});
    if (!reading || args.length === 0 || args.some(([, value]) => String(value) === anchor.key)) continue;
    if (!reading.leaves.some(({ value }) => String(value) === anchor.key)) continue;
    // Of several things that it shows, what it was asked for has to tell the row's.
    const fits = elementsOf(reading.answer).filter((one) =>
      args.every(([, value]) => Object.values(one).includes(value)),
    );
    if (fits.length > 1) continue;
    if (args.some(([name, value]) => kindOf(value as Scalar, name) === "id" && !isSaid(name))) continue;
    const said = args.map(([name, value]) => `${argumentLabel(name)} ${sayLiteral(value as Json, name)}`);
    return { words: `with ${enumerated(said)}`, calls: [{ tool: binding.tool, args: reading.args }] };
  }
  return undefined;
}
