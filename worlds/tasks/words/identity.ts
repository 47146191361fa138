import type { JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { type Binding, feed } from "../bindings.ts";
import { asksForFacts } from "../checks/fact-checks.ts";
import { findFact, Reading } from "../checks/facts.ts";
import { factOf } from "../kinds.ts";
import type { Kit, RowRead } from "../kit.ts";
import { label } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Check, FinishedTrial, Task } from "../schema.ts";
import type { Anchor } from "../surface.ts";
import { type SentenceTemplate, sentencesOf, templateOf } from "./corpus.ts";
import { isPeople, ownersOf } from "./owners.ts";
import { enumerated, namePartsOf, sayValue } from "./phrases.ts";

/** A way in which the evidence's users say who they are: the facts that a reading finds the person by. */
interface Way {
  readonly binding: Binding;
  /** How many sessions went this way. */
  readonly sessions: number;
  /** Sentences that users said these facts in: text, parameter, text, … */
  readonly sentences: readonly Sentence[];
}
type Sentence = Omit<SentenceTemplate, "tool">;

/** The service's custom is what most of its sessions do. */
const CUSTOM = 0.5;
/** One session may be a slip. */
const LEAST_SESSIONS = 2;
/** A way that one of ten sessions goes is one that users know. */
const SELDOM = 0.1;

const customs = new WeakMap<Kit, readonly Way[]>();

/** Whether a reading finds a person by what the person's own row says; what the person owns finds the thing. */
function findsPerson({ table, gives, sources }: Binding): boolean {
  return isPeople(table) && (gives === "key" || gives === "row") && !/\[\*\]/.test(Object.values(sources).join());
}

/** Keeps how sessions find who is asking before they turn to what the person owns; nothing where most do not. */
export function keepIdentification(kit: Kit, traces: readonly ObservedTrace[]): void {
  const owned = new Set([...kit.anchors.keys()].filter((table) => !isPeople(table)));
  const found = new Map<Binding, { sessions: number; sentences: Map<string, { sentence: Sentence; n: number }> }>();
  let sessions = 0;
  let before = 0;
  const bindings = traces.length === 0 || owned.size === kit.anchors.size ? [] : kit.bindings.filter(findsPerson);
  for (const { request = "", turns = [], calls } of bindings.length === 0 ? [] : traces) {
    const words = [request, ...turns];
    const text = words.join("\n").toLowerCase();
    const isSaid = (value: unknown) => typeof value === "string" && text.includes(value.toLowerCase());
    const first = calls.findIndex(({ args }) =>
      Object.values(args).some(
        (value) => typeof value === "string" && [...owned].some((table) => isOwned(kit, table, value)),
      ),
    );
    const at = calls.findIndex(
      ({ tool, args, isError }) =>
        !isError && bindings.some((one) => one.tool === tool) && Object.values(args).every(isSaid),
    );
    if (first >= 0) sessions += 1;
    const binding = bindings.find(({ tool }) => tool === calls[at]?.tool);
    if (binding === undefined || (first >= 0 && at > first)) continue;
    if (first >= 0) before += 1;
    const kept = found.get(binding) ?? { sessions: 0, sentences: new Map() };
    found.set(binding, kept);
    kept.sessions += 1;
    for (const turn of words.flatMap(sentencesOf)) {
      const sentence = templateOf(turn, Object.entries(calls[at]?.args ?? {}) as [string, string][]);
      if (sentence === undefined || !INTRODUCES.test(sentence.texts[0] ?? "")) continue;
      const name = JSON.stringify(sentence);
      kept.sentences.set(name, { sentence, n: (kept.sentences.get(name)?.n ?? 0) + 1 });
    }
  }
  const ways = [...found].map(([binding, { sessions, sentences }]) => ({
    binding,
    sessions,
    // What one session alone says of itself may be true of it alone: "my old zip code was …".
    sentences: [...sentences.values()].flatMap(({ sentence, n }) => (n >= LEAST_SESSIONS ? [sentence] : [])),
  }));
  const isCustom = before >= LEAST_SESSIONS && before >= sessions * CUSTOM;
  customs.set(kit, isCustom ? ways.filter((way) => way.sessions >= before * SELDOM) : []);
}

