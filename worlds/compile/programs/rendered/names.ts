import type { Call, Session } from "../../observations.ts";
import { byText, unusedName } from "../../values.ts";
import { type FormNode, type FormPart, fieldsIn } from "./form.ts";
import type { Node } from "./grammar.ts";
import type { LineClass, LineValues, Part } from "./lines.ts";
import type { Lines, Read, Shown, SpacedClass, Tree } from "./texts.ts";
import { argumentNames } from "./tokens.ts";

/** Share of the places of a value at which its session is given it, from which it is called as that argument. */
const NAMED = 0.2;
const NAMED_NUMBER = 0.6;
/** Share of the texts whose own call was given the value, past which they repeat it. */
const REPEATED = 0.9;

/** Under which names the calls of a session were given a value. */
export class ArgumentNames {
  private readonly sessions: readonly ReadonlyMap<string, ReadonlySet<string>>[];
  private readonly own = new Map<Call, ReadonlyMap<string, ReadonlySet<string>>>();

  constructor(sessions: readonly Session[]) {
    this.sessions = sessions.map(({ calls }) => {
      const out = new Map<string, Set<string>>();
      for (const call of calls) {
        const names = argumentNames(call.args);
        this.own.set(call, names);
        for (const [value, of] of names) out.set(value, new Set([...(out.get(value) ?? []), ...of]));
      }
      return out;
    });
  }

  of(session: number, value: string): ReadonlySet<string> {
    return this.sessions[session]?.get(value) ?? new Set();
  }

  /** Whether the call itself was given the value. */
  gave(call: Call, value: string): boolean {
    return this.own.get(call)?.has(value) ?? false;
  }
}

/** Gives names to what texts show. */
export class FormWriter {
  private readonly classes: Lines["classes"];
  private readonly names: ArgumentNames;

  /** Fields that calls of the sessions are given under their names. */
  readonly given = new Set<string>();
  /** Those among them that most texts repeat of their own call. */
  readonly repeated = new Set<string>();
  /** The tool of the texts: what nothing names is called after it. */
  private readonly tool: string;

  constructor(tool: string, classes: Lines["classes"], names: ArgumentNames) {
    this.tool = tool;
    this.classes = classes;
    this.names = names;
  }

  nodes(nodes: readonly Node[], seen: readonly { shown: Shown; tree: Tree }[]): FormNode[] {
    const taken = new Set<string>();
    return nodes.map((node, i): FormNode => {
      if (node.kind === "repeat") {
        const inside = seen.flatMap(({ shown, tree }) =>
          (tree[i] as readonly Tree[]).map((entry) => ({ shown, tree: entry })),
        );
        const [of, numbered] = withoutNumber(
          this.nodes(node.of, inside),
          seen.map(({ tree }) => tree[i] as readonly Tree[]),
        );
        const fields = of.flatMap((one) => (one.kind === "line" ? one.parts.flatMap(fieldsIn) : []));
        const single = fields.length === 1 && of.every((one) => one.kind === "line" && one.when === undefined);
        const [head] = node.of;
        const { lead } = (head?.kind === "line" && this.classes[head.line]) || { lead: "" };
        const name = unique(`${this.tool} entries`, taken);
        const alone = single ? { alone: fields[0]?.name as string } : {};
        return { kind: "repeat", name, lead, of, ...(numbered === undefined ? {} : { numbered }), ...alone };
      }
      const lines = seen.flatMap(({ shown, tree }) => {
        const line = tree[i] as Read | undefined;
        return line ? [{ shown, values: line.values }] : [];
      });
      const { before, of } = this.classes[node.line] as SpacedClass;
      const parts = this.parts(of, lines, taken);
      if (!node.optional) return { kind: "line", before, parts };
      const [field] = parts.flatMap(fieldsIn);
      return { kind: "line", before, parts, when: field?.name ?? unique(`${this.tool} line ${i + 1}`, taken) };
    });
  }

  private parts(
    { parts, tail }: LineClass,
    lines: readonly { shown: Shown; values: LineValues }[],
    taken: Set<string>,
  ): FormPart[] {
    let at = 0;
    let number = "";
    const write = (part: Part, i: number, all: readonly Part[]): FormPart => {
      if (part.kind === "text") return part;
      if (part.kind === "plural") return { kind: "plural", of: number, one: part.one, many: part.many };
      const own = at++;
      const values = lines.flatMap(({ shown, values }) => {
        const value = values[own];
        return value === undefined ? [] : [value].flat().map((one) => ({ shown, value: one as string }));
      });
      const isNumber = part.kind === "slot" && values.every(({ value }) => asNumber(value) !== undefined);
      const box = part.kind === "slot" && part.holds === "box";
      const given = this.name(values, isNumber);
      const called = given ?? labelIn(all[i - 1]) ?? (box ? "done" : undefined);
      const name = unique(called ?? `${this.tool} ${own + 1}`, taken);
      if (given !== undefined) this.given.add(name);
      const told = values.filter(({ shown, value }) => this.names.gave(shown.call, value));
      if (told.length > values.length * REPEATED) this.repeated.add(name);
      if (part.kind === "list")
        return { kind: "list", name, before: part.before, between: part.between, after: part.after };
      if (part.holds === "number") number = name;
      return { kind: "field", name, number: isNumber };
    };
    const head = parts.map(write);
    if (tail.length === 0) return head;
    const end = tail.map(write);
    return [...head, { kind: "tail", when: end.flatMap(fieldsIn)[0]?.name ?? "", parts: end }];
  }

  /** The argument under which calls of the sessions are given most of the values. Numbers are alike by chance. */
  private name(values: readonly { shown: Shown; value: string }[], isNumber: boolean): string | undefined {
    const votes = new Map<string, number>();
    for (const { shown, value } of values)
      for (const name of this.names.of(shown.session, value)) votes.set(name, (votes.get(name) ?? 0) + 1);
    const [best] = [...votes].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]));
    return best && best[1] >= values.length * (isNumber ? NAMED_NUMBER : NAMED) ? best[0] : undefined;
  }
}

/** The lines of a list without the number that each entry begins with, where they count from one; and how it is written. */
function withoutNumber(
  of: readonly FormNode[],
  lists: readonly (readonly Tree[])[],
): [of: readonly FormNode[], numbered?: string] {
  const [line, ...others] = of;
  if (line?.kind !== "line" || line.when !== undefined) return [of];
  const at = line.parts[0]?.kind === "text" ? 1 : 0;
  const number = line.parts[at];
  const counts = (entry: Tree, n: number): boolean => (entry[0] as Read).values[0] === String(n + 1);
  if (number?.kind !== "field" || !lists.every((entries) => entries.every(counts))) return [of];
  if (!lists.some(({ length }) => length > 1)) return [of];
  const head = line.parts.slice(0, at).flatMap((part) => (part.kind === "text" ? part.text : []));
  return [[{ ...line, before: "", parts: line.parts.slice(at + 1) }, ...others], `${line.before}${head.join("")}#`];
}

/** What stands before a colon right before a value. */
const LABEL = /(\p{L}[\p{L}\p{N} _-]{0,30}):\W*$/u;
/** The number that a text is written as; undefined for what is no number, or written otherwise. */
export const asNumber = (text: string): number | undefined =>
  /^-?\d/.test(text) && String(Number(text)) === text && text.length < 16 ? Number(text) : undefined;

const labelIn = (part: Part | undefined): string | undefined =>
  part?.kind === "text" ? LABEL.exec(part.text)?.[1] : undefined;

function unique(name: string, taken: Set<string>): string {
  const out = unusedName(name, taken, " ");
  taken.add(out);
  return out;
}
