import type { Step as BehaviourStep } from "../../behaviour/schema.ts";
import type { TableModel } from "../../bundle.ts";
import { type JsonObject, setOwn } from "../../json.ts";
import { literal, member } from "../conditions/term.ts";
import { byText } from "../values.ts";
import type { Learnt } from "./effects.ts";
import { type Expr, evaluate, type Facts, UNKNOWN } from "./expressions/expr.ts";
import { isDoubted } from "./expressions/names.ts";
import { CELL_KEY, DOUBTED, type Names } from "./expressions/print.ts";
import type { Outcome } from "./outcomes.ts";
import type { Effects, Step } from "./simulate.ts";
import type { RowsByGroup } from "./state/starts.ts";

/** The stored table of cells that no session of a task showed: true until something that is not known changes them. */
export const UNSEEN = "unseen";

/** A refusal is rare where at most this share of a tool's calls meets it. */
const RARE = 0.1;

/**
 * Rare refusals whose condition rests on a cell that no session of the task showed. The call is taken to succeed there: a
 * guess, served only where held-out sessions bear such answers out. Once a call that is not understood may have changed
 * the cell, the outcome is unknown.
 */
export class Unseen {
  private readonly learnt: Learnt;
  private readonly names: Names;
  private readonly cells = new Set<string>();

  constructor(learnt: Learnt, names: Names) {
    this.learnt = learnt;
    this.names = names;
  }

  /** A condition as it is written; not met where it rests on cells that were not seen. */
  guard({ kind, when }: Outcome, printed: string, steps: readonly Step[]): string {
    const names = kind.startsWith("error ") ? [...cellsIn(when)].filter((name) => this.varies(name)) : [];
    const met = steps.filter(({ call, before }) => evaluate(when, { args: call.args, facts: before }) === true);
    if (names.length === 0 || met.length > steps.length * RARE) return printed;
    const row = `lookup(${literal(UNSEEN)}, ${literal(CELL_KEY)})`;
    const unseen = names.sort(byText).map((name) => {
      this.cells.add(name);
      return `${member(row, this.names.column("", name))} == true`;
    });
    return `(${unseen.join(" || ")} ? false : ${printed})`;
  }

  /** Whether what sessions start a cell with is known of some tasks alone. */
  private varies(name: string): boolean {
    const { common, groups } = this.learnt.starts;
    return !isKnown(common, name) && [...groups.values()].some((facts) => isKnown(facts, name));
  }

  /** Steps that keep of which of these cells an act leaves nothing known, and which it sets. */
  follow({ changes }: Effects, only: string | undefined, bound: string): BehaviourStep[] {
    const set = changes
      .filter(({ table, name }) => table === undefined && this.cells.has(name))
      .map(({ name, value }) => ({
        path: this.names.column("", name),
        op: "=" as const,
        expr: value.op === "unknown" ? "unknown()" : "false",
      }));
    if (set.length === 0) return [];
    return [
      {
        op: "update",
        ...(only === undefined ? {} : { each: { name: bound, in: `(${only} ? [1] : [])` } }),
        table: UNSEEN,
        key: [{ column: "of", expr: literal(CELL_KEY) }],
        set,
        require: [],
      },
    ];
  }

  /** Columns of the table, as they are stored. */
  columns(): string[] {
    return [...this.cells].map((name) => this.names.column("", name)).sort(byText);
  }

  model(): TableModel {
    const columns = ["of", ...this.columns()].map((name) => ({ name, types: ["boolean" as const], present: 1 }));
    return { name: UNSEEN, key: ["of"], columns, internal: true };
  }

  /** The row of the table where sessions start so. */
  row(start: Facts): JsonObject {
    const of = [...this.cells].sort(byText).map((name) => [this.names.column("", name), !isKnown(start, name)]);
    return { of: CELL_KEY, ...(Object.fromEntries(of) as JsonObject) };
  }
}

/** Tables some of whose rows sessions start with or without, as far as it is known in none or in those of a group. */
export function doubtedRows(learnt: Learnt, names: Names, group: string | undefined): Record<string, JsonObject> {
  const out: Record<string, JsonObject> = {};
  for (const [table, rows] of [...learnt.starts.differing].sort(([a], [b]) => byText(a, b))) {
    if (!isDoubted(learnt, table)) continue;
    const told = ({ there, lacking }: RowsByGroup): boolean =>
      group !== undefined && there.has(group) !== lacking.has(group);
    const keys = [...rows].filter(([, by]) => !told(by)).map(([key]) => key);
    setOwn(out, names.table(table), { of: names.table(table), keys: keys.sort(byText) });
  }
  return out;
}

export const DOUBTED_MODEL: TableModel = {
  name: DOUBTED,
  key: ["of"],
  columns: [
    { name: "of", types: ["string"], present: 1 },
    { name: "keys", types: ["array"], present: 1 },
  ],
  internal: true,
};

const isKnown = ({ cells }: Facts, name: string): boolean => (cells.get(name) ?? UNKNOWN) !== UNKNOWN;

/** Cells that a condition rests on. */
function cellsIn(expr: Expr): Set<string> {
  const out = new Set<string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    else if (typeof part === "object" && part !== null) {
      const { op, name } = part as { op?: unknown; name?: unknown };
      if (op === "cell" && typeof name === "string") out.add(name);
      Object.values(part).forEach(visit);
    }
  };
  visit(expr);
  return out;
}
