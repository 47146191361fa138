import type { SourceRoute } from "../../../chapters/repositories.ts";
import { type Address, addressOf, isThis, pathOf, type SourceLocation } from "./addresses.ts";
import { type Ask, askOf, handedObject, textOf } from "./asks.ts";
import { type Found, Frame, type ResponsePart } from "./frame.ts";
import type { Project } from "./project.ts";
import {
  type Call,
  type Expr,
  type FunctionExpr,
  type NamedFunction,
  type Pattern,
  partsOf,
  type Source,
  type Stmt,
} from "./tree.ts";

/** How far calls are followed into the project's functions, and how many expressions are read in all. */
const DEEPEST = 5;
const MOST_STEPS = 3_000_000;
/** Members of a response that are not its body. */
const OF_RESPONSE =
  /^(?:status|statusCode|status_code|ok|headers|statusText|reason|url|raise_for_status|is_success|is_error|reason_phrase|elapsed|cookies)$/;
/** What is done with each element of a list, and whether what comes back is the list again or one of it. */
const OVER_EACH: Readonly<Record<string, "list" | "element" | "other">> = {
  map: "other",
  flatMap: "other",
  forEach: "other",
  some: "other",
  every: "other",
  filter: "list",
  sort: "list",
  toSorted: "list",
  find: "element",
  findLast: "element",
};
const SAME_LIST = /^(?:slice|reverse|items|values|entries|at|concat|copy)$/;

/** Follows what requests answer through client code, without running it. */
export class Reader {
  readonly #project: Project;
  readonly #found = new Map<string, Found>();
  readonly #stack: FunctionExpr[] = [];
  /** Calls that ask, and whether the route of any of their runs could be told. */
  readonly #asks = new Map<Call, boolean>();
  #steps = 0;

  constructor(project: Project) {
    this.#project = project;
  }

  /** What was found, by route and function. */
  routes(): SourceRoute[] {
    return [...this.#found.values()]
      .map(({ route, location, baseEnv, keys, unkeyed, codes, text }) => ({
        route,
        file: location.file,
        line: location.line,
        function: location.function,
        forms: [
          ...(keys.size > 0 ? ["keyed" as const] : []),
          ...(text ? ["text" as const] : []),
          ...(unkeyed.size > 0 ? ["whole" as const] : []),
        ],
        keys: [...keys].filter((key) => !isWay(key, keys)).sort(),
        unkeyed: [...unkeyed].sort(),
        codes: Object.fromEntries([...codes].sort().map(([path, values]) => [path, [...values].sort()])),
        ...(baseEnv === undefined ? {} : { base_env: baseEnv }),
      }))
      .sort((a, b) => (a.route === b.route ? (a.function < b.function ? -1 : 1) : a.route < b.route ? -1 : 1));
  }

  /** How many calls ask for what could not be told: their method or path is known when they run alone. */
  unread(): number {
    return [...this.#asks.values()].filter((told) => !told).length;
  }

  /** Reads statements as a function of that name. */
  run(source: Source, name: string, body: readonly Stmt[], line: number): void {
    const frame = new Frame(source, { function: name, file: source.file, line }, 0);
    this.#all(body, frame);
  }

  /** Reads a named function as it would be called from outside. */
  enter(source: Source, { name, fn, line }: NamedFunction): void {
    const frame = new Frame(source, { function: name, file: source.file, line }, 0);
    this.#stack.push(fn);
    this.#all(fn.body, frame);
    this.#stack.pop();
    this.#whole(frame.returned, "return");
  }

  #all(body: readonly Stmt[], frame: Frame): void {
    for (const stmt of body) this.#stmt(stmt, frame);
  }

  #stmt(stmt: Stmt, frame: Frame): void {
    switch (stmt.t) {
      case "set":
        this.#bind(stmt.target, this.#read(stmt.value, frame), frame);
        if (stmt.target.t === "bind") this.#set(stmt.target.name, stmt.value, frame);
        return;
      case "do":
        this.#read(stmt.value, frame);
        return;
      case "return":
        if (stmt.value) frame.returned = this.#read(stmt.value, frame) ?? frame.returned;
        return;
      case "each":
        this.#bind(stmt.target, element(this.#read(stmt.of, frame)), frame);
        this.#all(stmt.body, frame);
        return;
      case "switch": {
        const of = this.#read(stmt.of, frame);
        for (const each of stmt.cases) this.#code(of, each, frame);
        this.#all(stmt.body, frame);
        return;
      }
      case "block":
        this.#all(stmt.body, frame);
        return;
      case "function":
        // A function of a function sees its names; those of the file are entered on their own.
        if (frame.location.function !== "module") frame.functions.set(stmt.name, stmt.fn);
        return;
      default:
        return;
    }
  }

