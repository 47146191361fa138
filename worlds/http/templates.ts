import { unusedName } from "../compile/values.ts";
import { holeOf, segmentsOf } from "./match.ts";

/** From so many different texts at one place of a path on, what stands there is no name but a value. */
const MANY = 6;
const ID =
  /^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|(?=[^a-z]*[0-9])[0-9a-f]{8,}|[A-Za-z]{1,12}[-_][\w-]*\d[\w-]*|[A-Za-z]{1,6}\d{2,}[\w-]*|\d+[-_][\w-]+|(?=.*\d)(?=.*[A-Z])[\w-]{8,})$/;
const VERSION = /^v\d+(?:\.\d+)*(?:(?:alpha|beta|rc)\d*)?$/i;

/** One request as it was seen: the method, and the path with its ids in it. */
export interface ObservedPath {
  readonly method: string;
  readonly path: string;
}

/** Whether a segment looks like a value that names one thing among many. */
export function isLikelyId(segment: string): boolean {
  return !VERSION.test(segment) && (ID.test(segment) || segment.includes("@"));
}

/**
 * The template of each observed path, in their order: those given stand before what is learned. A segment is a hole
 * where it looks like an id, or where many texts stand at one place between the same others.
 */
export function templatesOf(observed: readonly ObservedPath[], given: readonly string[]): string[] {
  const fixed = given.map((template) => ({ template, parts: segmentsOf(template) ?? [] }));
  const parts = observed.map(({ path }) => segmentsOf(path) ?? [path]);
  const learned = parts.map((segments) => segments.map((segment) => (isLikelyId(segment) ? HOLE : segment)));
  for (let round = 0; round < 3 && mergeMany(observed, learned); round++);
  return parts.map((segments, index) => {
    const known = fixed.filter((each) => fits(each.parts, segments)).sort((a, b) => holes(a.parts) - holes(b.parts))[0];
    return known?.template ?? named(learned[index] as string[]);
  });
}

const HOLE = "\0";

/** Makes a hole of each place where many texts stand between the same others; whether it made any. */
function mergeMany(observed: readonly ObservedPath[], learned: string[][]): boolean {
  let made = false;
  const longest = Math.max(0, ...learned.map((segments) => segments.length));
  for (let at = 1; at < longest; at++) {
    const groups = new Map<string, Set<string>>();
    const keyOf = (segments: readonly string[], index: number) =>
      JSON.stringify([observed[index]?.method, segments.map((segment, place) => (place === at ? HOLE : segment))]);
    learned.forEach((segments, index) => {
      if (segments.length <= at || segments[at] === HOLE) return;
      const key = keyOf(segments, index);
      groups.set(key, (groups.get(key) ?? new Set()).add(segments[at] as string));
    });
    learned.forEach((segments, index) => {
      if (segments.length <= at || (groups.get(keyOf(segments, index))?.size ?? 0) < MANY) return;
      segments[at] = HOLE;
      made = true;
    });
  }
  return made;
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((part, i) => holeOf(part) !== undefined || part === segments[i]);
}

function holes(parts: readonly string[]): number {
  return parts.filter((part) => holeOf(part) !== undefined).length;
}

/** A template with names in its holes: that of the segment before, in the singular, with `_id`. */
function named(segments: readonly string[]): string {
  const taken = new Set<string>();
  const out = segments.map((segment, index) => {
    if (segment !== HOLE) return encodeURIComponent(segment).replaceAll("%3A", ":").replaceAll("%40", "@");
    const before = segments.slice(0, index).findLast((each) => each !== HOLE) ?? "";
    const stem = `${singular(before.replace(/[^A-Za-z0-9]+/g, "_").toLowerCase())}_id`.replace(/^_+/, "");
    const name = unusedName(stem, taken);
    taken.add(name);
    return `{${name}}`;
  });
  return `/${out.join("/")}`;
}

function singular(word: string): string {
  if (/ies$/.test(word)) return word.replace(/ies$/, "y");
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:ches|shes|xes|sses|zes)$/.test(word)) return word.replace(/es$/, "");
  return word.replace(/s$/, "");
}
