import type { ToolDefinition } from "../../bundle.ts";
import { equalJson, isObject, type Json } from "../../json.ts";
import { declaredEffect, effectByName } from "../effects.ts";
import type { Call, Session } from "../observations.ts";
import { byText } from "../values.ts";
import { type Act, entryOf, type Listing, listIn } from "./act.ts";
import { follow, homeOf, type Reading, type Start } from "./follow.ts";
import { momentsOf } from "./moments.ts";
import { nameOf } from "./tree.ts";

/** Calls that acts are found by, at most. */
const LOOKED = 400;
/** A number no larger than this may be the right one by chance. */
const SMALL = 9;
/** Rounds over all tools, at most. */
const ROUNDS = 4;
/** Less than this is no gain of one act over another one that says more. */
const NOTHING = 0.5;
/** What a tool that is described as a reading has to gain by an act. */
const UNLIKELY = 10;
/** How many facts that agree outweigh one that contradicts. */
const AGAINST = 4;

const NONE: Act = { op: "none" };

/** Finds what the tools of a service do to folders and texts; undefined where it shows no such thing. */
export function findReading(all: readonly Session[], tools: readonly ToolDefinition[]): Reading | undefined {
  const sessions: Session[] = [];
  for (let i = 0, n = 0; i < all.length && n < LOOKED; i++) {
    const session = all[i] as Session;
    sessions.push(session);
    n += session.calls.length;
  }
  const byTool = new Map<string, Call[]>();
  for (const { calls } of sessions)
    for (const call of calls) byTool.set(call.tool, [...(byTool.get(call.tool) ?? []), call]);
  const asked = new Set<string>();
  for (const calls of byTool.values())
    for (const { args } of calls)
      for (const value of Object.values(args)) if (typeof value === "string") asked.add(nameOf(value));
  const enter = entering(byTool);
  const lists = listing(byTool, asked);
  if (lists === undefined) return undefined;
  if (enter === undefined && !usesPaths(byTool, lists.names)) return undefined;
  const names = lists.names;
  const actOf = new Map<string, Act>([
    [lists.tool, { op: "list", ...(lists.at === undefined ? {} : { at: lists.at }) }],
  ]);
  if (enter) actOf.set(enter.tool, { op: "enter", at: enter.at });
  const strict = new Set([...byTool].filter(([, calls]) => calls.some(({ ok }) => !ok)).map(([tool]) => tool));
  const form = {
    hides: hidesNames(byTool.get(lists.tool) ?? []),
    rooted: enter === undefined,
    strict,
    ...(lists.marks ? { marks: lists.marks } : {}),
  };
  for (const [tool, calls] of byTool)
    if (!actOf.has(tool) && calls.every(({ args }) => Object.keys(args).length === 0) && tells(calls))
      actOf.set(tool, { op: "where" });
  const scores = new Map<string, number>();
  const scoreOf = (chosen: ReadonlyMap<string, Act>): number => {
    const id = JSON.stringify([...chosen].sort(([a], [b]) => byText(a, b)));
    const known = scores.get(id);
    if (known !== undefined) return known;
    const score = scored(chosen);
    scores.set(id, score);
    return score;
  };
  const scored = (chosen: ReadonlyMap<string, Act>): number => {
    const reading = { ...form, actOf: chosen, texts: new Map() };
    const { starts } = follow(sessions, reading);
    const { agreed, contradicted } = follow(sessions, reading, new Map(starts));
    return agreed - AGAINST * contradicted;
  };
  const reads = new Set(
    tools.filter((tool) => (declaredEffect(tool) ?? effectByName(tool.name)) === "read").map(({ name }) => name),
  );
  const open = [...byTool.keys()].filter((tool) => !actOf.has(tool)).sort(byText);
  const offered = new Map(
    open.map((tool) => [
      tool,
      candidates(
        byTool.get(tool) ?? [],
        names,
        tools.find(({ name }) => name === tool),
      ),
    ]),
  );
  // A tool that is given an entry reads it, as long as nothing shows more.
  for (const tool of open) {
    const read = offered.get(tool)?.find(({ op }) => op === "read");
    if (read) actOf.set(tool, read);
  }
  // What one tool does shows better once it is known what others do.
  let changes = 1;
  const looked = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++)
    for (const tool of open) {
      if (looked.get(tool) === changes) continue;
      const before = actOf.get(tool);
      let [best, kept]: [number, Act | undefined] = [scoreOf(actOf), before];
      for (const act of [...(offered.get(tool) ?? []), NONE]) {
        const value =
          scoreOf(new Map(actOf).set(tool, act)) -
          (act.op !== "read" && act.op !== "none" && reads.has(tool) ? UNLIKELY : 0);
        if (value <= best + NOTHING) continue;
        [best, kept] = [value, act];
      }
      if (kept !== undefined && kept !== before) {
        actOf.set(tool, kept);
        changes++;
      }
      looked.set(tool, changes);
    }
  return withTexts(sessions, { ...form, actOf, texts: new Map() }, byTool, offered);
}

