import { isObject, type Json, type JsonObject, setOwn } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { byText, isScalar, mostCommon } from "../../values.ts";
import { maskedText } from "../state/kinds.ts";
import { type FormNode, fieldsIn, type RenderedText, renderedText, type SentencePart } from "./form.ts";
import { ArgumentNames, FormWriter } from "./names.ts";
import { emptyRecord, recordOf } from "./records.ts";
import { grammarIn, linesIn, type Read, type Shown, type Tree, treeOf } from "./texts.ts";
import { givenTexts } from "./tokens.ts";

/** Distinct texts that show a form, and the share of a tool's other texts that are in it. */
const LEAST = 3;
const SHARE = 0.6;
/** Letters of a text, on average, past which a tool shows documents. */
const LONG = 3000;
/** Share of texts that calls of the session are given, past which a tool shows content. */
const CONTENT = 0.1;
/** What a text begins or ends with that tells of nothing. */
const NOTHING = /^[^\p{L}\p{N}]*(?:no|nothing|none|empty|0)\b|\bis empty\W*$/iu;

/** How a tool's texts are read: its form, and the records of those in it. */
interface Reading {
  readonly form: RenderedText;
  readonly records: ReadonlyMap<Call, JsonObject>;
}

/** Reads texts that are built of lines, and sentences that tell the id of what a call made, as records. */
export function readRendered(sessions: readonly Session[]): {
  sessions: readonly Session[];
  rendered: ReadonlyMap<string, RenderedText>;
} {
  const tools = new Map<string, Shown[]>();
  const others = new Set<string>();
  for (const [session, { calls }] of sessions.entries())
    for (const call of calls) {
      if (!call.ok || call.value === null) continue;
      if (typeof call.value !== "string") others.add(call.tool);
      else tools.set(call.tool, [...(tools.get(call.tool) ?? []), { call, session, text: call.value }]);
    }
  const rendered = new Map<string, RenderedText>();
  const records = new Map<Call, JsonObject>();
  const given = new Map<number, string[]>();
  const givenIn = (session: number): string[] => {
    const found = given.get(session) ?? givenTexts(sessions[session] as Session);
    given.set(session, found);
    return found;
  };
  const names = new ArgumentNames(sessions);
  for (const [tool, shown] of [...tools].sort(([a], [b]) => byText(a, b))) {
    const reading = others.has(tool) ? undefined : readingOf(shown, givenIn, names);
    if (!reading) continue;
    rendered.set(tool, reading.form);
    for (const [call, record] of reading.records) records.set(call, record);
  }
  if (rendered.size === 0) return { sessions, rendered };
  const named = namingArguments(sessions, records);
  const read = (call: Call): Call => {
    const record = records.get(call);
    if (!record) return call;
    const value = { ...record };
    for (const name of named.get(call.tool) ?? [])
      if (isScalar(call.args[name]) && !Object.hasOwn(value, name)) setOwn(value, name, call.args[name]);
    return { ...call, value };
  };
  return { sessions: sessions.map((session) => ({ ...session, calls: session.calls.map(read) })), rendered };
}

/** Share of a tool's calls that name by an argument what another text shows under its name. */
const NAMING = 0.6;
/** Share of a tool's calls that show something first which a later call names. */
const MAKING = 0.2;

/**
 * Arguments that name what a text is about: other texts show their values as a field called so. The text need not repeat
 * them. A text about what its call made, which later calls name, is about nothing else.
 */
function namingArguments(
  sessions: readonly Session[],
  records: ReadonlyMap<Call, JsonObject>,
): ReadonlyMap<string, readonly string[]> {
  const counts = new Map<string, Map<string, { all: number; shown: number }>>();
  const makes = new Map<string, number>();
  for (const { calls } of sessions) {
    const shown = new Set(
      calls.flatMap((call) => [
        ...fieldsOf(records.get(call) ?? (call.ok && isObject(call.value) ? call.value : null)),
      ]),
    );
    const later = calls.map(({ args }) => new Set(fieldsOf(args)));
    const before = new Set<string>();
    for (const [at, call] of calls.entries()) {
      const record = records.get(call);
      for (const one of later[at] ?? []) before.add(one);
      if (!record) continue;
      const own = counts.get(call.tool) ?? new Map<string, { all: number; shown: number }>();
      counts.set(call.tool, own);
      for (const [name, value] of Object.entries(call.args)) {
        const count = own.get(name) ?? { all: 0, shown: 0 };
        own.set(name, count);
        count.all++;
        if (isScalar(value) && shown.has(`${name}\n${value}`)) count.shown++;
      }
      const told = Object.entries(record).flatMap(([name, value]) => (isScalar(value) ? `${name}\n${value}` : []));
      if (told.some((one) => !before.has(one) && later.slice(at + 1).some((given) => given.has(one))))
        makes.set(call.tool, (makes.get(call.tool) ?? 0) + 1);
      for (const one of told) before.add(one);
    }
  }
  return new Map(
    [...counts].map(([tool, of]) => {
      const all = Math.max(0, ...[...of.values()].map((count) => count.all));
      const naming = [...of].filter(([, { all, shown }]) => shown >= all * NAMING).map(([name]) => name);
      return [tool, (makes.get(tool) ?? 0) >= all * MAKING ? [] : naming];
    }),
  );
}

/** Every scalar of a value with the name that it stands under. */
function* fieldsOf(value: Json, name = ""): Generator<string> {
  if (isScalar(value)) yield `${name}\n${value}`;
  else if (Array.isArray(value)) for (const one of value) yield* fieldsOf(one, isScalar(one) ? "" : name);
  else if (isObject(value)) for (const [inner, of] of Object.entries(value)) yield* fieldsOf(of, inner);
}

