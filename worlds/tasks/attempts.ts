import { isObject, type Json, type JsonObject } from "../json.ts";
import type { WorldAnswer } from "../world-api.ts";
import { ownFree, requiredOf } from "./changes.ts";
import { kindOf } from "./kinds.ts";
import type { Kit } from "./kit.ts";
import { isMap, type Leaf, nameScore } from "./leaves.ts";
import type { Random } from "./random.ts";
import type { AllowedChange } from "./schema.ts";
import { type Anchor, feedScore, keyArguments, type Param, paramsOf, type ToolView } from "./surface.ts";

/** A write that was tried on a fork: from which row, with what, and what came of it. */
export interface Attempt {
  readonly view: ToolView;
  readonly anchor: Anchor;
  /** The parameter that names the row. */
  readonly keyParam: string;
  readonly args: JsonObject;
  /** Where each argument came from: the row itself, a row it refers to, the schema, another row's value. */
  readonly from: Readonly<Record<string, Origin>>;
  readonly answer: WorldAnswer;
  readonly outcome: "changed" | "refused" | "nothing" | "gap";
}
type Origin = "key" | "own" | "linked" | "schema" | "fresh";

interface Candidate {
  readonly value: Json;
  readonly origin: Origin;
}

/** Where the arguments of one attempt are drawn from. */
interface Drawing {
  readonly kit: Kit;
  readonly view: ToolView;
  /** The row that the write acts on, and those that it refers to. */
  readonly anchor: Anchor;
  readonly near: readonly Anchor[];
  /** Another row of the same table. */
  readonly donor: Anchor;
  readonly rng: Random;
}

const links = new WeakMap<Anchor, readonly Anchor[]>();

/** Rows that a row's scalars are keys of, one step away; found once for each row of a kit. */
export function linked(kit: Kit, anchor: Anchor): readonly Anchor[] {
  const known = links.get(anchor) ?? linksOf(kit, anchor);
  links.set(anchor, known);
  return known;
}

function linksOf(kit: Kit, anchor: Anchor): Anchor[] {
  const found: Anchor[] = [];
  for (const leaf of anchor.leaves) {
    if (typeof leaf.value !== "string") continue;
    for (const [table, rows] of Object.entries(kit.base.tables)) {
      if (
        table === anchor.table ||
        !Object.hasOwn(rows, leaf.value) ||
        found.some((a) => a.table === table && a.key === leaf.value)
      )
        continue;
      const row = kit.anchors.get(table)?.find((a) => a.key === leaf.value);
      if (row) found.push(row);
    }
  }
  return found.slice(0, 8);
}

interface Scored {
  readonly score: number;
  readonly leaf: Leaf;
}

const scored = new WeakMap<Param, WeakMap<Anchor, readonly Scored[]>>();

/** The leaves of a row that can feed a parameter of a write, with how well; found once for each row of a kit. */
function feeding(kit: Kit, view: ToolView, param: Param, row: Anchor): readonly Scored[] {
  const rows = scored.get(param) ?? new WeakMap<Anchor, readonly Scored[]>();
  scored.set(param, rows);
  let found = rows.get(row);
  if (found === undefined) {
    found = row.leaves.flatMap((leaf) => {
      const score = feedScore(kit.bundle, view.name, param, row.table, leaf);
      return score >= 1 && leaf.value !== null && leaf.value !== "" ? [{ score, leaf }] : [];
    });
    rows.set(row, found);
  }
  return found;
}

function scalarCandidates({ kit, view, anchor, near, donor, rng }: Drawing, param: Param): Candidate[] {
  if (param.values && param.values.length > 0)
    return param.values.map((value) => ({ value, origin: "schema" as const }));
  const key = keyArguments(kit.bundle, view.name).get(param.name);
  const out: Candidate[] = [];
  const take = (rows: readonly Anchor[], origin: Origin, least: number) => {
    const best = rows.flatMap((row) => feeding(kit, view, param, row).filter(({ score }) => score >= least));
    best.sort((a, b) => b.score - a.score);
    const top = best[0]?.score ?? 0;
    for (const { leaf } of best.filter((b) => b.score >= top - 1).slice(0, 8)) out.push({ value: leaf.value, origin });
  };
  take([anchor], "own", 1);
  take(near, "linked", 1);
  if (!key) {
    const before = out.length;
    take([donor], "fresh", 2);
    const fresh = out[before];
    if (
      fresh &&
      kindOf(fresh.value as string, param.name) === "text" &&
      typeof fresh.value === "string" &&
      fresh.value.includes("@")
    ) {
      out[before] = { value: fresh.value.replace("@", `${1 + rng.below(89)}@`), origin: "fresh" };
    }
  }
  if (param.type === "boolean") out.push({ value: true, origin: "schema" }, { value: false, origin: "schema" });
  if (param.type === "integer" || (param.type === "number" && out.length === 0)) {
    const own = out.find((c) => typeof c.value === "number")?.value;
    out.push({ value: (typeof own === "number" ? own : 0) + 1 + rng.below(3), origin: "schema" });
  }
  return out;
}

