import { resolvePath } from "../../behaviour/functions/paths.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { UNKNOWN } from "../../unknown.ts";
import type { Call } from "../observations.ts";
import { type Entry, isWithin, nameOf, ROOT, type Tree, within } from "./tree.ts";

/** What calls of a tool do to a tree of folders and texts; `at` and the like name the arguments that name its entries. */
export type Act =
  | { readonly op: "none" }
  | { readonly op: "where" }
  | { readonly op: "enter"; readonly at: string }
  | { readonly op: "list"; readonly at?: string }
  | { readonly op: "read"; readonly at: string }
  | { readonly op: "make"; readonly at: string; readonly folder: boolean }
  | { readonly op: "write"; readonly at: string; readonly text: string; readonly adds?: string | true }
  | { readonly op: "remove"; readonly at: string }
  | Transfer;

/** Puts an entry somewhere else, and leaves it where it was or not. */
interface Transfer {
  readonly op: "move" | "copy";
  readonly from: string;
  readonly to: string;
}

export const isTransfer = (act: Act): act is Transfer => act.op === "move" || act.op === "copy";

/** The state of a session: its tree and the folder at hand, undefined where that is not known. */
export interface State {
  readonly tree: Tree;
  cwd: string | undefined;
  /** The path from the root of the system to where the session started, where it is known. */
  home: string | undefined;
  /** The name of the folder where the session started, where it is known. */
  name: string | undefined;
}

/** The path that an argument names, from where the session started; undefined where it is not known. */
export function pathOf(given: Json | undefined, { cwd, home }: Pick<State, "cwd" | "home">): string | undefined {
  if (given === undefined || given === null) return cwd;
  if (typeof given !== "string") return undefined;
  if (given.startsWith("/")) {
    if (home === undefined) return undefined;
    if (given === home) return ROOT;
    return isWithin(given, home) ? resolvePath(ROOT, `.${given.slice(home === ROOT ? 0 : home.length)}`) : undefined;
  }
  if (cwd === undefined) return undefined;
  // Of what lies above the start nothing is known.
  let depth = cwd === ROOT ? 0 : cwd.split("/").length - 1;
  for (const part of given.split("/")) {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    if (depth < 0) return undefined;
  }
  return resolvePath(cwd, given);
}

/** The first list of texts in an answer, with the keys that lead to it; lines of a text where the answer is one. */
export function listIn(
  value: Json,
): { readonly path: readonly string[]; readonly names: readonly string[] } | undefined {
  if (typeof value === "string") return { path: [], names: value === "" ? [] : value.split("\n") };
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string") ? { path: [], names: value as string[] } : undefined;
  if (!isObject(value) || value === UNKNOWN) return undefined;
  for (const [key, inner] of Object.entries(value))
    if (Array.isArray(inner) && inner.every((one) => typeof one === "string"))
      return { path: [key], names: inner as string[] };
  return undefined;
}

/** How lists name entries. */
export interface Listing {
  /** Whether they leave out names that begin with a dot, unless they are asked for. */
  readonly hides: boolean;
  /** What stands before the name of a folder and of a text, where lists mark them so: `[DIR] `, `[FILE] `. */
  readonly marks?: { readonly folder: string; readonly text: string };
}

/** The name of a listed entry, and whether it is a folder; undefined where the list does not say. */
export function entryOf(listed: string, marks: Listing["marks"]): { readonly name: string; readonly folder?: boolean } {
  if (marks && listed.startsWith(marks.folder)) return { name: listed.slice(marks.folder.length), folder: true };
  if (marks && listed.startsWith(marks.text)) return { name: listed.slice(marks.text.length), folder: false };
  return listed.endsWith("/") ? { name: listed.slice(0, -1), folder: true } : { name: listed };
}

/** A fact that a call showed of a path as it was before the call. */
export interface Shown {
  readonly path: string;
  readonly entry: Entry;
  /** All entries of this folder that were shown. */
  readonly listed?: readonly string[];
}

