import { effectByName } from "../compile/effects.ts";
import type { Json, JsonObject } from "../json.ts";
import { hashOf } from "./hash.ts";
import { Names, type Volatile } from "./names.ts";

/** One call as a session heard it. */
export interface Heard {
  readonly tool: string;
  readonly args: JsonObject;
  readonly value: Json;
  /** A success: data or an empty answer. */
  readonly ok: boolean;
  /** The call had no answer of the system: what it did is not known. */
  readonly unknown?: boolean;
}

/** What is known of calls: which have an effect, on what, and what their answers make up. A kind is a tool's name, with `!` behind it for its refusals. */
export interface Rules {
  /** Kinds of calls that may have an effect. */
  readonly effective: ReadonlySet<string>;
  /** By kind, the tools whose answers were seen to change across it. */
  readonly moves: ReadonlyMap<string, ReadonlySet<string>>;
  /** By kind, those of them whose answers change also where the question names what the call does not. */
  readonly reaches: ReadonlyMap<string, ReadonlySet<string>>;
  /** By kind, the tools whose answers were shown to stay as they were across it. */
  readonly leaves: ReadonlyMap<string, ReadonlySet<string>>;
  readonly volatile: Volatile;
  /** All sessions start alike, whatever their task. */
  readonly oneStart: boolean;
}

/** What a question's answer may rest on, from the most to the least. */
export const CONTEXTS = [
  "exact",
  "relevant",
  "about",
  "any_exact",
  "any_relevant",
  "any_about",
  "any_last",
  "task",
  "any",
] as const;
export type Context = (typeof CONTEXTS)[number];

/** Sessions with more calls that have an effect are not searched for those about the question. */
const MOST_ABOUT = 200;

/** The kind of a call. */
export const kindOf = ({ tool, ok }: { readonly tool: string; readonly ok: boolean }): string =>
  ok ? tool : `${tool}!`;

/** A call that may have had an effect. */
interface Event {
  readonly heard: Heard;
  hash?: string;
  /** Texts and numbers in its arguments and answer. */
  scalars?: ReadonlySet<unknown>;
}

interface Chain {
  readonly length: number;
  readonly hash: string;
  readonly broken: boolean;
}

const START: Chain = { length: 0, hash: "", broken: false };

/** One session as far as it went: what its next question's answer may rest on. Calls are hashed when first needed. */
export class Course {
  readonly names: Names;
  private readonly rules: Rules;
  /** The task, as far as it decides the start; undefined where none is known. */
  private readonly start: string | undefined;
  private readonly events: Event[] = [];
  /** Names given before each heard call, for taking it back. */
  private readonly marks: { readonly named: number; readonly events: number }[] = [];
  private readonly chains = new Map<string, Chain>();
  private readonly moving = new Map<string, { readonly length: number; readonly moved: boolean }>();

  constructor(rules: Rules, task: string | undefined) {
    this.rules = rules;
    this.names = new Names(rules.volatile);
    this.start = rules.oneStart ? "" : task;
  }

  /** Tells the session's next call and its answer. */
  hear(heard: Heard): void {
    this.marks.push({ named: this.names.size, events: this.events.length });
    const kind = kindOf(heard);
    const mayAct = heard.unknown
      ? this.rules.effective.has(heard.tool) || effectByName(heard.tool) === "write"
      : this.rules.effective.has(kind);
    if (mayAct) {
      const event: Event = { heard };
      if (this.rules.volatile.generated.size > 0) this.hashed(event);
      this.events.push(event);
    }
    if (heard.ok) this.names.hear(heard.tool, heard.value);
  }

  /** Takes the newest call back. */
  undo(): void {
    const mark = this.marks.pop();
    if (!mark) return;
    this.names.cut(mark.named);
    this.events.length = mark.events;
    for (const cache of [this.chains, this.moving])
      for (const [name, { length }] of cache) if (length > mark.events) cache.delete(name);
  }

  /** Whether a call of this session was seen to change what a tool answers, or its effect is not known and may. */
  moved(tool: string): boolean {
    let { length, moved } = this.moving.get(tool) ?? { length: 0, moved: false };
    for (; length < this.events.length; length++) moved ||= this.moves((this.events[length] as Event).heard, tool);
    this.moving.set(tool, { length, moved });
    return moved;
  }

  private moves(heard: Heard, tool: string): boolean {
    const kind = heard.unknown ? heard.tool : kindOf(heard);
    if (this.rules.moves.get(kind)?.has(tool)) return true;
    // Calls that nothing is known of may change whatever is not known to stay.
    return heard.unknown === true && !this.rules.moves.get(kind)?.size && !this.rules.leaves.get(kind)?.has(tool);
  }

