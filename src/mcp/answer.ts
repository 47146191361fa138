import { z } from "zod";
import { type AnyOperation, requiredOf } from "../../tools/kernel/operation.ts";
import type { RegisteredOperation, Registry } from "../../tools/kernel/registry.ts";
import { Routes, routeParams } from "../http/routes.ts";
import { GATEWAY_TOOLS } from "./core-tools.ts";
import { fitInto } from "./fit.ts";
import type { ToolList } from "./tool-lists.ts";
import { type View, viewed } from "./view.ts";

/** A tool with its arguments, as a client of one list calls it. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What an answer leaves out, and the call that tells it. */
export interface CutNote {
  /** Which rows of the longest list these are. */
  readonly rows?: string;
  readonly more?: NextCall;
  readonly note?: string;
}

/** An answer that fits, with what was left out. `rows` is how many rows fit where fewer are shown than there are. */
export interface FittedAnswer {
  readonly body: unknown;
  readonly cut?: CutNote;
  readonly rows?: number;
}

/** How one call's answer is told: which tools its list has, what its caller gave and wants of it. */
export interface Telling {
  readonly op: AnyOperation;
  /** As the caller gave them, with what is wanted of the answer. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly view: View;
  readonly list: ToolList;
  readonly links: Links;
}

/** How the rest of an answer is had. */
const WAYS =
  'limit=N tells N rows whole, fields=["a","b.c"] those fields alone, family, status, outcome or tool the rows of one.';
const ELSEWHERE = "Shortened: a tool that reads it tells the rest.";

/** The part of an answer that its caller wants, in at most so many characters of JSON where no `limit` is given. */
export function fittedAnswer(telling: Telling, answer: unknown, most: number): FittedAnswer {
  const { op, args, view, list } = telling;
  const { body, list: rows } = viewed(answer, view);
  const whole = args.limit !== undefined;
  const told = whole ? { value: body } : fitInto(body, most);
  const from = rows?.from ?? 0;
  const end = from + (("cut" in told ? told.cut?.list?.shown : undefined) ?? view.limit ?? rows?.of ?? 0);
  const isRows = !("cut" in told) || told.cut?.list === undefined || told.cut.list.path === rows?.path.join(".");
  const goesOn = rows !== undefined && isRows && end < rows.of;
  if (!goesOn && !("cut" in told && told.cut)) return { body: told.value };
  const reads = op.effect === "read";
  const more = reads && goesOn && !("cursor" in op.input.shape);
  const cut: CutNote = {
    ...(goesOn ? { rows: `${from + 1} to ${end} of ${rows.of} (${rows.path.join(".")})` } : {}),
    ...(more ? { more: asCall(list, op, { ...args, cursor: String(end) }) } : {}),
    ...("cut" in told ? { note: reads ? WAYS : ELSEWHERE } : {}),
  };
  return { body: told.value, cut, ...(goesOn ? { rows: end - from } : {}) };
}

/** A call of an operation by whichever tool of a list reaches it. */
export function asCall(list: ToolList, op: AnyOperation, args: Readonly<Record<string, unknown>>): NextCall {
  if (list.byName.has(op.name) || !list.gateway) return { tool: op.name, arguments: args };
  const tool = op.effect === "read" ? GATEWAY_TOOLS.read.name : GATEWAY_TOOLS.call.name;
  return { tool, arguments: { name: op.name, arguments: args } };
}

/** Members that hold the route of a call to make: its method, and the members next to it that the call takes too. */
const ROUTED: Readonly<Record<string, { readonly method: string; readonly takes?: readonly string[] }>> = {
  poll: { method: "GET" },
  undo: { method: "POST" },
  run_link: { method: "POST", takes: ["environment"] },
  review: { method: "GET" },
  revisions: { method: "GET" },
  fidelity: { method: "GET" },
};

/** An act as answers offer it: a route with its method, and what the call takes. */
const Act = z.object({ route: z.string(), method: z.string(), body: z.record(z.string(), z.unknown()).optional() });

/** What routes and sentences of answers lead to, as calls. */
export class Links {
  readonly #registry: Registry;
  readonly #routes: Routes;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#routes = new Routes(registry);
  }

  /** An answer with a call beside each route that it names: `poll_call` beside `poll`. */
  withCalls(body: unknown, list: ToolList): unknown {
    if (Array.isArray(body)) return body.map((row) => this.withCalls(row, list));
    if (typeof body !== "object" || body === null) return body;
    return Object.fromEntries(
      Object.entries(body).flatMap(([name, part]) => {
        const call = typeof part === "string" ? this.#routed(name, part, { body, list }) : undefined;
        const told: [string, unknown][] = [[name, this.withCalls(part, list)]];
        return call === undefined ? told : [...told, [`${name}_call`, call]];
      }),
    );
  }

  /**
   * The call that the words of `Next:` name, with the arguments that stand in them, and those of the call before where
   * they have the same name; none where one that is needed is still not known.
   */
  next(words: string, list: ToolList, before: Readonly<Record<string, unknown>>): NextCall | undefined {
    const registered = this.#named(words);
    if (!registered) return undefined;
    const { op } = registered;
    const told = [...words.matchAll(/\b(?:with|and) (\w+) ([\w.:-]+)/g)].flatMap(([, name = "", value = ""]) =>
      name in op.input.shape ? [[name, value.replace(/[.:]$/, "")] as const] : [],
    );
    const needed = requiredOf(op);
    const same = needed.flatMap((name) => (before[name] === undefined ? [] : [[name, before[name]] as const]));
    const args = Object.fromEntries<unknown>([...same, ...told]);
    return needed.every((name) => name in args) ? asCall(list, op, args) : undefined;
  }

  #named(words: string): RegisteredOperation | undefined {
    for (const word of words.match(/[a-z]+(?:_[a-z]+)+|whoami/g) ?? []) {
      const registered = this.#registry.get(word);
      if (registered) return registered;
    }
    return undefined;
  }

  #routed(
    member: string,
    path: string,
    { body, list }: { readonly body: object; readonly list: ToolList },
  ): NextCall | undefined {
    const act = member === "route" ? Act.safeParse(body).data : undefined;
    const routed = act ?? ROUTED[member];
    // A template names no record.
    const match = routed && !path.includes("{") ? this.#routes.match(routed.method, path) : undefined;
    if (!routed || !match || !("operation" in match)) return undefined;
    const { op } = match.operation;
    const params = routeParams(op.route).flatMap((name) =>
      name === "orgtag" ? [] : [[name, match.params[name]] as const],
    );
    const siblings = Object.entries(act ? (act.body ?? {}) : body).filter(
      ([name]) => act || ROUTED[member]?.takes?.includes(name),
    );
    return asCall(list, op, Object.fromEntries([...params, ...siblings]));
  }
}
