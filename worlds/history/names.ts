import { canonicalJson } from "../digest.ts";
import { mapLeaves, timeForm } from "../floor/leaves.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** Which parts of which tools' answers the system makes up anew, as `tool path`: ids, and readings of a clock. */
export interface Volatile {
  readonly generated: ReadonlySet<string>;
  readonly clocks: ReadonlySet<string>;
}

/** What a part of a tool's answers is. */
export function kindIn({
  generated,
  clocks,
}: Volatile): (tool: string, path: string) => "generated" | "clock" | undefined {
  return (tool, path) => {
    const part = `${tool} ${path}`;
    return generated.has(part) ? "generated" : clocks.has(part) ? "clock" : undefined;
  };
}

/** An answer as sessions are compared. */
export interface Canonical {
  /** Equal for answers that are equal up to generated ids and clocks. */
  readonly text: string;
  /** With its clocks as they were read: ids that the session knew under their numbers, new ones under theirs in this answer. */
  readonly value: Json;
  /** The new ids as they were generated. */
  readonly fresh: readonly (string | number)[];
}

/** Ids that a session knew, and those that an answer shows first, between characters of private use. */
const known = (k: number): string => `\ue000${k}\ue000`;
const first = (k: number): string => `\ue001${k}\ue001`;
const NAMED = /\ue000(\d+)\ue000|\ue001(\d+)\ue001/g;
const NOW = "\ue002";

/** The generated ids of one session, by the order in which its answers showed them: sessions that differ in nothing else read alike. */
export class Names {
  private readonly volatile: Volatile;
  private readonly numbers = new Map<string, number>();
  private readonly values: (string | number)[] = [];

  constructor(volatile: Volatile) {
    this.volatile = volatile;
  }

  get size(): number {
    return this.values.length;
  }

  /** Forgets the ids after the first so many. */
  cut(size: number): void {
    for (const value of this.values.splice(size)) this.numbers.delete(String(value));
  }

  /** Canonical text of arguments. */
  argsText(args: JsonObject): string {
    if (this.values.length === 0) return canonicalJson(args);
    return canonicalJson(mapLeaves(args, ({ value }) => this.name(value) ?? value));
  }

  private name(value: string | number): string | undefined {
    const k = this.numbers.get(String(value));
    return k === undefined ? undefined : known(k);
  }

  /** An answer as sessions are compared. Nothing is taken up. */
  canonical(tool: string, value: Json): Canonical {
    if (this.values.length === 0 && this.volatile.generated.size + this.volatile.clocks.size === 0)
      return { text: canonicalJson(value), value, fresh: [] };
    const fresh = new Map<string, string | number>();
    let clocks = false;
    const kept = mapLeaves(value, ({ path, value: own }) => {
      const name = this.name(own);
      if (name !== undefined) return name;
      if (this.volatile.generated.has(`${tool} ${path}`)) {
        if (!fresh.has(String(own))) fresh.set(String(own), own);
      } else if (this.isClock(tool, path, own)) clocks = true;
      return own;
    });
    const numbers = new Map([...fresh.keys()].map((own, k) => [own, first(k)]));
    const named = fresh.size === 0 ? kept : mapLeaves(kept, ({ value: own }) => numbers.get(String(own)) ?? own);
    const timeless = clocks
      ? mapLeaves(named, ({ path, value: own }) => (this.isClock(tool, path, own) ? NOW : own))
      : named;
    return { text: canonicalJson(timeless), value: named, fresh: [...fresh.values()] };
  }

  private isClock(tool: string, path: string, value: string | number): boolean {
    return this.volatile.clocks.has(`${tool} ${path}`) && timeForm(value) !== undefined;
  }

  /** Takes the new ids of an answer up. */
  hear(tool: string, value: Json): void {
    if (this.volatile.generated.size === 0) return;
    for (const own of this.canonical(tool, value).fresh) {
      this.numbers.set(String(own), this.values.length);
      this.values.push(own);
    }
  }

  /** A canonical answer in this session's own ids; `mint` gives those that it has not shown, by their number in the answer. Undefined where one is named that this session lacks. */
  spoken(value: Json, mint: (k: number) => string | number): Json | undefined {
    let lost = false;
    const own = (old: string | undefined, fresh: string | undefined): string | number => {
      const id = old === undefined ? mint(Number(fresh)) : this.values[Number(old)];
      if (id === undefined) lost = true;
      return id ?? "";
    };
    const out = restored(value, own);
    return lost ? undefined : out;
  }
}

type Own = (old: string | undefined, fresh: string | undefined) => string | number;

function restored(value: Json, own: Own): Json {
  if (typeof value === "string") {
    const whole = /^(?:\ue000(\d+)\ue000|\ue001(\d+)\ue001)$/.exec(value);
    if (whole) return own(whole[1], whole[2]);
    return value.replace(NAMED, (_, old?: string, fresh?: string) => String(own(old, fresh)));
  }
  if (Array.isArray(value)) return value.map((item) => restored(item, own));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(restored(key, own)), restored(item, own)]),
  );
}

/** A new id of the form of another: the letters before its first digit or mark stay, the rest is drawn. */
export function formOf(id: string | number): { prefix: string; alphabet: string; width: number } {
  const text = String(id);
  const prefix = /^.*[-_:/#.](?=[A-Za-z0-9]+$)/.exec(text)?.[0] ?? /^[A-Za-z]*(?=\d+$)/.exec(text)?.[0] ?? "";
  const rest = text.slice(prefix.length);
  const alphabet = /^\d+$/.test(rest) ? "n" : /^[0-9a-f]+$/.test(rest) ? "x" : /^[0-9A-Z]+$/.test(rest) ? "a" : "w";
  return { prefix, alphabet, width: Math.min(64, Math.max(1, rest.length)) };
}
