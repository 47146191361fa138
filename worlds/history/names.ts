import { canonicalJson } from "../digest.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** A member of a tool's answers that the system makes up anew: an id, or a time. */
export interface Generated {
  /** Keys from the answer down to it, `*` for every element of a list. */
  readonly path: readonly string[];
  readonly kind: "id" | "clock";
  /** What ids begin with, and the alphabet (a kind of generated key) and width of the rest. */
  readonly prefix: string;
  readonly alphabet: string;
  readonly width: number;
  /** The largest that was recorded, where ids are counted: new ones come after it. */
  readonly most?: number | undefined;
  /** The id is a number. */
  readonly number?: boolean | undefined;
}

/** Where each tool's answers hold generated members. */
export type GeneratedByTool = ReadonlyMap<string, readonly Generated[]>;

/** Opens a placeholder: no text of a system holds it. */
const MARK = "\u0001";
const CLOCK = `${MARK}t`;
/** Shorter ids are replaced only where they are a whole text. */
const LEAST_WITHIN = 5;

/** The scalars at a path, as they stand. */
export function* valuesAt(value: Json | undefined, path: readonly string[], from = 0): Generator<Json> {
  if (value === undefined) return;
  const step = path[from];
  if (step === undefined) {
    if (typeof value === "string" || typeof value === "number") yield value;
  } else if (Array.isArray(value)) {
    if (step === "*") for (const item of value) yield* valuesAt(item, path, from + 1);
  } else if (isObject(value) && Object.hasOwn(value, step)) yield* valuesAt(value[step], path, from + 1);
}

/** A value with the scalars at a path put otherwise. */
function replacedAt(value: Json, path: readonly string[], put: (value: Json) => Json, from = 0): Json {
  const step = path[from];
  if (step === undefined) return typeof value === "string" || typeof value === "number" ? put(value) : value;
  if (Array.isArray(value)) return step === "*" ? value.map((item) => replacedAt(item, path, put, from + 1)) : value;
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: replacedAt(value[step] as Json, path, put, from + 1) };
}

function mapScalars(value: Json, put: (value: string | number) => Json): Json {
  if (typeof value === "string" || typeof value === "number") return put(value);
  if (Array.isArray(value)) return value.map((item) => mapScalars(item, put));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [nameOf(put(key), key), mapScalars(item, put)]));
}

const nameOf = (value: Json, otherwise: string): string => (typeof value === "string" ? value : otherwise);

/** The generated ids of one session, named by the order in which its answers first show them: sessions that differ in nothing else read alike. */
export class Names {
  private readonly generated: GeneratedByTool;
  private readonly byValue = new Map<string | number, string>();
  private readonly values: (string | number)[] = [];

  constructor(generated: GeneratedByTool) {
    this.generated = generated;
  }

  get size(): number {
    return this.values.length;
  }

  /** Forgets the names given after the first so many. */
  cut(size: number): void {
    for (const value of this.values.splice(size)) this.byValue.delete(value);
  }

  /** Names the ids that an answer shows first. */
  hear(tool: string, value: Json): void {
    for (const { path, kind } of this.generated.get(tool) ?? [])
      if (kind === "id")
        for (const id of valuesAt(value, path))
          if ((typeof id === "string" || typeof id === "number") && !this.byValue.has(id)) {
            this.byValue.set(id, `${MARK}${this.values.length}`);
            this.values.push(id);
          }
  }

  /** A value with this session's ids under their names. */
  canonical(value: Json): Json {
    if (this.values.length === 0) return value;
    return mapScalars(value, (scalar) => {
      const name = this.byValue.get(scalar);
      if (name !== undefined || typeof scalar === "number") return name ?? scalar;
      let text = scalar;
      for (const [id, its] of this.byValue)
        if (typeof id === "string" && id.length >= LEAST_WITHIN && text.includes(id)) text = text.replaceAll(id, its);
      return text;
    });
  }

  /** Canonical text of arguments under this session's names. */
  argsText(args: JsonObject): string {
    return canonicalJson(this.canonical(args));
  }

  /** Canonical text of an answer under this session's names, without its times. */
  answerText(tool: string, value: Json): string {
    return canonicalJson(this.timeless(tool, this.canonical(value)));
  }

  private timeless(tool: string, value: Json): Json {
    let out = value;
    for (const { path, kind } of this.generated.get(tool) ?? [])
      if (kind === "clock") out = replacedAt(out, path, () => CLOCK);
    return out;
  }

  /**
   * A stored answer with this session's own ids: those that it has not shown yet are taken from what the behaviour
   * made where it made one there, else drawn. Undefined where a name is of no id of this session.
   */
  spoken(tool: string, value: Json, made: Json | undefined, draw: (one: Generated) => string | number): Json | undefined {
    if (!canonicalJson(value).includes("\\u0001")) return value;
    const fresh = new Map<string, string | number>();
    for (const one of this.generated.get(tool) ?? []) {
      if (one.kind !== "id") continue;
      const own = [...valuesAt(made, one.path)];
      let at = 0;
      for (const name of valuesAt(value, one.path)) {
        const given = own[at++];
        if (typeof name !== "string" || !name.startsWith(MARK) || fresh.has(name)) continue;
        if (Number(name.slice(1)) < this.values.length) continue;
        fresh.set(name, typeof given === "string" || typeof given === "number" ? given : draw(one));
      }
    }
    let lost = false;
    const back = (name: string): string | number | undefined => fresh.get(name) ?? this.values[Number(name.slice(1))];
    const out = mapScalars(value, (scalar) => {
      if (typeof scalar !== "string" || !scalar.includes(MARK)) return scalar;
      const whole = /^\u0001\d+$/.test(scalar) ? back(scalar) : undefined;
      if (whole !== undefined) return whole;
      return scalar.replace(/\u0001\d+/g, (name) => {
        const id = back(name);
        if (id === undefined) lost = true;
        return String(id ?? "");
      });
    });
    return lost ? undefined : out;
  }
}
