import type { ToolDefinition } from "../bundle.ts";
import { declaredEffect, effectByName } from "../compile/effects.ts";
import type { Json } from "../json.ts";
import { joinKey } from "../state/keys.ts";
import type { Proposal } from "./schema.ts";

/** Something of a proposal that can be cut by itself. */
export type Unit =
  /** A case of a tool's program, from 1: its calls become gaps. */
  | { readonly kind: "case"; readonly tool: string; readonly number: number }
  /** A column of the rows to start with, of one row or of all: it is not known. */
  | { readonly kind: "start"; readonly table: string; readonly column: string; readonly row?: string }
  /** That calls of another tool leave the proposal's tables alone: they become unknown under it. */
  | { readonly kind: "apart"; readonly tool: string };

const idOf = (unit: Unit): string => JSON.stringify(unit);

/** What is cut of a proposal. */
export class Cuts {
  private readonly units = new Map<string, Unit>();

  constructor(units: Iterable<Unit> = []) {
    for (const unit of units) this.units.set(idOf(unit), unit);
  }

  with(...more: readonly Unit[]): Cuts {
    return new Cuts([...this.units.values(), ...more]);
  }

  has(unit: Unit): boolean {
    return this.units.has(idOf(unit));
  }

  /** Numbers of the cases of a tool that are cut. */
  casesOf(tool: string): Set<number> {
    return new Set(this.all().flatMap((unit) => (unit.kind === "case" && unit.tool === tool ? [unit.number] : [])));
  }

  /** Whether a column of a row to start with is cut. */
  hides(table: string, column: string, row: string): boolean {
    return this.has({ kind: "start", table, column }) || this.has({ kind: "start", table, column, row });
  }

  all(): Unit[] {
    return [...this.units.values()];
  }
}

/** Every case of a tool. */
export const casesOf = ({ name, cases }: Proposal["tools"][number]): Unit[] =>
  cases.map((_, i) => ({ kind: "case", tool: name, number: i + 1 }));

/** Rows of a table to start with that are looked at one by one. */
const FEW_ROWS = 12;

/** What can be cut of the rows to start with. */
export function startUnits({ tables }: Proposal): Unit[] {
  return tables.flatMap(({ name: table, key, start = [] }) => {
    const columns = [...new Set(start.flatMap((row) => Object.keys(row)))].filter((column) => !key.includes(column));
    const whole = columns.map((column): Unit => ({ kind: "start", table, column }));
    if (start.length < 2 || start.length > FEW_ROWS) return whole;
    const single = start.flatMap((row) => {
      const own = joinKey(key.map((column) => row[column] as Json | undefined)) ?? "";
      return columns
        .filter((column) => Object.hasOwn(row, column))
        .map((column): Unit => ({ kind: "start", table, column, row: own }));
    });
    return [...single, ...whole];
  });
}

/** Tools that are said to read. */
export const isReading = (tool: ToolDefinition): boolean =>
  (declaredEffect(tool) ?? effectByName(tool.name)) === "read";
