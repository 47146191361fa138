import { Behaviour } from "../../behaviour/schema.ts";
import type { BaseState, Bundle, TableModel, ToolBehaviour, ToolDefinition } from "../../bundle.ts";
import { type Json, type JsonObject, setOwn } from "../../json.ts";
import { declaredEffect, effectByName } from "../effects.ts";
import type { FittedTool } from "../fit/fit-tool.ts";
import { renderingOf } from "../models.ts";
import type { Call, Session } from "../observations.ts";
import { type ProgramWorld, spread } from "../programs/compile.ts";
import { COUNTERS, MADE } from "../programs/expressions/names.ts";
import type { Rows } from "../programs/rows-by-group.ts";
import { byText } from "../values.ts";
import { stepsOf } from "./emit.ts";
import { learnEndings } from "./endings.ts";
import { follow, type Start } from "./follow.ts";
import { momentsOf, namesIn } from "./moments.ts";
import { ENTRIES, STATE } from "./paths.ts";
import { findReading } from "./roles.ts";
import { nameOf, parentOf, ROOT, Tree } from "./tree.ts";

const COLUMNS = ["there", "folder", "text", "whole", "dots", "at"] as const;
/** So many groups at least show what is taken for shared by all. */
const SHARED = 2;
/** A tool that so few calls showed may do to entries what nobody saw. */
const SEEN = 3;
/** What becomes unknown under a call that may have changed any entry. */
const ANYTHING: NonNullable<Bundle["footprints"]>[string] = { tables: { [ENTRIES]: { others: "*", made: true } } };
const CHANGES = new Set(["enter", "make", "write", "remove", "move", "copy"]);

/** Compiles a world of folders and texts; undefined where sessions show none. */
export function compileFiles(
  all: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  tools: readonly ToolDefinition[],
  name: string,
): ProgramWorld | undefined {
  const sessions = spread(all);
  const reading = findReading(sessions, tools);
  if (!reading) return undefined;
  const starts = new Map<string, Start>();
  // What later sessions show of a start helps to follow earlier ones.
  for (let pass = 0; pass < 2; pass++) follow(sessions, reading, starts);
  const moments = momentsOf(sessions, reading, starts);
  const fromRoot = sessions.some(({ calls }) =>
    calls.some(({ tool, args }) =>
      namesIn(reading.actOf.get(tool) ?? { op: "none" }).some((arg) => String(args[arg]).startsWith("/")),
    ),
  );
  const fitted = new Map<string, FittedTool>();
  const behaviours: Record<string, ToolBehaviour> = {};
  const gaps: Bundle["gaps"] = [];
  const footprints: NonNullable<Bundle["footprints"]> = {};
  for (const listed of tools) {
    const tool = listed.name;
    const calls = byTool.get(tool) ?? [];
    const act = reading.actOf.get(tool) ?? { op: "none" };
    const endings = learnEndings(moments.get(tool) ?? []);
    const optional = new Set(namesIn(act).filter((arg) => calls.some(({ args }) => (args[arg] ?? null) === null)));
    const behaviour: Behaviour = { v: 1, steps: stepsOf(act, endings, { fromRoot, optional }) };
    const effect = CHANGES.has(act.op) ? "write" : "read";
    if (act.op === "enter") setOwn(footprints, tool, { tables: { [STATE]: { others: ["path"] } } });
    else if (effect === "write") setOwn(footprints, tool, ANYTHING);
    // What names no entry may do anything: it is answered where it is named as a reading.
    const reads = act.op !== "none" || (declaredEffect(listed) ?? effectByName(tool)) === "read";
    const told = reads && (effect === "write" || endings.answer !== undefined);
    if (!told || !Behaviour.safeParse(behaviour).success) {
      const reason = calls.length === 0 ? "never observed" : "no program says what its calls do";
      gaps.push({ tool, reason, n: calls.length });
      if (!reads && calls.length < SEEN) setOwn(footprints, tool, ANYTHING);
      continue;
    }
    fitted.set(tool, { how: "files", effect, behaviour });
    setOwn(behaviours, tool, {
      effect,
      behaviour,
      rendering: { ...renderingOf(calls), wrap: [] },
      volatile: [],
      support: { seen: calls.length, reproduced: 0 },
    });
  }
  const { base, rows } = startsOf(starts, reading.rooted);
  return {
    bundle: {
      v: 1,
      name,
      tools: [...tools],
      tables: MODELS,
      now: Math.max(0, ...all.map(({ at }) => at)),
      behaviours,
      exceptions: [],
      gaps,
      footprints,
    },
    base,
    programs: { tools: fitted, tables: MODELS, rows, starts: new Map(), unknown: {}, volatile: new Map() },
  };
}

