import type { Address, Locals, Owner } from "./addresses.ts";
import type { Expr, FunctionExpr, Source } from "./tree.ts";

/** What came of a request: the response, its body or a part of that, or its text. */
export type Got =
  | { readonly kind: "response"; readonly route: Found; readonly own: boolean }
  | { readonly kind: "body"; readonly route: Found; readonly path: string }
  | { readonly kind: "text"; readonly route: Found };

/** A route as it is found, with what is read of its answers so far. */
export interface Found {
  readonly route: string;
  readonly owner: Owner;
  readonly baseEnv: string | undefined;
  readonly keys: Set<string>;
  readonly unkeyed: Set<string>;
  readonly codes: Map<string, Set<string>>;
  text: boolean;
}

/** What names stand for while a function is read; one inside another sees the names around it. */
export class Frame implements Locals {
  readonly source: Source;
  readonly owner: Owner;
  readonly depth: number;
  readonly got = new Map<string, Got>();
  readonly set = new Map<string, Expr | Address>();
  readonly functions = new Map<string, FunctionExpr>();
  readonly #outer: Frame | undefined;
  returned: Got | undefined;

  constructor(source: Source, owner: Owner, depth: number, outer?: Frame) {
    this.source = source;
    this.owner = owner;
    this.depth = depth;
    this.#outer = outer;
  }

  local(name: string): Expr | Address | undefined {
    return this.set.get(name) ?? this.#outer?.local(name);
  }

  holds(name: string): Got | undefined {
    return this.got.get(name) ?? (this.set.has(name) ? undefined : this.#outer?.holds(name));
  }
}