const elements = new WeakMap<Param, Param>();

/** What a list's parameter takes as one element. */
function elementOf(param: Param, items: JsonObject): Param {
  const known = elements.get(param) ?? {
    ...param,
    type: typeof items.type === "string" ? items.type : "string",
    schema: items,
    ...(Array.isArray(items.enum) ? { values: items.enum } : {}),
  };
  elements.set(param, known);
  return known;
}

function listCandidates(drawing: Drawing, param: Param): Candidate[] {
  const { anchor, near, donor, rng } = drawing;
  const items = (param.schema.items ?? {}) as JsonObject;
  if (items.type !== "object" && items.properties === undefined) {
    const single = scalarCandidates(drawing, elementOf(param, items));
    return single.map(({ value, origin }) => ({ value: [value], origin }));
  }
  const want = paramsOf(items, items);
  const out: Candidate[] = [];
  const project = (element: Json): JsonObject | undefined => {
    const made: JsonObject = {};
    for (const part of want) {
      const entry = Object.entries(element as JsonObject).find(([name]) => nameScore(part.name, name) >= 2.5);
      if (entry && (part.type !== "string" || typeof entry[1] === "string")) made[part.name] = entry[1];
      else if (part.required) return undefined;
    }
    return made;
  };
  const arrays = (row: Anchor): JsonObject[][] =>
    Object.values(row.row).flatMap((value) => {
      const list = Array.isArray(value) ? value : isMap(value) ? Object.values(value as JsonObject) : [];
      const made = list.map((e) => (typeof e === "object" && e !== null ? project(e) : undefined));
      return made.length > 0 && made.every((m) => m !== undefined) ? [made as JsonObject[]] : [];
    });
  for (const list of arrays(anchor)) out.push({ value: list, origin: "own" });
  const [own] = arrays(anchor);
  for (const other of arrays(donor)) {
    out.push({ value: other.slice(0, 1), origin: "fresh" });
    if (own && own.length > 0) out.push({ value: [...own.slice(0, -1), other[0] as JsonObject], origin: "fresh" });
  }
  for (const row of near)
    for (const list of arrays(row))
      if (list[0])
        out.push({
          value: own ? [...own.slice(0, -1), list[rng.below(list.length)] as JsonObject] : [list[0]],
          origin: "linked",
        });
  return out;
}

function candidates(drawing: Drawing, param: Param): Candidate[] {
  if (param.type === "object") return [];
  return param.type === "array" ? listCandidates(drawing, param) : scalarCandidates(drawing, param);
}

/** The parameters of a write that can name the row it acts on, with the tables whose keys they take. */
export function keyParams(kit: Kit, view: ToolView): { param: Param; table: string }[] {
  const found: { param: Param; table: string; score: number }[] = [];
  for (const param of view.params) {
    if (param.type !== "string" || param.values) continue;
    for (const [table, rows] of kit.anchors) {
      const [first] = rows;
      if (!first) continue;
      const leaf = first.leaves.find((l) => l.value === first.key && !l.generic.includes("[*]"));
      if (!leaf) continue;
      const score = feedScore(kit.bundle, view.name, param, table, leaf);
      if (score >= 2) found.push({ param, table, score });
    }
  }
  return found.sort((a, b) => b.score - a.score);
}

/** What came of a write. */
export function outcome(answer: WorldAnswer): Attempt["outcome"] {
  if (answer.answerClass === "error:not_served" || answer.servedBy === "gap") return "gap";
  if (answer.changes.length > 0) return "changed";
  if (answer.answerClass === "error:bad_arguments" || answer.answerClass === "error:unknown_tool") return "nothing";
  return answer.isError || answer.answerClass === "refused" || answer.answerClass.startsWith("error:")
    ? "refused"
    : "nothing";
}

const idsIn = (value: Json): Json[] =>
  (Array.isArray(value) ? value : [value]).filter((v) => typeof v === "string" && kindOf(v, "") === "id");

/** Whether a value names a thing that an argument of the same call names already: nobody exchanges a thing for itself. */
function namedAgain(args: JsonObject, value: Json): boolean {
  const given = new Set(Object.values(args).flatMap(idsIn));
  return idsIn(value).some((id) => given.has(id));
}

