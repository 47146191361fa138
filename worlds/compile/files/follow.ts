import type { Call, Session } from "../observations.ts";
import { at as valueAt } from "../values.ts";
import { type Act, applyTo, isIdle, type Listing, pathOf, type Shown, type State, shownBy } from "./act.ts";
import { type Entry, isWithin, nameOf, parentOf, ROOT, Tree } from "./tree.ts";

/** What each tool does, and which answers tell a text. */
export interface Reading extends Listing {
  readonly actOf: ReadonlyMap<string, Act>;
  /** Keys that lead to the text in answers of tools that show one whole. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
  /** Tools that were refused at times. */
  readonly strict: ReadonlySet<string>;
  /** Whether no tool changes the folder at hand: paths are told from the root of the system. */
  readonly rooted: boolean;
}

/** How a group of sessions starts, as far as its sessions show. */
export interface Start {
  readonly entries: Map<string, Entry>;
  home: string | undefined;
  /** The name of the folder that sessions start in. */
  name: string | undefined;
}

/** A call with the state before it. */
export interface Moment {
  readonly call: Call;
  readonly session: Session;
  readonly state: State;
}

export interface Agreement {
  readonly starts: ReadonlyMap<string, Start>;
  readonly agreed: number;
  readonly contradicted: number;
}

/** What agrees with a start tells less of what calls do than what agrees with their effects. */
const FROM_START = 0.01;

const KEYS = ["there", "folder", "text"] as const;

/** Follows sessions under a reading: what starts they show, and how often they show what was known before, or something else. */
export function follow(
  sessions: readonly Session[],
  reading: Reading,
  starts: Map<string, Start> = new Map(),
  see?: (moment: Moment) => void,
): Agreement {
  let [agreed, contradicted] = [0, 0];
  for (const session of sessions) {
    const start: Start = starts.get(session.group) ?? {
      entries: new Map([[ROOT, { there: true, folder: true }]]),
      home: reading.rooted ? ROOT : undefined,
      name: undefined,
    };
    starts.set(session.group, start);
    const state: State = { tree: new Tree(start.entries), cwd: ROOT, home: start.home, name: start.name };
    const touched = new Set<string>();
    /** Paths that calls made or took away. */
    const changed = new Set<string>();
    const isIn = (paths: ReadonlySet<string>, path: string): boolean => {
      for (const one of paths) if (one === path || isWithin(path, one)) return true;
      return false;
    };
    const learn = ({ path, entry, listed }: Shown): void => {
      const known = state.tree.get(path);
      const own = state.tree.entries.get(path) ?? {};
      const fresh = !isIn(touched, path);
      const next: Record<string, unknown> = { ...own };
      for (const key of KEYS) {
        const told = entry[key];
        if (told === undefined) continue;
        if (known[key] === undefined) {
          if (key === "folder" && known.there === false) continue;
        } else if (known[key] === told) agreed += isIn(changed, path) ? 1 : FROM_START;
        else contradicted++;
        next[key] = told;
        if (fresh && known[key] === undefined) setStart(start, path, key, told);
      }
      if (entry.at !== undefined && own.at === undefined) {
        next.at = entry.at;
        if (fresh) setStart(start, path, "at", entry.at);
      }
      state.tree.put(path, next as Entry);
      if (listed === undefined) return;
      const names = new Set(listed);
      const all = entry.dots === true;
      for (const [inner, { there }] of [...state.tree.entries])
        if (
          inner !== ROOT &&
          parentOf(inner) === path &&
          !names.has(nameOf(inner)) &&
          (all || !nameOf(inner).startsWith("."))
        ) {
          if (there === true) contradicted++;
          state.tree.put(inner, { there: false });
        }
      if (known.whole === true) agreed += isIn(changed, path) ? 1 : FROM_START;
      state.tree.put(path, {
        ...state.tree.entries.get(path),
        there: true,
        folder: true,
        whole: true,
        ...(all ? { dots: true } : {}),
      });
      const begin = start.entries.get(path);
      if (
        fresh &&
        (begin?.whole !== true || (all && begin.dots !== true)) &&
        [...touched].every((one) => parentOf(one) !== path || start.entries.get(one)?.there !== undefined)
      ) {
        setStart(start, path, "whole", true);
        if (all) setStart(start, path, "dots", true);
      }
    };
    for (const call of session.calls) {
      see?.({ call, session, state });
      const act = reading.actOf.get(call.tool);
      if (!act) continue;
      const shown = shownBy(act, call, state, reading);
      for (const fact of shown) learn(fact);
      const text = act.op === "read" ? textOf(call, act.at, reading.texts.get(call.tool)) : undefined;
      const read = text === undefined || act.op !== "read" ? undefined : pathOf(call.args[act.at], state);
      if (read !== undefined) learn({ path: read, entry: { text } });
      const paths = call.ok ? touches(act, call, state) : [];
      const before = paths.map((path) => state.tree.get(path).there);
      for (const path of paths) touched.add(path);
      applyTo(state, act, call);
      if ((act.op === "where" || act.op === "enter") && call.ok && state.cwd !== undefined) {
        start.home ??= homeOf(call, state.cwd);
        if (state.cwd === ROOT) start.name ??= nameOf(folderNamed(call) ?? "") || undefined;
        if (start.home !== undefined) start.name ??= nameOf(start.home);
        state.home = start.home;
        state.name = start.name;
      }
      for (const [i, path] of paths.entries()) if (state.tree.get(path).there !== before[i]) changed.add(path);
    }
  }
  return { starts, agreed, contradicted };
}

function setStart(start: Start, path: string, key: keyof Entry, value: unknown): void {
  start.entries.set(path, { ...start.entries.get(path), [key]: value });
}

function touches(act: Act, { args }: Call, state: State): string[] {
  if (isIdle(act, args)) return [];
  const names =
    act.op === "move"
      ? [act.from, act.to]
      : act.op === "copy"
        ? [act.to]
        : act.op === "make" || act.op === "write" || act.op === "remove"
          ? [act.at]
          : [];
  return names.flatMap((name) => {
    const path = pathOf(args[name], state);
    return path === undefined ? [] : [path];
  });
}

/** The text that a call shows whole: it was given the name alone. */
function textOf({ ok, args, value }: Call, at: string, keys: readonly string[] | undefined): string | undefined {
  if (!ok || keys === undefined || Object.keys(args).some((key) => key !== at)) return undefined;
  const said = valueAt(value, keys);
  return typeof said === "string" ? said : undefined;
}

/** The first text of an answer: what it tells of the folder at hand. */
function folderNamed({ value }: Pick<Call, "value">): string | undefined {
  const said = typeof value === "string" ? value : Object.values(value ?? {}).find((one) => typeof one === "string");
  return typeof said === "string" ? said : undefined;
}

/** Where a session started, by an answer that tells the folder at hand in full. */
export function homeOf({ value }: Pick<Call, "value">, cwd: string): string | undefined {
  const said = folderNamed({ value });
  if (said === undefined || !said.startsWith("/")) return undefined;
  if (cwd === ROOT) return said;
  return said.endsWith(cwd) ? said.slice(0, -cwd.length) || ROOT : undefined;
}
