import type { JsonObject } from "../../json.ts";
import type { Kit } from "../kit.ts";
import { label, NAMING } from "../leaves.ts";
import type { Script } from "../schema.ts";
import { refOf } from "../script.ts";
import { parsePath } from "../select.ts";
import { enumerated } from "../words/phrases.ts";
import { nounOf, PROPER, sayLiteral } from "./literals.ts";
import { scalarsOf } from "./recorded.ts";

type Calls = Script["calls"];
type Reference = { readonly n: number; readonly path: string };

/** What a reference to an earlier result is called. */
export interface Called {
  /** "the task "Fix the report"". */
  readonly whole: string;
  /** "Fix the report" in quotes; absent where only its place tells it. */
  readonly name?: string;
}

/** How a person says what a reference refers to: by what its list element is told by, by the words it was made with, by what was read. */
export function called(kit: Kit, calls: Calls, ref: Reference, noun: string): Called | undefined {
  const source = calls[ref.n - 1];
  if (!source) return undefined;
  const where = parsePath(ref.path).findLast((part) => part.op === "where");
  if (where?.op === "where" && where.value !== null) {
    const name = sayLiteral(where.value, where.field);
    return { whole: `the ${noun} ${name}`, name };
  }
  const view = kit.tools.find(({ name }) => name === source.tool);
  const literals = scalarsOf(source.args as JsonObject).filter(
    ({ value, path }) => typeof value === "string" && value !== "" && !refOf(value) && !/[.[]/.test(path),
  );
  if (view?.effect === "read") {
    const said = literals.map(({ value, name }) => {
      const text = sayLiteral(value, name);
      return literals.length === 1 && PROPER.test(text) ? text : `${nounOf(name)} ${text}`;
    });
    if (ref.path === "" || literals.length !== Object.keys(source.args).length || said.length === 0) return undefined;
    // The id of what a reading found is that thing: "the owner of order W1". What a search found has no such name.
    if (/(?:^|[_.\]])id$|[a-z]Id$/.test(ref.path))
      return literals.length === 1 && !/query|search|filter|keyword|text/i.test(literals[0]?.name ?? "")
        ? { whole: `the ${noun} of ${said[0]}`, name: `the ${noun} of ${said[0]}` }
        : undefined;
    // What a code is looked up by names the same thing: "Oslo" for its postal code.
    if (/code$/i.test(ref.path) && literals.length === 1 && PROPER.test(said[0] ?? ""))
      return { whole: said[0] as string, name: said[0] as string };
    return { whole: `the ${label(ref.path.replace(/\[[^\]]*\]/g, ""))} of ${enumerated(said)}` };
  }
  // What a list's only element is called, its maker's own title does not tell.
  const naming = /\[/.test(ref.path)
    ? undefined
    : (literals.find(({ name }) => NAMING.test(name)) ?? literals.find(({ value }) => /\S\s+\S/.test(String(value))));
  if (naming)
    return {
      whole: `the ${noun} ${sayLiteral(naming.value, naming.name)}`,
      name: sayLiteral(naming.value, naming.name),
    };
  const makers = calls.filter(({ tool }) => tool === source.tool);
  return makers.length === 1 ? { whole: `the new ${noun}` } : undefined;
}

/** Whether who names one thing that this script makes names the other too: what it was made with, or in. */
export function isMadeWith(kit: Kit, calls: Calls, holder: Reference, thing: Reference): boolean {
  const made = (n: number) => kit.tools.some(({ name, effect }) => name === calls[n - 1]?.tool && effect === "write");
  if (!made(holder.n) || !made(thing.n)) return false;
  const given = scalarsOf((calls[thing.n - 1]?.args ?? {}) as JsonObject);
  return holder.n === thing.n || given.some(({ value }) => refOf(value)?.n === holder.n);
}