/** Adds which tool shows texts whole, and which ones write them: those by which most answers can be said. */
function withTexts(
  sessions: readonly Session[],
  reading: Reading,
  byTool: ReadonlyMap<string, readonly Call[]>,
  offered: ReadonlyMap<string, readonly Act[]>,
): Reading {
  const begun = new Map<string, Start>();
  follow(sessions, reading, begun);
  const before = follow(sessions, reading, begun).contradicted;
  let best = reading;
  let most = 0;
  for (const [tool, act] of reading.actOf) {
    const keys = act.op === "read" ? textIn(byTool.get(tool) ?? [], act.at) : undefined;
    if (keys === undefined) continue;
    let own: Reading = { ...reading, texts: new Map([[tool, keys]]) };
    let said = explained(sessions, own, before);
    for (const [other, possible] of offered)
      for (const write of possible) {
        if (write.op !== "write" || other === tool) continue;
        const next = { ...own, actOf: new Map(own.actOf).set(other, write) };
        const more = explained(sessions, next, before);
        if (more <= said) continue;
        said = more;
        own = next;
      }
    if (said <= most) continue;
    most = said;
    best = own;
  }
  return best;
}

/** How many answers hold what the text at hand says, less what is contradicted more often than before. */
function explained(sessions: readonly Session[], reading: Reading, before: number): number {
  const starts = new Map<string, Start>();
  follow(sessions, reading, starts);
  const { contradicted } = follow(sessions, reading, starts);
  let said = 0;
  for (const [tool, moments] of momentsOf(sessions, reading, starts)) {
    if (reading.actOf.get(tool)?.op !== "read") continue;
    for (const { call, outputs } of moments) {
      if (!call.ok) continue;
      const leaves = isObject(call.value) ? Object.values(call.value) : [call.value];
      const tells = (value: Json | undefined): value is Json =>
        typeof value === "number" ? value > SMALL : value !== undefined;
      if (
        outputs.some(
          ({ cel, value }) => !cel.startsWith("args") && tells(value) && leaves.some((leaf) => equalJson(leaf, value)),
        )
      )
        said++;
    }
  }
  return said - AGAINST * (contradicted - before);
}

/** Keys that lead to the one text in the answers of a tool where it is given a name alone. */
function textIn(calls: readonly Call[], at: string): readonly string[] | undefined {
  const keys = calls.flatMap(({ ok, args, value }) => {
    if (!ok || Object.keys(args).some((key) => key !== at)) return [];
    if (typeof value === "string") return [""];
    return isObject(value)
      ? Object.keys(value)
          .filter((key) => typeof value[key] === "string")
          .slice(0, 1)
      : [];
  });
  const [first] = keys;
  return first === undefined || keys.some((key) => key !== first) ? undefined : first === "" ? [] : [first];
}

/** The tool that changes the folder at hand: it is called with `..` and with names. */
function entering(byTool: ReadonlyMap<string, readonly Call[]>): { tool: string; at: string } | undefined {
  const found = [...byTool].flatMap(([tool, calls]) => {
    const [at, ...others] = argumentsOf(calls);
    if (at === undefined || others.length > 0) return [];
    const up = calls.filter(({ args }) => args[at] === "..").length;
    return up > 1 && up < calls.length ? [{ tool, at, up }] : [];
  });
  return found.sort((a, b) => b.up - a.up)[0];
}

/** The tool that lists a folder: most of what it names is asked for elsewhere. */
function listing(
  byTool: ReadonlyMap<string, readonly Call[]>,
  asked: ReadonlySet<string>,
): { tool: string; at: string | undefined; names: ReadonlySet<string>; marks: Listing["marks"] } | undefined {
  const found = [...byTool].flatMap(([tool, calls]) => {
    const lists = calls.flatMap((call) => (call.ok ? [listIn(call.value)] : []));
    const listed = lists.flatMap((list) => list?.names ?? []);
    const marks = marksOf(listed, calls);
    const names = new Set(listed.map((one) => entryOf(one, marks).name));
    if (lists.length === 0 || names.size === 0 || [...names].some((name) => name.includes("/") || name.includes("\n")))
      return [];
    const least = Math.min(...calls.map(({ args }) => argumentsOf([{ args } as Call]).length));
    if (
      least > 0 &&
      !calls.some(({ args }) => Object.values(args).some((value) => typeof value === "string" && value.includes("/")))
    )
      return [];
    const known = [...names].filter((name) => asked.has(name)).length;
    const isPath = (value: unknown): boolean =>
      typeof value === "string" && (value === ".." || value.includes("/") || names.has(value));
    const at = argumentsOf(calls).find((key) => calls.some(({ args }) => isPath(args[key])));
    return known * 4 < names.size ? [] : [{ tool, at, names, marks, known }];
  });
  return found.sort((a, b) => b.known - a.known)[0];
}