  /** What is set from its own value before, such as `method = method.upper()`, stands for what that was. */
  #set(name: string, value: Expr, frame: Frame): void {
    const own = mentions(value, name) ? textOf(this.#project, value, frame) : undefined;
    frame.set.set(name, own === undefined ? value : { t: "text", value: own });
  }

  #bind(pattern: Pattern, got: ResponsePart | undefined, frame: Frame): void {
    if (pattern.t === "bind") {
      if (got) frame.responseParts.set(pattern.name, got);
      else frame.responseParts.delete(pattern.name);
    } else if (pattern.t === "keys") {
      for (const [key, inner] of pattern.keys) this.#bind(inner, this.#member(got, key), frame);
    } else if (pattern.t === "items") {
      for (const inner of pattern.items) this.#bind(inner, element(got), frame);
    }
  }

  /** What an expression holds of an answer; what it reads on the way is noted. */
  #read(expr: Expr, frame: Frame): ResponsePart | undefined {
    if (++this.#steps > MOST_STEPS) return undefined;
    const inner = (part: Expr) => this.#read(part, frame);
    switch (expr.t) {
      case "name":
        return frame.holds(expr.name);
      case "member":
        return this.#member(inner(expr.of), expr.name);
      case "item":
        if (expr.by) inner(expr.by);
        return element(inner(expr.of));
      case "call":
        return this.#call(expr, frame);
      case "equal": {
        const left = inner(expr.left);
        const right = inner(expr.right);
        this.#code(left, expr.right, frame);
        this.#code(right, expr.left, frame);
        return undefined;
      }
      case "either": {
        if (expr.test) inner(expr.test);
        return expr.options.map(inner).find((got) => got !== undefined);
      }
      case "comprehension": {
        this.#bind(expr.each, element(inner(expr.of)), frame);
        for (const part of expr.make) this.#whole(inner(part), "list");
        return undefined;
      }
      case "function":
        this.#follow(expr, [], [], frame, frame.source, frame.location);
        return undefined;
      case "object":
        for (const [, part] of expr.entries) this.#whole(inner(part), "object");
        for (const part of expr.spreads) this.#whole(inner(part), "object");
        return undefined;
      case "list":
        for (const part of expr.items) this.#whole(inner(part), "list");
        return undefined;
      case "template":
        for (const part of expr.parts) if (typeof part !== "string") this.#whole(inner(part), "text");
        return undefined;
      case "other": {
        const all = expr.parts.map(inner);
        return expr.parts.length === 1 ? all[0] : undefined;
      }
      default:
        return undefined;
    }
  }

  #member(got: ResponsePart | undefined, name: string): ResponsePart | undefined {
    if (got?.kind === "response") {
      if (OF_RESPONSE.test(name)) return undefined;
      if (name === "data" || name === "body" || name === "json") return { kind: "body", route: got.route, path: "" };
      if (name === "text" || name === "content") return { kind: "text", route: got.route };
      return got.own ? this.#key({ kind: "body", route: got.route, path: "" }, name) : undefined;
    }
    return got?.kind === "body" && name !== "length" ? this.#key(got, name) : undefined;
  }

  #key(body: Extract<ResponsePart, { kind: "body" }>, name: string): ResponsePart {
    const path = body.path === "" || body.path.endsWith(".") ? `${body.path}${name}` : `${body.path}.${name}`;
    body.route.keys.add(path);
    return { kind: "body", route: body.route, path };
  }

  #call(call: Call, frame: Frame): ResponsePart | undefined {
    const { callee } = call;
    const ask = this.#isOwn(callee, frame) ? undefined : askOf(this.#project, call, frame);
    const found = ask && this.#ask(ask, frame);
    if (ask) this.#asks.set(call, found !== undefined || this.#asks.get(call) === true);
    if (found && ask) {
      for (const arg of call.args.slice(1)) this.#read(arg, frame);
      return { kind: "response", route: found, own: ask.own };
    }
    if (callee.t === "member") {
      const of = this.#read(callee.of, frame);
      if (of) return this.#method(of, callee.name, call, frame);
      if (callee.of.t === "list" && callee.name === "includes" && call.args[0]) {
        const got = this.#read(call.args[0], frame);
        for (const item of callee.of.items) this.#code(got, item, frame);
        return undefined;
      }
    }
    return this.#handed(call, frame);
  }

  /** Whether a function of the project is called: it is followed, and what it asks is read there. */
  #isOwn(callee: Expr, frame: Frame): boolean {
    if (callee.t === "name") return this.#project.function(callee.name, frame.source) !== undefined;
    return (
      callee.t === "member" && isThis(callee.of) && this.#project.function(callee.name, frame.source) !== undefined
    );
  }

  /** A call of a method on what was answered. */
  #method(of: ResponsePart, name: string, call: Call, frame: Frame): ResponsePart | undefined {
    if (of.kind === "response") {
      const got = this.#member(of, name);
      return got?.kind === "body" && got.path !== "" ? undefined : got;
    }
    const each = OVER_EACH[name];
    const [first] = call.args;
    if (each === undefined || of.kind !== "body") {
      for (const arg of call.args) this.#read(arg, frame);
      return SAME_LIST.test(name) ? of : undefined;
    }
    if (first?.t === "function") this.#follow(first, [element(of)], [], frame, frame.source, frame.location);
    else if (first) this.#whole(element(of), nameOf(first));
    return each === "list" ? of : each === "element" ? element(of) : undefined;
  }

  /** A call that is handed what was answered: followed where its function is written in the project. */
  #handed(call: Call, frame: Frame): ResponsePart | undefined {
    const { callee } = call;
    const name = nameOf(callee);
    const all = [...call.args, ...call.named.map(([, value]) => value)];
    const toolName =
      /^(?:tool|registerTool)$/.test(name) && call.args[0]?.t === "text" ? call.args[0].value : undefined;
    const sourceLocation =
      toolName === undefined ? frame.location : { function: toolName, file: frame.source.file, line: call.line };
    const got = all.map((arg) => {
      if (arg.t !== "function") return this.#read(arg, frame);
      this.#follow(arg, [], [], frame, frame.source, sourceLocation);
      return undefined;
    });
    const [first] = got;
    if ((name === "parse" || name === "loads") && first) return { kind: "body", route: first.route, path: "" };
    for (const each of got) this.#whole(each, name);
    const local = callee.t === "name" ? frame.functions.get(callee.name) : undefined;
    const addresses = all.map((arg) => handedObject(this.#project, arg, frame) ?? addressOf(this.#project, arg, frame));
    if (local) return this.#follow(local, got, addresses, frame, frame.source, frame.location);
    const target =
      callee.t === "name"
        ? this.#project.function(name, frame.source)
        : callee.t === "member"
          ? this.#methodOf(callee, frame)
          : undefined;
    if (!target) return undefined;
    const there: SourceLocation = { function: target.fn.name, file: target.source.file, line: target.fn.line };
    // Named arguments stand where the function has their names.
    const places = call.named.map(([key]) =>
      target.fn.fn.params.findIndex(({ pattern }) => pattern.t === "bind" && pattern.name === key),
    );
    const at = (index: number) => {
      const self = target.source.language === "python" && callee.t === "member" && isSelf(target.fn.fn) ? 1 : 0;
      return index < call.args.length ? index + self : (places[index - call.args.length] ?? -1);
    };
    const placedGot: (ResponsePart | undefined)[] = [];
    const placedAddresses: (Address | Expr | undefined)[] = [];
    all.forEach((_arg, index) => {
      const place = at(index);
      if (place < 0) return;
      placedGot[place] = got[index];
      placedAddresses[place] = addresses[index];
    });
    return this.#follow(target.fn.fn, placedGot, placedAddresses, undefined, target.source, there, frame.depth + 1);
  }

  #methodOf(callee: Extract<Expr, { t: "member" }>, frame: Frame) {
    const here = isThis(callee.of) ? this.#project.function(callee.name, frame.source) : undefined;
    return here ?? this.#project.method(callee.name);
  }

  #follow(
    fn: FunctionExpr,
    got: readonly (ResponsePart | undefined)[],
    addresses: readonly (Address | Expr | undefined)[],
    outer: Frame | undefined,
    source: Source,
    owner: SourceLocation,
    depth = outer?.depth ?? 0,
  ): ResponsePart | undefined {
    if (depth > DEEPEST || this.#stack.length > 40 || this.#stack.includes(fn)) return undefined;
    const frame = new Frame(source, owner, depth, outer);
    fn.params.forEach(({ pattern, fallback }, index) => {
      this.#bind(pattern, got[index], frame);
      const handed = addresses[index] ?? fallback ?? { parts: [undefined], location: undefined };
      if (pattern.t === "bind") frame.set.set(pattern.name, handed);
    });
    this.#stack.push(fn);
    this.#all(fn.body, frame);
    this.#stack.pop();
    return frame.returned;
  }

  #ask(ask: Ask, frame: Frame): Found | undefined {
    const path = pathOf(ask.address);
    if (!path || ask.method === undefined || !/^[A-Z]{3,7}$/.test(ask.method)) return undefined;
    const owner = ask.address.location ?? frame.location;
    const route = `${ask.method} ${path.path}`;
    const key = JSON.stringify([route, owner.function, owner.file]);
    const known = this.#found.get(key);
    if (known) return known;
    const made: Found = {
      route,
      location: owner,
      baseEnv: path.baseEnv,
      keys: new Set(),
      unkeyed: new Set(),
      codes: new Map(),
      text: false,
    };
    this.#found.set(key, made);
    return made;
  }

  /** Notes where a body that no member was read of goes. */
  #whole(got: ResponsePart | undefined, where: string): void {
    if (got?.kind === "text") got.route.text = true;
    if (got?.kind === "body" && got.path === "" && where !== "") got.route.unkeyed.add(where);
  }

  #code(got: ResponsePart | undefined, literal: Expr, frame: Frame): void {
    if (got?.kind !== "body" || got.path === "") return;
    const value =
      literal.t === "value" ? String(literal.value) : this.#project.text({ expr: literal, source: frame.source });
    if (value === undefined || value.length > 100) return;
    const known = got.route.codes.get(got.path) ?? new Set<string>();
    got.route.codes.set(got.path, known.add(value));
  }
}

/** Whether a path was only the way to another. */
function isWay(key: string, keys: ReadonlySet<string>): boolean {
  return [...keys].some((other) => other.startsWith(`${key}.`) || other.startsWith(`${key}[]`));
}

function element(got: ResponsePart | undefined): ResponsePart | undefined {
  return got?.kind === "body" ? { ...got, path: `${got.path}[]` } : undefined;
}

function nameOf(expr: Expr): string {
  return expr.t === "name" || expr.t === "member" ? expr.name : "";
}

function isSelf(fn: FunctionExpr): boolean {
  const first = fn.params[0]?.pattern;
  return first?.t === "bind" && /^(?:self|cls)$/.test(first.name);
}

/** Whether an expression reads a name. */
function mentions(expr: Expr, name: string): boolean {
  return (expr.t === "name" && expr.name === name) || partsOf(expr).some((part) => mentions(part, name));
}
