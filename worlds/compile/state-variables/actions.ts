import type { Json, JsonObject } from "../../json.ts";
import { literal, member } from "../conditions/term.ts";
import type { Call } from "../observations.ts";
import { byText } from "../values.ts";

/** A call that went well and may have changed something: its tool, and that with what it was told. */
export interface Action {
  readonly tool: string;
  readonly token: string;
}

/** What a call was answered, and in which form. */
export interface Response {
  readonly ok: boolean;
  readonly form: string;
  readonly answer: Json;
}

/** One question as a session asked it: after which deeds, and what it heard. */
export interface Seen {
  readonly question: string;
  readonly group: number;
  readonly session: number;
  readonly actions: readonly Action[];
  /** Its answer as text. */
  readonly said: string;
  readonly response: Response;
}

/** By tool the names of the arguments that it was ever told, in order. */
export type Signatures = ReadonlyMap<string, readonly string[]>;

/** What stands between the parts of a deed. */
const MARK = "\u001f";
/** What is known to change nothing shows more of the same. */
const ROUNDS = 3;

/** The arguments of each tool. */
export function signatures(sessions: readonly (readonly { readonly call: Call }[])[]): Signatures {
  const names = new Map<string, Set<string>>();
  for (const session of sessions)
    for (const { call } of session) {
      const of = names.get(call.tool) ?? new Set<string>();
      names.set(call.tool, of);
      for (const name of Object.keys(call.args)) of.add(name);
    }
  return new Map([...names].map(([tool, of]) => [tool, [...of].sort(byText)]));
}

export function actionOf(
  { tool, args }: { readonly tool: string; readonly args: JsonObject },
  named: Signatures,
): Action {
  const parts = (named.get(tool) ?? []).map((name) => JSON.stringify(args[name] ?? null));
  return { tool, token: [tool, ...parts].join(MARK) };
}

/** The tool of a deed or question. */
export const toolOf = (token: string): string => token.split(MARK)[0] as string;

/** The token of a call as an expression over its arguments. */
export function tokenText(tool: string, named: Signatures): string {
  const parts = (named.get(tool) ?? []).map((name) => `${literal(MARK)} + json(${member("args", name)})`);
  return [literal(tool), ...parts].join(" + ");
}

/** Tools and actions without effect: sessions that differ in them alone get equal answers, in at least `groups` groups. */
export function withoutEffect(
  seen: readonly Seen[],
  groups: number,
  ordered: boolean,
  move: ReadonlySet<string>,
): Set<string> {
  const out = new Set<string>();
  for (const unit of [(action: Action) => action.tool, (deed: Action) => deed.token])
    for (let round = 0; round < ROUNDS; round++) {
      const found = [...changeless(differing(seen, unit, out, ordered), groups)].filter((name) => !move.has(name));
      for (const name of found) out.add(name);
      if (found.length === 0) break;
    }
  return out;
}

type Buckets = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

function* changeless(buckets: Buckets, groups: number): Generator<string> {
  const told = new Map<string, { same: Set<string>; changed: boolean }>();
  for (const [id, bucket] of buckets) {
    const [name, group] = id.split("\n") as [string, string];
    const single = [...bucket.values()].every((values) => values.size === 1);
    if (bucket.size < 2 || !single) continue;
    const of = told.get(name) ?? { same: new Set<string>(), changed: false };
    told.set(name, of);
    if (new Set([...bucket.values()].flatMap((values) => [...values])).size > 1) of.changed = true;
    else of.same.add(group);
  }
  for (const [name, { same, changed }] of told) if (!changed && same.size >= groups) yield name;
}

/** Sights that are alike but for one unit: by that unit, the group and all the rest, then by how the unit stood, what was heard. */
function differing(
  seen: readonly Seen[],
  unit: (action: Action) => string,
  known: ReadonlySet<string>,
  ordered: boolean,
): Buckets {
  const rest = seen.map(({ actions }) => actions.filter(({ tool, token }) => !known.has(tool) && !known.has(token)));
  const units = new Map<number, Set<string>>();
  for (const [i, { group }] of seen.entries()) {
    const of = units.get(group) ?? new Set<string>();
    units.set(group, of);
    for (const deed of rest[i] as readonly Action[]) of.add(unit(deed));
  }
  const out = new Map<string, Map<string, Set<string>>>();
  for (const [i, { question, group, said }] of seen.entries())
    for (const name of units.get(group) ?? []) {
      const deeds = rest[i] as readonly Action[];
      const tokens = (own: boolean) => deeds.flatMap((deed) => ((unit(deed) === name) === own ? [deed.token] : []));
      const [mine, others] = [tokens(true).sort(byText), tokens(false)];
      const id = [name, group, question, ...(ordered ? others : others.sort(byText))].join("\n");
      const bucket = out.get(id) ?? new Map<string, Set<string>>();
      out.set(id, bucket);
      const stood = mine.join("\n");
      bucket.set(stood, (bucket.get(stood) ?? new Set()).add(said));
    }
  return out;
}