/** Where an entry stands is kept as programs keep in what order rows were made. */
const columnOf = (name: (typeof COLUMNS)[number]): string => (name === "at" ? MADE : name);
/** The number of the first entry that a session makes: behind all that were there. */
const MADE_FROM = 1_000_000;
const column = (name: string): TableModel["columns"][number] => ({
  name,
  types: ["null", "boolean", "number", "string"],
  present: 1,
});
const MODELS: TableModel[] = [
  { name: ENTRIES, key: ["path"], columns: ["path", "folder_path", "name", ...COLUMNS.map(columnOf)].map(column) },
  { name: STATE, key: ["of"], columns: ["of", "path", "home", "name"].map(column) },
  { name: COUNTERS, key: ["of"], columns: ["of", "next"].map(column), internal: true },
];

/**
 * What all trees that have a path show of it, several at least; of trees that have its folder alike whether it is there,
 * and of those that know all its entries whether these are the same.
 */
function sharedBy(trees: readonly Tree[], path: string): JsonObject {
  const out: JsonObject = {};
  const share = (name: (typeof COLUMNS)[number], values: readonly Json[]): void => {
    const [only, ...others] = values;
    if (only !== undefined && values.length >= SHARED && others.every((one) => one === only))
      out[columnOf(name)] = only;
  };
  const around = path === ROOT ? [] : trees.filter((tree) => tree.get(parentOf(path)).there === true);
  share(
    "there",
    around.flatMap((tree) => tree.get(path).there ?? []),
  );
  const having = trees.filter((tree) => tree.get(path).there === true);
  for (const name of ["folder", "text", "at"] as const)
    share(
      name,
      having.flatMap((tree) => tree.get(path)[name] ?? []),
    );
  const lists = having.flatMap((tree) => tree.list(path, tree.get(path).dots === true)?.join("\n") ?? []);
  if (lists.length >= SHARED && new Set(lists).size === 1)
    for (const name of ["whole", "dots"] as const)
      share(
        name,
        having.flatMap((tree) => tree.get(path)[name] ?? []),
      );
  return out;
}

/** The start of every group: rows of all paths, with what each group shows of them. */
function startsOf(starts: ReadonlyMap<string, Start>, rooted: boolean): { base: BaseState; rows: Rows } {
  const paths = [...new Set([...starts.values()].flatMap(({ entries }) => [...entries.keys()]))].sort(byText);
  const entries: Record<string, JsonObject> = {};
  const trees = [...starts.values()].map((start) => new Tree(start.entries));
  for (const path of paths) {
    const own = path === ROOT ? { there: true, folder: true } : { folder_path: parentOf(path), name: nameOf(path) };
    setOwn(entries, path, { path, ...own, ...sharedBy(trees, path) });
  }
  const groups: Record<string, Rows> = {};
  for (const [group, start] of [...starts].sort(([a], [b]) => byText(a, b))) {
    const tree = new Tree(start.entries);
    const own: Record<string, JsonObject> = {};
    for (const path of paths) {
      const known = tree.get(path);
      const row = Object.fromEntries(
        COLUMNS.flatMap((name) => (known[name] === undefined ? [] : [[columnOf(name), known[name]]])),
      ) as JsonObject;
      if (known.there === false) for (const name of COLUMNS) row[columnOf(name)] ??= null;
      if (Object.keys(row).length > 0) setOwn(own, path, row);
    }
    setOwn(groups, group, {
      [ENTRIES]: own,
      [STATE]: {
        session: {
          ...(start.home === undefined ? {} : { home: start.home }),
          ...(start.name === undefined ? {} : { name: start.name }),
        },
      },
    });
  }
  const rows: Rows = {
    [ENTRIES]: entries,
    [STATE]: { session: { of: "session", path: ROOT, ...(rooted ? { home: ROOT } : {}) } },
    [COUNTERS]: { [ENTRIES]: { of: ENTRIES, next: MADE_FROM } },
  };
  const unknown: NonNullable<BaseState["unknown"]> = {
    [ENTRIES]: [{ columns: COLUMNS.map(columnOf), keys: paths }],
    [STATE]: [{ columns: ["home", "name"], keys: ["session"] }],
  };
  return { base: { tables: rows, drawn: {}, unknown, starts: groups }, rows };
}