  /** The name of a question under this session's names. */
  question(tool: string, args: JsonObject): string {
    return `${tool}\n${this.names.argsText(args)}`;
  }

  /** What the answer of a question may rest on, by context: those that hold for it now, of those that are asked for. */
  keys(tool: string, args: JsonObject, wanted: readonly Context[] = CONTEXTS): Map<Context, string> {
    const out = new Map<Context, string>();
    const question = this.question(tool, args);
    for (const context of wanted) {
      const bare = context.startsWith("any");
      // Where all start alike, the start says nothing.
      if (bare ? this.start === "" && context !== "any" && context !== "any_last" : this.start === undefined) continue;
      const way = this.way(context, tool, args);
      if (way === undefined) continue;
      const parts = bare ? [context, ...way] : [context, this.start, ...way];
      out.set(context, hashOf([...parts, question].join("\n")));
    }
    return out;
  }

  /** What a context says of the session so far; undefined where it does not hold. */
  private way(context: Context, tool: string, args: JsonObject): readonly string[] | undefined {
    switch (context) {
      case "exact":
      case "any_exact": {
        const { broken, hash } = this.chain("", () => true);
        return broken ? undefined : [hash];
      }
      case "relevant":
      case "any_relevant": {
        const { broken, hash } = this.relevant(tool);
        return broken ? undefined : [hash];
      }
      case "about":
      case "any_about": {
        const about = this.relevant(tool).broken ? undefined : this.about(tool, args);
        return about === undefined ? undefined : [about];
      }
      case "any_last": {
        const last = this.events.slice(-2);
        if (last.length === 0 || last.some(({ heard }) => heard.unknown)) return undefined;
        return last.map((event) => this.hashed(event));
      }
      case "task":
        return this.start === "" || this.moved(tool) ? undefined : [];
      case "any":
        return this.moved(tool) ? undefined : [];
    }
  }

  private relevant(tool: string): Chain {
    return this.chain(tool, (heard) => !this.rules.leaves.get(kindOf(heard))?.has(tool));
  }

  /** The calls that may bear on what a question names: those that name all of it too. Undefined where it names nothing. */
  private about(tool: string, args: JsonObject): string | undefined {
    if (this.events.length > MOST_ABOUT) return undefined;
    const named = [...scalarsIn(args)];
    if (named.length === 0) return undefined;
    const hashes: string[] = [];
    for (const event of this.events) {
      if (this.rules.leaves.get(kindOf(event.heard))?.has(tool)) continue;
      event.scalars ??= new Set([...scalarsIn(event.heard.args), ...scalarsIn(event.heard.value)]);
      if (named.every((value) => event.scalars?.has(value))) hashes.push(this.hashed(event));
    }
    return hashes.join();
  }

  private chain(name: string, counts: (heard: Heard) => boolean): Chain {
    let { length, hash, broken } = this.chains.get(name) ?? START;
    for (; length < this.events.length; length++) {
      const event = this.events[length] as Event;
      const { heard } = event;
      if (!counts(heard)) continue;
      if (heard.unknown) broken = true;
      else hash = hashOf(`${hash}\n${this.hashed(event)}`);
    }
    const chain = { length, hash, broken };
    this.chains.set(name, chain);
    return chain;
  }

  /** A call by its tool, arguments and answer; a clock in its answer tells nothing. */
  private hashed(event: Event): string {
    if (event.hash !== undefined) return event.hash;
    const { tool, args, value } = event.heard;
    event.hash = hashOf(`${this.question(tool, args)}\n${this.names.canonical(tool, value).text}`);
    return event.hash;
  }
}

/**
 * Whether what a call did that nobody followed may show in a tool's answer: the one rule for it. It does where such
 * calls were seen to change such answers, and the call names all that the question names, or need not.
 */
export function mayShow(rules: Rules, call: Pick<Heard, "tool" | "args">, tool: string, args: JsonObject): boolean {
  if (rules.moves.get(call.tool)?.has(tool) !== true) return false;
  if (rules.reaches.get(call.tool)?.has(tool) === true) return true;
  const own = new Set(scalarsIn(call.args));
  return [...scalarsIn(args)].every((scalar) => own.has(scalar));
}

function* scalarsIn(value: Json): Generator<Json> {
  if (typeof value === "string" || typeof value === "number") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* scalarsIn(item);
  else if (typeof value === "object" && value !== null)
    for (const key of Object.keys(value)) yield* scalarsIn(value[key] as Json);
}
