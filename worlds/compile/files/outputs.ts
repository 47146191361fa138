import type { Json, JsonObject } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import { MADE } from "../programs/expressions/names.ts";
import type { Listing } from "./act.ts";
import { argument, ENTRIES, rowText } from "./paths.ts";

/** An expression of the behaviour language with its value in one example; undefined is not known. */
export interface Output {
  readonly cel: string;
  readonly value: Json | undefined;
}

/** What may be said of a text; `cel` is the expression that yields it, `args` what was given besides its name. */
export function outputsOfText(cel: string, text: string | undefined, args: JsonObject): Output[] {
  const lines = text?.split("\n");
  const split = `${cel}.split("\\n")`;
  const of = <T extends Json>(make: (lines: string[]) => T): T | undefined => (lines ? make(lines) : undefined);
  const empty = (otherwise: string): string => `(${cel} == "" ? 0 : ${otherwise})`;
  const words = text?.split(/\s+/).filter((word) => word !== "").length;
  const out: Output[] = [
    { cel, value: text },
    { cel: `size(${cel})`, value: text === undefined ? undefined : [...text].length },
    { cel: `size(${split})`, value: lines?.length },
    { cel: empty(`size(${split})`), value: text === "" ? 0 : lines?.length },
    { cel: `(size(${split}) - 1)`, value: of((all) => all.length - 1) },
    { cel: `(${cel}.trim() == "" ? 0 : size(regex.replace(${cel}.trim(), "\\\\s+", " ").split(" ")))`, value: words },
    { cel: `${split}.sort()`, value: of((all) => [...all].sort()) },
    { cel: `${split}.sort().join("\\n")`, value: of((all) => [...all].sort().join("\n")) },
    { cel: split, value: lines },
  ];
  for (const [name, given] of Object.entries(args)) {
    const arg = argument(name);
    if (typeof given === "string") {
      const held = of((all) => all.filter((line) => line.includes(given)));
      const filter = `${split}.filter(line, line.contains(${arg}))`;
      out.push(
        { cel: filter, value: held },
        { cel: `${filter}.join("\\n")`, value: held?.join("\n") },
        { cel: `size(${filter})`, value: held?.length },
      );
    }
    if (typeof given === "number" && Number.isInteger(given) && given > 0) {
      const last = of((all) => all.slice(-given));
      const first = of((all) => all.slice(0, given));
      const tail = `${split}.slice(math.greatest([0, size(${split}) - ${arg}]), size(${split}))`;
      const head = `${split}.slice(0, math.least([${arg}, size(${split})]))`;
      out.push({ cel: tail, value: last }, { cel: `${tail}.join("\\n")`, value: last?.join("\n") });
      out.push({ cel: head, value: first }, { cel: `${head}.join("\\n")`, value: first?.join("\n") });
    }
  }
  return out;
}

/**
 * Names of the entries of a folder in the forms in which lists give them. `dots` says in the behaviour language whether
 * names that begin with a dot are listed; all are where it is undefined.
 */
export function outputsOfList(
  folder: string,
  names: readonly { name: string; folder: boolean | undefined }[] | undefined,
  dots: string | undefined,
  marks: Listing["marks"],
): Output[] {
  const row = rowText(folder);
  const shown = dots === undefined ? "" : `(${dots} || !r.name.startsWith(".")) && `;
  const known = dots === undefined ? `${row}.dots == true` : `(!(${dots}) || ${row}.dots == true)`;
  const rows = `rows("${ENTRIES}").filter(r, r.folder_path == ${folder} && ${shown}r.there)`;
  const whole = (list: string): string => `(${row}.whole == true && ${known} ? ${list} : unknown())`;
  const plain = names?.map(({ name }) => name);
  const prefixed =
    marks && names?.every((one) => one.folder !== undefined)
      ? names.map((one) => (one.folder ? marks.folder : marks.text) + one.name)
      : undefined;
  const marked = names?.every((one) => one.folder !== undefined)
    ? names.map((one) => (one.folder ? `${one.name}/` : one.name))
    : undefined;
  const mark = `(r.folder ? r.name + "/" : r.name)`;
  const sorted = (list: string[] | undefined): string[] | undefined => list && [...list].sort();
  const out: Output[] = [];
  for (const [list, name] of [
    [plain, "r.name"],
    [marked, mark],
    ...(marks ? [[prefixed, `(r.folder ? ${literal(marks.folder)} : ${literal(marks.text)}) + r.name`] as const] : []),
  ] as const) {
    const inOrder = whole(`${rows}.sortBy(r, r.${MADE}).map(r, ${name})`);
    const byName = whole(`${rows}.map(r, ${name}).sort()`);
    for (const [value, cel] of [
      [list, inOrder],
      [sorted(list), byName],
    ] as const)
      out.push(
        { cel, value },
        { cel: `${cel}.join("\\n")`, value: value?.join("\n") },
        { cel: `size(${cel})`, value: value?.length },
      );
  }
  return out;
}

/** A value of the arguments, as it was given. */
export const outputsOfArguments = (args: JsonObject): Output[] =>
  Object.entries(args).map(([name, value]) => ({ cel: argument(name), value }));