/** The two words that stand before all names, of which one marks folders: what is listed itself, or begins with a d. */
function marksOf(listed: readonly string[], calls: readonly Call[]): Listing["marks"] {
  const split = listed.map((one) => /^(\[\w+\]|[a-z-]) +(?=\S)/i.exec(one)?.[0]);
  const marks = [...new Set(split)];
  const [one, other] = marks;
  if (marks.length > 2 || one === undefined || marks.includes(undefined)) return undefined;
  const opened = new Set(calls.flatMap(({ args }) => Object.values(args).map((value) => nameOf(String(value)))));
  const folders = marks.filter((mark) =>
    listed.some((name) => name.startsWith(mark ?? "") && opened.has(name.slice(mark?.length))),
  );
  const isFolder = (mark: string): boolean => (folders.length === 1 ? folders[0] === mark : /^\[?d/i.test(mark));
  const text = other ?? (isFolder(one) ? "" : one);
  return isFolder(one) ? { folder: one, text } : { folder: other ?? "", text: one };
}

/** Whether lists show names that begin with a dot where a flag asks for them, and never else. */
function hidesNames(calls: readonly Call[]): boolean {
  const dotted = calls.filter(({ ok, value }) => ok && listIn(value)?.names.some((name) => name.startsWith(".")));
  return dotted.length > 0 && dotted.every(({ args }) => Object.values(args).includes(true));
}

/** Whether most names of entries are given with the folders that lead to them. */
function usesPaths(byTool: ReadonlyMap<string, readonly Call[]>, names: ReadonlySet<string>): boolean {
  let [paths, plain] = [0, 0];
  for (const calls of byTool.values())
    for (const { args } of calls)
      for (const value of Object.values(args))
        if (typeof value === "string" && names.has(nameOf(value)))
          if (value.includes("/")) paths++;
          else plain++;
  return paths > plain;
}

/** Whether a tool's answers tell the folder at hand in full. */
const tells = (calls: readonly Call[]): boolean => {
  const ok = calls.filter((call) => call.ok);
  return ok.length > 1 && ok.every((call) => homeOf(call, "/") !== undefined);
};

/** Arguments that hold texts, by name. */
const argumentsOf = (calls: readonly Call[]): string[] =>
  [...new Set(calls.flatMap(({ args }) => Object.keys(args).filter((key) => typeof args[key] === "string")))].sort(
    byText,
  );

/** What a tool may do, by its arguments. */
function candidates(calls: readonly Call[], names: ReadonlySet<string>, listed: ToolDefinition | undefined): Act[] {
  const order = Object.keys((listed?.inputSchema as { properties?: object } | undefined)?.properties ?? {});
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  const texts = argumentsOf(calls).sort((a, b) => rank(a) - rank(b));
  const isEntry = (key: string): boolean => {
    const given = calls.flatMap(({ args }) => (typeof args[key] === "string" ? [args[key]] : []));
    return (
      given.every((value) => !value.includes("\n")) &&
      given.filter((value) => names.has(nameOf(value))).length * 4 >= given.length
    );
  };
  const entries = texts.filter(isEntry);
  const flags = [
    ...new Set(calls.flatMap(({ args }) => Object.keys(args).filter((key) => typeof args[key] === "boolean"))),
  ];
  const out: Act[] = [];
  for (const at of entries) {
    for (const text of texts)
      if (!entries.includes(text))
        for (const adds of [undefined, true as const, ...flags])
          out.push({ op: "write", at, text, ...(adds === undefined ? {} : { adds }) });
    for (const to of entries) if (to !== at) out.push({ op: "move", from: at, to }, { op: "copy", from: at, to });
  }
  for (const at of entries)
    out.push(
      { op: "remove", at },
      { op: "make", at, folder: true },
      { op: "make", at, folder: false },
      { op: "read", at },
    );
  return out;
}
