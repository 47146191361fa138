import { posix } from "node:path";
import { classes, type Expr, functions, type NamedFunction, type Source, type Stmt } from "./tree.ts";

/** How far names are followed. */
const HOPS = 8;

/** An expression with the file whose names it uses. */
export interface Placed {
  readonly expr: Expr;
  readonly source: Source;
}

interface Names {
  readonly values: ReadonlyMap<string, Expr>;
  readonly functions: ReadonlyMap<string, NamedFunction>;
}

/** The parsed files of a checkout, with names followed from one to another. */
export class Project {
  readonly sources: readonly Source[];
  readonly #byFile: ReadonlyMap<string, Source>;
  readonly #names = new Map<Source, Names>();

  constructor(sources: readonly Source[]) {
    this.sources = sources;
    this.#byFile = new Map(sources.map((source) => [source.file, source]));
  }

  /** What a name stands for in a file; undefined where that is not written in the project. */
  value(name: string, source: Source, hops = 0): Placed | undefined {
    const known = this.#of(source).values.get(name);
    if (known) return { expr: known, source };
    if (hops >= HOPS) return undefined;
    const found = source.imports.find((each) => each.local === name);
    if (!found || found.name === "*") return undefined;
    const from = this.#file(found.from, source);
    return from && this.value(found.name, from, hops + 1);
  }

  /** The function of a name in a file, or of the file it is imported from. */
  function(
    name: string,
    source: Source,
    hops = 0,
  ): { readonly fn: NamedFunction; readonly source: Source } | undefined {
    const known = this.#of(source).functions.get(name);
    if (known) return { fn: known, source };
    if (hops >= HOPS) return undefined;
    const found = source.imports.find((each) => each.local === name);
    const from = found && this.#file(found.from, source);
    if (found && from) return this.function(found.name === "*" ? name : found.name, from, hops + 1);
    return undefined;
  }

  /** The method of that name, where the project has only one. */
  method(name: string): { readonly fn: NamedFunction; readonly source: Source } | undefined {
    const all = this.sources.flatMap((source) => {
      const fn = this.#of(source).functions.get(name);
      return fn ? [{ fn, source }] : [];
    });
    return all.length === 1 ? all[0] : undefined;
  }

  /** A class by its name in a file, or in the file it is imported from. */
  classNamed(
    name: string,
    source: Source,
    hops = 0,
  ): { readonly body: readonly Stmt[]; readonly source: Source } | undefined {
    for (const found of classes(source.body)) if (found.name === name) return { body: found.body, source };
    const imported = source.imports.find((each) => each.local === name);
    const from = imported && this.#file(imported.from, source);
    return from && hops < HOPS ? this.classNamed(imported.name, from, hops + 1) : undefined;
  }

  /** The literal behind an expression: names and members of literal objects followed. */
  literal({ expr, source }: Placed, hops = 0): Placed {
    if (hops >= HOPS) return { expr, source };
    if (expr.t === "name") {
      const value = this.value(expr.name, source);
      return value ? this.literal(value, hops + 1) : { expr, source };
    }
    if (expr.t === "member") {
      const of = this.literal({ expr: expr.of, source }, hops + 1);
      const entry = of.expr.t === "object" ? of.expr.entries.find(([key]) => key === expr.name) : undefined;
      return entry ? this.literal({ expr: entry[1], source: of.source }, hops + 1) : { expr, source };
    }
    return { expr, source };
  }

  /** The text an expression is, where that is written out. */
  text(placed: Placed): string | undefined {
    const { expr, source } = this.literal(placed);
    if (expr.t === "text") return expr.value;
    if (expr.t !== "template") return undefined;
    const parts = expr.parts.map((part) => (typeof part === "string" ? part : this.text({ expr: part, source })));
    return parts.every((part) => part !== undefined) ? parts.join("") : undefined;
  }

  #of(source: Source): Names {
    const known = this.#names.get(source);
    if (known) return known;
    const values = new Map<string, Expr>();
    for (const [name, value] of set(source.body)) if (!values.has(name)) values.set(name, value);
    const named = new Map<string, NamedFunction>();
    for (const { fn } of functions(source.body)) if (!named.has(fn.name)) named.set(fn.name, fn);
    const made = { values, functions: named };
    this.#names.set(source, made);
    return made;
  }

  #file(from: string, source: Source): Source | undefined {
    const at = source.language === "python" ? pythonPath(from, source.file) : scriptPath(from, source.file);
    if (at === undefined) return undefined;
    const stem = at.replace(/\.(?:[cm]?[jt]sx?)$/, "");
    const ends = source.language === "python" ? [".py", "/__init__.py"] : SCRIPT_ENDS;
    for (const end of ends) {
      const found = this.#byFile.get(`${stem}${end}`) ?? this.#byFile.get(`src/${stem}${end}`);
      if (found) return found;
    }
    return undefined;
  }
}

const SCRIPT_ENDS = [".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".jsx", "/index.ts", "/index.js"];

function scriptPath(from: string, file: string): string | undefined {
  return from.startsWith(".") ? posix.join(posix.dirname(file), from) : undefined;
}

function pythonPath(from: string, file: string): string {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(from) ?? [];
  const path = rest.replaceAll(".", "/");
  if (dots === "") return path;
  return posix.join(posix.dirname(file), ...Array.from({ length: dots.length - 1 }, () => ".."), path);
}

/** What a file's own level and its classes set, in order. */
function* set(body: readonly Stmt[]): Generator<readonly [string, Expr]> {
  for (const stmt of body) {
    if (stmt.t === "set" && stmt.target.t === "bind") yield [stmt.target.name, stmt.value];
    else if (stmt.t === "block" || stmt.t === "class") yield* set(stmt.body);
    else if (stmt.t === "function" && /^(?:constructor|__init__)$/.test(stmt.name)) yield* set(stmt.fn.body);
  }
}
