import type { Address, Locals, SourceLocation } from "./addresses.ts";
import type { Expr, FunctionExpr, Source } from "./tree.ts";

/** What came of a request: the response, its body or a part of that, or its text. */
export type ResponsePart =
  | { readonly kind: "response"; readonly route: Found; readonly own: boolean }
  | { readonly kind: "body"; readonly route: Found; readonly path: string }
  | { readonly kind: "text"; readonly route: Found };

/** A route as it is found, with what is read of its answers so far. */
export interface Found {
  readonly route: string;
  readonly location: SourceLocation;
  readonly baseEnv: string | undefined;
  readonly keys: Set<string>;
  readonly unkeyed: Set<string>;
  readonly codes: Map<string, Set<string>>;
  text: boolean;
}

/** What names stand for while a function is read; one inside another sees the names around it. */
export class Frame implements Locals {
  readonly source: Source;
  readonly location: SourceLocation;
  readonly depth: number;
  readonly responseParts = new Map<string, ResponsePart>();
  readonly set = new Map<string, Expr | Address>();
  readonly functions = new Map<string, FunctionExpr>();
  readonly #outer: Frame | undefined;
  returned: ResponsePart | undefined;

  constructor(source: Source, sourceLocation: SourceLocation, depth: number, outer?: Frame) {
    this.source = source;
    this.location = sourceLocation;
    this.depth = depth;
    this.#outer = outer;
  }

  local(name: string): Expr | Address | undefined {
    return this.set.get(name) ?? this.#outer?.local(name);
  }

  holds(name: string): ResponsePart | undefined {
    return this.responseParts.get(name) ?? (this.set.has(name) ? undefined : this.#outer?.holds(name));
  }
}
