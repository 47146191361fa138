import { tableOf } from "./own-rows.ts";
import type { Rule } from "./rules/rules.ts";
import type { Node } from "./rules/tree.ts";

/** A call as far as it tells what rests on rows. */
interface Seen {
  readonly tool: string;
  readonly reads: boolean;
  readonly rows: ReadonlyMap<string, string>;
  readonly shown: ReadonlyMap<string, string>;
}

/** What is looked at: sessions of calls, the thing's tools and those whose form is a reading, and which readings there are. */
interface Looked {
  readonly sessions: readonly (readonly Seen[])[];
  readonly tools: ReadonlySet<string>;
  readonly formed: ReadonlySet<string>;
  readonly variables: ReadonlyMap<string, string>;
  readonly composites: ReadonlyMap<string, readonly { readonly register: string }[]>;
}

/** Which readings rest on keyed rows. */
export interface RowLinks {
  /** By reading the features of rows that it was seen to change with, or what one tool shows beside it. */
  readonly features: ReadonlyMap<string, ReadonlySet<string>>;
  /** The same of what comes and goes together alone: marks of one whole, and the forms of a tool with what each says. */
  readonly close: ReadonlyMap<string, ReadonlySet<string>>;
  /** By tool the features that its calls change. */
  readonly moved: ReadonlyMap<string, ReadonlySet<string>>;
}

/** How often a reading must have changed with a row, and nothing but calls that are told ids between, to rest on it. */
const LINKED = 2;
/** And to be told again when the row changes. */
const ONCE = 1;

const NONE: ReadonlySet<string> = new Set();

/** The tables on whose rows a reading rests. */
export const linkedTables = (links: RowLinks, register: string | undefined): ReadonlySet<string> =>
  new Set([...(links.features.get(register ?? "") ?? NONE)].map((feature) => tableOf(feature) as string));

/** Whether the calls of a tool change what a reading rests on. */
export const movesUnder = ({ close, moved }: RowLinks, tool: string, register: string): boolean =>
  [...(close.get(register) ?? NONE)].some((feature) => moved.get(tool)?.has(feature));

/** By reading that says in which form a tool answers, the features that its rules look at. */
export function formsRest(
  looks: readonly { readonly tool: string; readonly form: readonly Rule[] }[],
  formOf: (tool: string) => string | undefined,
): Map<string, ReadonlySet<string>> {
  return new Map(
    looks.flatMap(({ tool, form }) => {
      const register = formOf(tool);
      return register === undefined ? [] : [[register, new Set(form.flatMap(lookedAt))] as const];
    }),
  );
}

function lookedAt(rule: Rule): string[] {
  if (rule.kind === "table" || rule.kind === "acts") return [...rule.of];
  if (rule.kind === "copy" || rule.kind === "shift") return [rule.of];
  const below = (node: Node): string[] => {
    if (node.kind === "leaf") return [];
    if (node.kind === "compare") return [node.of, ...below(node.within), ...below(node.above)];
    return [node.of, ...[...node.entries.values(), ...(node.rest ? [node.rest] : [])].flatMap(below)];
  };
  return below(rule.root);
}

/** Finds the readings that were others after calls that changed a row and did nothing else to the thing. */
export function findLinks({ sessions, tools, variables, composites, formed }: Looked): RowLinks {
  const seen = new Map<string, Map<string, number>>();
  const moved = new Map<string, Set<string>>();
  for (const session of sessions) {
    const last = new Map<string, { readonly value: string; readonly actions: number; readonly rows: Seen["rows"] }>();
    let actions = 0;
    for (const [i, event] of session.entries()) {
      const before = session[i - 1];
      if (before && before.rows !== event.rows) {
        const by = moved.get(before.tool) ?? new Set();
        moved.set(before.tool, by);
        for (const feature of changed(before.rows, event.rows)) by.add(feature);
      }
      if (tools.has(event.tool) && !event.reads) actions++;
      for (const [register, value] of event.shown) {
        const held = last.get(register);
        last.set(register, { value, actions, rows: event.rows });
        if (!held || held.actions !== actions || held.value === value) continue;
        const counts = seen.get(register) ?? new Map<string, number>();
        seen.set(register, counts);
        for (const feature of changed(held.rows, event.rows)) counts.set(feature, (counts.get(feature) ?? 0) + 1);
      }
    }
  }
  const toolOf = (where: string) => where.split("\n")[0] as string;
  const wholes = new Map(
    [...composites].flatMap(([whole, marks]) => marks.map((mark) => [mark.register, whole] as const)),
  );
  const together = (where: string, register: string): string =>
    formed.has(toolOf(where)) ? toolOf(where) : `\n${wholes.get(register) ?? register}`;
  return { features: shared(variables, seen, toolOf, LINKED), close: shared(variables, seen, together, ONCE), moved };
}

function changed(before: Seen["rows"], after: Seen["rows"]): string[] {
  return [...after].flatMap(([feature, text]) => (before.get(feature) === text ? [] : [feature]));
}

/** By reading what any of its group was seen to change with. */
function shared(
  registers: Looked["variables"],
  seen: ReadonlyMap<string, ReadonlyMap<string, number>>,
  groupOf: (where: string, register: string) => string,
  least: number,
): Map<string, Set<string>> {
  const byGroup = new Map<string, Set<string>>();
  for (const [where, register] of registers) {
    const features = byGroup.get(groupOf(where, register)) ?? new Set();
    byGroup.set(groupOf(where, register), features);
    for (const [feature, n] of seen.get(register) ?? []) if (n >= least) features.add(feature);
  }
  const out = new Map<string, Set<string>>();
  for (const [where, register] of registers) {
    const features = out.get(register) ?? new Set();
    for (const feature of byGroup.get(groupOf(where, register)) ?? []) features.add(feature);
    out.set(register, features);
  }
  return out;
}
