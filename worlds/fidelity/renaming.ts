import type { Bundle } from "../bundle.ts";
import { idLike, isText, mapLeaves, timeForm, wordsOf } from "../floor/leaves.ts";
import { type Volatility, volatilityIn } from "../floor/volatile.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";

type Id = string | number;

/** What is volatile of a bundle's answers: what sessions show, what its own evidence showed, and what its behaviours make up. */
export function generatedBy({ memory, behaviours }: Bundle, observed: Volatility): Volatility {
  const known = volatilityIn(memory?.generated ?? [], memory?.clocks ?? []);
  const isMade = (tool: string, path: string) =>
    behaviours[tool]?.volatile.some((member) => path === `/${member}`) === true;
  return {
    ...observed,
    kind: (tool, path) =>
      observed.kind(tool, path) ?? known.kind(tool, path) ?? (isMade(tool, path) ? "generated" : undefined),
  };
}

/**
 * Ids that the observed system and what is measured generated for the same thing, in one session: one to one, and the
 * same all session long. What is measured is asked by its own ids. Which parts of answers are generated is decided by
 * the volatility of the service, never by what is measured.
 */
export class Renaming {
  private readonly volatility: Volatility;
  private readonly toOwn = new Map<string, Id>();
  private readonly toObserved = new Map<string, Id>();

  constructor(volatility: Volatility) {
    this.volatility = volatility;
  }

  /** Observed arguments as what is measured knows them. */
  args(args: JsonObject): JsonObject {
    if (this.toOwn.size === 0) return args;
    return mapLeaves(args, ({ value }) => this.toOwn.get(String(value)) ?? value) as JsonObject;
  }

  /** An observed answer as what is measured knows it. */
  theirs(value: Json): Json {
    if (this.toOwn.size === 0) return value;
    return mapLeaves(value, ({ value: own }) => this.toOwn.get(String(own)) ?? own);
  }

  /** An answer under the observed names. */
  answer(value: Json): Json {
    if (this.toObserved.size === 0) return value;
    return mapLeaves(value, ({ value: own }) => this.toObserved.get(String(own)) ?? own);
  }

  /** Whether two answers of a tool are equal up to generated ids and clocks. Nothing is taken up. */
  alike(tool: string, observed: Json, answered: Json): boolean {
    const pairs = new Pairs(this.toOwn, this.toObserved);
    return this.compare(tool, observed, answered, "", pairs, true);
  }

  /** Pairs the generated ids of two successful answers, also where the rest of them differs. */
  learn(tool: string, observed: Json, answered: Json): void {
    const pairs = new Pairs(this.toOwn, this.toObserved);
    this.compare(tool, observed, answered, "", pairs, false);
    for (const [theirs, own] of pairs.added) {
      this.toOwn.set(theirs.key, own.id);
      this.toObserved.set(own.key, theirs.id);
    }
  }

  /** Walks two values side by side. `strict` ends at the first difference. */
  private compare(tool: string, a: Json, b: Json, path: string, pairs: Pairs, strict: boolean): boolean {
    if (isId(a) && isId(b)) {
      if (typeof a === "string" && typeof b === "string" && isText(a)) return this.texts(tool, a, b, path, pairs);
      return this.words(tool, a, b, path, pairs);
    }
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length && strict) return false;
      let equal = a.length === b.length;
      for (let i = 0; i < Math.min(a.length, b.length); i++) {
        if (!this.compare(tool, a[i] as Json, b[i] as Json, `${path}[]`, pairs, strict)) equal = false;
        if (strict && !equal) return false;
      }
      return equal;
    }
    if (isObject(a) && isObject(b)) return this.objects(tool, a, b, path, pairs, strict);
    return a === b;
  }

  private objects(tool: string, a: JsonObject, b: JsonObject, path: string, pairs: Pairs, strict: boolean): boolean {
    const keys = Object.keys(a);
    let equal = keys.length === Object.keys(b).length;
    if (strict && !equal) return false;
    const left = Object.keys(b).filter((key) => !Object.hasOwn(a, key) && !pairs.isOwn(key));
    for (const key of keys) {
      const id = idLike(key);
      let other: string | undefined = String(pairs.own(key) ?? key);
      if (!Object.hasOwn(b, other)) other = id && this.volatility.kind(tool, `${path}{}`) ? left.shift() : undefined;
      const here = other !== undefined && Object.hasOwn(b, other);
      const fits =
        here &&
        (other === key || pairs.pair(key, other as string)) &&
        this.compare(tool, a[key] as Json, b[other as string] as Json, `${path}/${id ? "{}" : key}`, pairs, strict);
      if (!fits) equal = false;
      if (strict && !equal) return false;
    }
    return equal;
  }

  private texts(tool: string, a: string, b: string, path: string, pairs: Pairs): boolean {
    if (a === b) return true;
    const [ours, theirs] = [wordsOf(a), wordsOf(b)];
    if (ours.words.length !== theirs.words.length || ours.around.some((text, i) => text !== theirs.around[i]))
      return false;
    return ours.words.every(({ before, value }, i) =>
      this.words(tool, value, theirs.words[i]?.value ?? "", `${path}~${before}`, pairs),
    );
  }

  private words(tool: string, a: Id, b: Id, path: string, pairs: Pairs): boolean {
    const kind = this.volatility.kind(tool, path);
    const known = pairs.own(String(a));
    if (known !== undefined) return String(known) === String(b);
    if (kind === "clock" && timeForm(a) !== undefined && timeForm(a) === timeForm(b)) return pairs.read(a, b);
    if (kind === "generated" && typeof a === typeof b && b !== "") return pairs.pair(a, b);
    if (typeof a === "number" && typeof b === "number")
      return a === b || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
    return a === b;
  }
}

const isId = (value: Json): value is Id => typeof value === "string" || typeof value === "number";

/** Pairs of ids: what a session knows, and what the comparison of one answer adds. */
class Pairs {
  private readonly toOwn: ReadonlyMap<string, Id>;
  private readonly toObserved: ReadonlyMap<string, Id>;
  private readonly fresh = new Map<string, Id>();
  private readonly taken = new Set<string>();
  readonly added: (readonly [{ key: string; id: Id }, { key: string; id: Id }])[] = [];

  constructor(toOwn: ReadonlyMap<string, Id>, toObserved: ReadonlyMap<string, Id>) {
    this.toOwn = toOwn;
    this.toObserved = toObserved;
  }

  own(observed: string): Id | undefined {
    return this.toOwn.get(observed) ?? this.fresh.get(observed);
  }

  isOwn(own: string): boolean {
    return this.toObserved.has(own) || this.taken.has(own);
  }

  /** Takes a moment of the observed clock for one of ours: what shows it later has to show that one. Ours may stand still. */
  read(observed: Id, own: Id): true {
    this.fresh.set(String(observed), own);
    this.added.push([
      { key: String(observed), id: observed },
      { key: String(own), id: own },
    ]);
    return true;
  }

  /** Pairs two ids; false where either stands for another already. */
  pair(observed: Id, own: Id): boolean {
    const known = this.own(String(observed));
    if (known !== undefined) return String(known) === String(own);
    if (this.isOwn(String(own))) return false;
    this.fresh.set(String(observed), own);
    this.taken.add(String(own));
    this.added.push([
      { key: String(observed), id: observed },
      { key: String(own), id: own },
    ]);
    return true;
  }
}