/** How a tool's texts are built; undefined where they are messages, or of no form. */
function readingOf(
  all: readonly Shown[],
  given: (session: number) => readonly string[],
  names: ArgumentNames,
): Reading | undefined {
  if (all.reduce((sum, { text }) => sum + text.length, 0) > all.length * LONG) return undefined;
  // What calls were given whole is content: its form is theirs.
  if (all.filter(({ session, text }) => names.of(session, text).size > 0).length > all.length * CONTENT)
    return undefined;
  const { classes, texts } = linesIn(all, given);
  const linesOf = new Map(all.map((shown, i) => [shown, texts[i] as readonly Read[]]));
  const built = new Set(all.filter((shown) => tells(shown, linesOf.get(shown) ?? [], names)));
  if (new Set([...built].map(({ text }) => text)).size < LEAST) return undefined;
  const firsts = [...built].map((one) => linesOf.get(one)?.[0]?.id ?? -1);
  const first = mostCommon(firsts.sort((a, b) => a - b));
  const main = [...linesOf].filter(([, lines]) => lines[0]?.id === first);
  if (main.filter(([shown]) => built.has(shown)).length < built.size * SHARE) return undefined;
  const found = grammarIn(main.map(([, lines]) => lines));
  if (!found) return undefined;
  const trees = new Map(
    main.flatMap(([shown, lines]): [Shown, Tree][] => {
      const tree = treeOf(found, lines);
      return tree ? [[shown, tree]] : [];
    }),
  );
  if (trees.size < built.size * SHARE) return undefined;
  const writer = new FormWriter(all[0]?.call.tool ?? "", classes, names);
  const named = writer.nodes(
    found,
    [...trees].map(([shown, tree]) => ({ shown, tree })),
  );
  const nodes = withoutMarks(named, [...trees.values()]);
  if (nodes.length === 1 && nodes.some((node) => isMessage(node, writer))) return undefined;
  const records = new Map<Call, JsonObject>();
  for (const [{ call, text }, tree] of trees) {
    const record = recordOf(nodes, tree);
    if (renderedText(record, { nodes }) === text) records.set(call, record);
  }
  if (records.size < built.size * SHARE) return undefined;
  const others = all.filter((shown) => !built.has(shown));
  const form = withEmpty(nodes, others, [...records.values()]);
  if (form.empty)
    for (const { call, text } of all)
      if (sentence(form.empty.parts, call) === text) records.set(call, emptyRecord(nodes));
  return { form, records };
}

/** A form in which a line that stands in place of a list, in every text where that is empty and in no other, says no more. */
function withoutMarks(nodes: readonly FormNode[], trees: readonly Tree[]): readonly FormNode[] {
  const lists = nodes.flatMap((node, i) => (node.kind === "repeat" ? [{ name: node.name, i }] : []));
  return nodes.map((node, at): FormNode => {
    if (node.kind === "repeat" || node.when === undefined || node.parts.some((part) => fieldsIn(part).length > 0))
      return node;
    const list = lists.find(({ i }) =>
      trees.every((tree) => (tree[at] !== undefined) === ((tree[i] as readonly Tree[]).length === 0)),
    );
    if (!list) return node;
    const { when: _, ...line } = node;
    return { ...line, unless: list.name };
  });
}

/**
 * Whether a line is a sentence, in which words and numbers may stand that are no value: some of its words no call is
 * given, or all its own call was. A number that later calls are given is one of these words: the key of what was made.
 */
function isMessage(node: FormNode, { given, repeated }: FormWriter): boolean {
  if (node.kind === "repeat") return false;
  const isWord = ({ name, number }: { name: string; number: boolean }): boolean =>
    !number || (given.has(name) && !repeated.has(name));
  const words = node.parts.flatMap(fieldsIn).filter(isWord);
  return words.some(({ name }) => !given.has(name)) || words.every(({ name }) => repeated.has(name));
}

/** Whether a text tells more than its call was given: the id of what it made, how something is now. One line may not. */
function tells({ call, text }: Shown, [line]: readonly Read[], names: ArgumentNames): boolean {
  if (text.includes("\n")) return true;
  return (line?.values ?? []).flat().some((value) => value !== undefined && !names.gave(call, value));
}

/**
 * A form with the message that stands for its one list where that is empty. Where the form is seen with an empty list, or
 * two messages tell of nothing, one of them may say that what was asked for is not there: none is taken.
 */
function withEmpty(
  nodes: readonly FormNode[],
  messages: readonly Shown[],
  records: readonly JsonObject[],
): RenderedText {
  const [list, ...more] = nodes.filter((node) => node.kind === "repeat");
  if (!list || more.length > 0) return { nodes };
  if (records.some((record) => (record[list.name] as readonly Json[]).length === 0)) return { nodes };
  const [empty, ...others] = [...Map.groupBy(messages, ({ text, call }) => maskedText(text, call.args))].filter(
    ([masked, all]) => all.length > 1 && NOTHING.test(masked) && !masked.includes("\n"),
  );
  const call = empty?.[1][0]?.call;
  if (!empty || others.length > 0 || !call) return { nodes };
  const parts = empty[0].split(/(\{[^{}]+\})/).flatMap((piece): SentencePart[] => {
    const name = /^\{([^{}]+)\}$/.exec(piece)?.[1];
    if (name !== undefined && isScalar(call.args[name])) return [{ arg: name }];
    return piece === "" ? [] : [{ text: piece }];
  });
  return sentence(parts, call) === empty[1][0]?.text ? { nodes, empty: { list: list.name, parts } } : { nodes };
}

const sentence = (parts: readonly SentencePart[], { args }: Call): string =>
  parts.map((part) => ("text" in part ? part.text : String(args[part.arg]))).join("");