const INTRODUCES = /^(?:my|i'm|i am|this is)\b/i;

function isOwned(kit: Kit, table: string, key: string): boolean {
  const rows = kit.base.tables[table] ?? {};
  return Object.hasOwn(rows, key) && ownersOf(kit, table, key, rows[key]).size > 0;
}

/** Whether people of a table can be found by what they say of themselves: then nobody names them by what they own. */
export function isFoundByOwnFacts(kit: Kit, table: string): boolean {
  return isPeople(table) && kit.bindings.some((one) => one.table === table && findsPerson(one));
}

/** Whether users of the service say first who they are. */
export function saysWho(kit: Kit): boolean {
  return (customs.get(kit) ?? []).length > 0;
}

/** The reading by which a person tells who they are: in a way of the service's users; undefined where nothing tells how. */
export function introductionOf(kit: Kit, table: string, key: string): RowRead | undefined {
  const anchor = kit.anchors.get(table)?.find((one) => one.key === key);
  const ways = (customs.get(kit) ?? []).filter(({ binding }) => binding.table === table);
  return anchor && ways.flatMap(({ binding }) => kit.read(binding, anchor) ?? [])[0];
}

/** Of the readings that name a person of a table those that users know; all where nothing tells. */
export function knownWays(kit: Kit, table: string, all: readonly Binding[]): readonly Binding[] {
  const ways = (customs.get(kit) ?? []).filter(({ binding }) => binding.table === table);
  if (ways.length === 0 && isFoundByOwnFacts(kit, table)) return all.filter(findsPerson);
  return ways.length === 0 ? all : all.filter(({ tool }) => ways.some(({ binding }) => binding.tool === tool));
}

/** The people whose rows a trial names or changes; `unknown` where a row is known to be owned and not by whom. */
function peopleOf(kit: Kit, { calls, diff }: FinishedTrial): ReadonlySet<string>[] {
  const named = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value === "string") named.add(value);
    else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) walk(item);
  };
  for (const { args } of calls) walk(args);
  const rows = Object.entries(kit.base.tables).flatMap(([table, held]) =>
    [...named].flatMap((key) => (Object.hasOwn(held, key) ? [ownersOf(kit, table, key, held[key])] : [])),
  );
  const changed = diff.map(({ table, key, before, after }) => ownersOf(kit, table, key, before ?? after));
  return [...rows, ...changed].filter((owners) => owners.size > 0);
}

/** Whose all that a trial touches is; `undefined` where it is nobody's, `null` where it is several people's or somebody unknown's. */
function personOf(kit: Kit, right: FinishedTrial): Anchor | null | undefined {
  const people = peopleOf(kit, right);
  const [first] = people;
  if (first === undefined) return undefined;
  const common = [...first].filter((person) => people.every((owners) => owners.has(person)));
  for (const [table, rows] of kit.anchors)
    if (isPeople(table)) {
      const anchor = rows.find(({ key }) => common.includes(key));
      if (anchor) return anchor;
    }
  return null;
}

/** Whether a text gives away what a check asks for, or rules out. */
function tells(checks: readonly Check[], sentence: string, binding: Binding): boolean {
  const text = new Reading(sentence);
  const sources = new Set(Object.values(binding.sources));
  return checks.some((check) => {
    if (!asksForFacts(check) && check.kind !== "answer_excludes") return false;
    if (check.kind === "answer_excludes" && check.others?.table === binding.table && sources.has(check.others.path))
      return true;
    return check.facts.some((fact) => findFact(fact, text).said > 0);
  });
}

function sentenceOf(way: Way, args: JsonObject, rng: Random): string {
  if (way.sentences.length === 0) return introduced(args);
  const { texts, params } = rng.pick(way.sentences);
  const said = texts.map((text, i) => `${text}${args[params[i] ?? ""] ?? ""}`).join("");
  return said.replace(/[,;:]$/, "").replace(/([^.!])$/, "$1.");
}

/** How a person says who they are by what finds them: "My name is Mia Lopez and my zip code is 97201." */
export function introduced(args: JsonObject): string {
  const named = namePartsOf(args);
  const facts = Object.entries(args).flatMap(([name, value]) =>
    named?.names.has(name) ? [] : [`${label(name)} is ${sayValue(value, name)}`],
  );
  return `My ${enumerated([...(named ? [`name is ${named.text}`] : []), ...facts]).replaceAll(/(, | and )(?=[a-z ]+ is )/g, "$1my ")}.`;
}

/**
 * A task whose words say who asks, where users of the service say so first: in their own words where they were heard,
 * with the values of the person's own row. The same task where nobody is concerned or it is said; undefined where what
 * it touches is of several people, or of one whom nothing in the words could name.
 */
export function withIdentity(
  kit: Kit,
  task: Task,
  right: () => FinishedTrial,
  rng: Random,
): Pick<Task, "request"> | undefined {
  const ways = customs.get(kit) ?? [];
  if (ways.length === 0 || task.family === "mined") return task;
  let person = personOf(kit, right());
  if (person === null) return undefined;
  if (person === undefined) {
    const rows = kit.anchors.get(task.cell.object ?? "") ?? [];
    if (!rows.slice(0, 1).some(({ table, key, row }) => ownersOf(kit, table, key, row).size > 0)) return task;
    // Who asks for what is not there is still somebody.
    person = rng.pick([...kit.anchors].flatMap(([table, anchors]) => (isPeople(table) ? anchors : [])));
  }
  const said = [task.request, ...task.turns].join("\n");
  const words = new Reading(said);
  const fitting = ways.flatMap((way) => {
    const args = way.binding.table === person.table ? feed(way.binding, person) : undefined;
    return args !== undefined && kit.read(way.binding, person) !== undefined ? [{ way, args }] : [];
  });
  const isSaid = (args: JsonObject) =>
    Object.entries(args).every(([name, value]) => findFact(factOf(String(value), name), words).said > 0);
  if (fitting.some(({ args }) => isSaid(args))) return task;
  // The service's own code of a person is none that this person would say, where others say who they are otherwise.
  if (said.includes(person.key)) return undefined;
  const many = fitting.flatMap((one) => Array.from({ length: one.way.sessions }, () => one));
  for (const { way, args } of rng.shuffled(many)) {
    const sentence = sentenceOf(way, args, rng);
    if (!tells(task.checks, sentence, way.binding)) return { request: `${task.request} ${sentence}` };
  }
  return undefined;
}