/** A total is not less than a part of it: `total_bags` beside `free_bags`. */
function keepTotals(args: JsonObject): void {
  for (const [name, total] of Object.entries(args)) {
    const thing = /^total_(.+)$/.exec(name)?.[1];
    if (thing === undefined || typeof total !== "number") continue;
    const parts = Object.entries(args).flatMap(([part, value]) =>
      part !== name && part.endsWith(`_${thing}`) && typeof value === "number" ? [value] : [],
    );
    args[name] = Math.max(total, ...parts);
  }
}

/** Whether a write only wrote a row's key into a new row beside it, under the parameter's own name: it does not act on that row. */
function isNamedAfter({ table, key }: Anchor, param: string, { changes }: WorldAnswer): boolean {
  const own = changes.filter((change) => change.table === table);
  return (
    own.every((change) => change.key !== key) &&
    own.some(({ before, after }) => before === undefined && isObject(after) && after[param] === key)
  );
}

/** Tries one write on a fork with arguments drawn from the row, what it refers to, the schema and a donor row. */
export function attempt(
  kit: Kit,
  view: ToolView,
  keyParam: Param,
  anchor: Anchor,
  rng: Random,
  like?: Attempt["from"],
): Attempt | undefined {
  const donor = rng.pick(kit.anchors.get(anchor.table) ?? []);
  const together = rng.next() < 0.6;
  const drawing = { kit, view, anchor, near: linked(kit, anchor), donor, rng };
  const args: JsonObject = { [keyParam.name]: anchor.key };
  const from: Record<string, Origin> = { [keyParam.name]: "key" };
  for (const param of view.params) {
    if (param.name === keyParam.name) continue;
    if (!param.required && (like ? like[param.name] === undefined : rng.next() < 0.6)) continue;
    const options = candidates(drawing, param).filter((o) => !namedAgain(args, o.value));
    const fresh = together ? options.filter((o) => o.origin === "fresh") : [];
    const fitting = like?.[param.name]
      ? options.filter((o) => o.origin === like[param.name]).slice(0, like[param.name] === "fresh" ? 1 : undefined)
      : fresh.slice(0, 1);
    const pool = fitting.length > 0 ? fitting : options;
    const choice = pool[rng.below(Math.max(1, pool.length))];
    if (!choice) {
      if (!param.required) continue;
      return undefined;
    }
    args[param.name] = choice.value;
    from[param.name] = choice.origin;
  }
  keepTotals(args);
  const answer = kit.fork().call(view.name, args);
  if (isNamedAfter(anchor, keyParam.name, answer)) return undefined;
  return { view, anchor, keyParam: keyParam.name, args, from, answer, outcome: outcome(answer) };
}

/** Attempts at one write over many rows, each once: those that changed something and those that the world refused. */
export function attempts(
  kit: Kit,
  view: ToolView,
  rng: Random,
  most = 160,
): { changed: Attempt[]; refused: Attempt[] } {
  const changed: Attempt[] = [];
  const refused: Attempt[] = [];
  const seen = new Set<string>();
  for (const { param, table } of keyParams(kit, view).slice(0, 2)) {
    const rows = rng.shuffled(kit.anchors.get(table) ?? []);
    if (rows.length === 0) continue;
    let shape: Attempt["from"] | undefined;
    for (let i = 0; i < most && changed.length < 40; i += 1) {
      const anchor = rows[i % rows.length] as Anchor;
      const tried = attempt(kit, view, param, anchor, rng, shape !== undefined && rng.next() < 0.7 ? shape : undefined);
      if (!tried) continue;
      const name = JSON.stringify(tried.args);
      if (seen.has(name)) continue;
      seen.add(name);
      if (tried.outcome === "changed") {
        changed.push(tried);
        shape ??= tried.from;
      } else if (tried.outcome === "refused") refused.push(tried);
    }
    if (changed.length > 0) break;
  }
  return { changed, refused };
}

/** The net changes of a sequence of calls, with what differs between two seeds free. Undefined when a call fails. */
export function requiredChanges(
  kit: Kit,
  calls: readonly { tool: string; args: JsonObject }[],
): AllowedChange[] | undefined {
  const worlds = [kit.fork(), kit.otherwise()] as const;
  for (const { tool, args } of calls) for (const world of worlds) if (world.call(tool, args).isError) return undefined;
  const [one, two] = [worlds[0].diff(), worlds[1].diff()];
  return one.length === 0 || one.length !== two.length ? undefined : ownFree(kit.bundle, requiredOf(one, two));
}
