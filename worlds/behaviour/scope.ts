import type { ASTNode } from "@marcbachmann/cel-js";
import type { Run } from "./frame.ts";

/** What an expression may name, and where it reports the tables it reads. */
export interface Scope {
  readonly tables: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, number>;
  /** The next free slot; loop variables take theirs from here. */
  readonly nextSlot: number;
  readonly hasRow: boolean;
  reads(table: string, how: "key" | "scan"): void;
}

/** Compiles one node; given to macros so that they can compile their parts. */
export type Compile = (node: ASTNode, scope: Scope) => Run;