/** Where a move or copy that succeeds puts its entry: into a folder of that name, else under the name. */
export function targetOf(state: State, from: string, to: string): string {
  const { there, folder } = state.tree.get(to);
  return there && folder !== false ? within(to, nameOf(from)) : to;
}

/** Whether a call names nothing to do its act to. */
export const isIdle = (act: Act, args: JsonObject): boolean =>
  act.op !== "list" && "at" in act && (args[act.at] ?? null) === null;

/** What a call shows of the tree as it stood before. */
export function shownBy(
  act: Act,
  { tool, args, ok, value }: Call,
  state: State,
  { hides, marks, strict }: Listing & { readonly strict: ReadonlySet<string> },
): Shown[] {
  if (act.op === "none" || act.op === "where" || isIdle(act, args)) return [];
  const at = pathOf(args[isTransfer(act) ? act.from : (act.at ?? "")], state);
  if (at === undefined) return [];
  switch (act.op) {
    case "enter":
      return ok ? [{ path: at, entry: { there: true, folder: true } }] : [{ path: at, entry: { folder: false } }];
    case "list": {
      const found = ok ? listIn(value) : undefined;
      if (!found) return [];
      const dots = !hides || Object.values(args).includes(true);
      const listed = found.names.map((one) => entryOf(one, marks));
      const slashes = listed.some(({ folder }) => folder === true);
      return [
        ...listed.map(({ name, folder = slashes ? false : undefined }, i) => ({
          path: within(at, name),
          entry: { there: true, at: i, folder },
        })),
        {
          path: at,
          entry: { there: true, folder: true, dots: dots || undefined },
          listed: listed.map(({ name }) => name),
        },
      ];
    }
    case "read":
      return ok ? [{ path: at, entry: { there: true, folder: false } }] : [];
    case "make":
      // What is never refused may have made what was there.
      return ok && !strict.has(tool) ? [] : [{ path: at, entry: { there: !ok } }];
    case "remove":
    case "move":
    case "copy":
      return ok ? [{ path: at, entry: { there: true } }] : [];
    case "write":
      return [];
  }
}

/** Does to a state what a call did. */
export function applyTo(state: State, act: Act, { args, ok }: Pick<Call, "args" | "ok">): void {
  if (!ok || act.op === "none" || act.op === "where" || act.op === "list" || act.op === "read" || isIdle(act, args))
    return;
  const { tree } = state;
  if (isTransfer(act)) {
    const [from, to] = [pathOf(args[act.from], state), pathOf(args[act.to], state)];
    if (from === undefined || to === undefined) {
      forgetAll(state);
      return;
    }
    const target = targetOf(state, from, to);
    tree.copy(from, target);
    if (act.op === "move" && target !== from) tree.remove(from);
    return;
  }
  const at = pathOf(args[act.at], state);
  if (act.op === "enter") {
    state.cwd = at;
    return;
  }
  if (at === undefined) {
    forgetAll(state);
    return;
  }
  if (act.op === "make" && tree.get(at).there === true) return;
  if (act.op === "make")
    tree.append(at, act.folder ? { folder: true, whole: true, dots: true } : { folder: false, text: "" });
  else if (act.op === "remove") tree.remove(at);
  else {
    const old = tree.get(at);
    const text = textAfter(act, args, old);
    if (old.there === true) tree.put(at, { ...old, folder: false, text });
    else tree.append(at, { folder: false, text });
  }
}

/** The text that a write leaves; undefined where it is not known. */
export function textAfter(act: Extract<Act, { op: "write" }>, args: JsonObject, old: Entry): string | undefined {
  const given = args[act.text];
  if (typeof given !== "string") return undefined;
  const adds = act.adds === true || (act.adds !== undefined && args[act.adds] === true);
  if (!adds || old.there === false) return given;
  return old.text === undefined ? undefined : `${old.text}\n${given}`;
}

function forgetAll(state: State): void {
  for (const path of [...state.tree.entries.keys()]) if (path !== ROOT) state.tree.put(path, {});
  state.tree.put(ROOT, { there: true, folder: true });
}
