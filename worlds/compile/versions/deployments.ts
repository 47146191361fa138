import { asOfNewestDay } from "../../floor/session-days.ts";
import { isObject, type Json } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { type Call, observe, type Session } from "../observations.ts";
import { byText } from "../values.ts";
import { type ChangedTool, changesBetween, LEAST_SESSIONS, type Source, versionsOf } from "./contradictions.ts";

/** The traces of the version of a system that is compiled, and how many spoke of an older one. */
export interface Deployment {
  readonly traces: readonly ObservedTrace[];
  readonly setAside: number;
  /** Which tools answer the kept and the others differently, where both were asked the same. */
  readonly changed: readonly ChangedTool[];
}

/** How many tools must answer two groups of traces in different forms, and more than half of those that both called. */
const LEAST_TOOLS = 3;

/**
 * The traces of the newest deployment of a system. Where sources contradict each other, or most tools answer one group
 * of traces with other fields than another group and no trace ever saw both, the traces are of two systems (a system
 * before and after a change); compiled together they would be neither. Deterministic, near-linear in calls.
 */
export function newestDeployment(traces: readonly ObservedTrace[]): Deployment {
  const sessions = observe(asOfNewestDay(traces));
  const older = new Set(contradicting(traces, sessions));
  // Of what is left: each looks for the newest among the traces that it is given.
  const aside = new Set([...older, ...otherForms(sessions.filter(({ id }) => !older.has(id)))]);
  const kept = traces.filter((trace) => !aside.has(trace.id));
  const [before, now] = [true, false].map((is) => sessions.filter(({ id }) => aside.has(id) === is));
  const changed = aside.size === 0 ? [] : changesBetween(before ?? [], now ?? []);
  return { traces: kept, setAside: traces.length - kept.length, changed };
}

/** The traces of sources that contradict the newest version. */
function contradicting(traces: readonly ObservedTrace[], sessions: readonly Session[]): string[] {
  const sourceOf = new Map(traces.map(({ id, source = "" }) => [id, source]));
  const bySource = Map.groupBy(sessions, ({ id }) => sourceOf.get(id) ?? "");
  const sources = [...bySource].map(([name, own]): Source => ({ name, sessions: own }));
  const versions = versionsOf(sources)
    .map((own) => own.flatMap((source) => source.sessions))
    .filter((own) => own.length >= LEAST_SESSIONS)
    .sort(newestFirst);
  return versions.slice(1).flatMap((own) => own.map(({ id }) => id));
}

function otherForms(sessions: readonly Session[]): string[] {
  const seen = sessions.map((session) => ({ session, forms: formsOf(session.calls) }));
  const groups = groupByForms(seen, exclusiveTools(seen)).sort((a, b) => newestFirst(a.sessions, b.sessions));
  const [first] = groups;
  const older = groups.filter((group) => first !== undefined && group !== first && areApart(first, group));
  return older.flatMap((group) => group.sessions.map((session) => session.id));
}

/** One trace with the forms of each tool's answers in it. */
interface Seen {
  readonly session: Session;
  readonly forms: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Group {
  readonly sessions: Session[];
  readonly forms: Map<string, Set<string>>;
}

/** Tools that answer in more than one frequent form, and never in two of them within one trace. */
function exclusiveTools(seen: readonly Seen[]): Set<string> {
  const traces = new Map<string, Map<string, number>>();
  const mixed = new Set<string>();
  for (const { forms } of seen) {
    for (const [tool, own] of forms) {
      if (own.size > 1) mixed.add(tool);
      const counts = traces.get(tool) ?? new Map<string, number>();
      for (const form of own) counts.set(form, (counts.get(form) ?? 0) + 1);
      traces.set(tool, counts);
    }
  }
  const frequent = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].filter((n) => n >= LEAST_SESSIONS).length;
  return new Set(
    [...traces].filter(([tool, counts]) => !mixed.has(tool) && frequent(counts) > 1).map(([tool]) => tool),
  );
}

/** Traces joined wherever an exclusive tool answered both in one form. Traces that called none stand in no group. */
function groupByForms(seen: readonly Seen[], exclusive: ReadonlySet<string>): Group[] {
  const parent = new Map<string, string>();
  const find = (node: string): string => {
    const up = parent.get(node) ?? node;
    if (up === node) return node;
    const root = find(up);
    parent.set(node, root);
    return root;
  };
  const nodesOf = ({ forms }: Seen) =>
    [...forms].flatMap(([tool, own]) => (exclusive.has(tool) ? [...own].map((form) => `${tool}\n${form}`) : []));
  for (const one of seen) {
    const [first, ...rest] = nodesOf(one);
    for (const node of rest) parent.set(find(node), find(first ?? node));
  }
  const groups = new Map<string, Group>();
  for (const one of seen) {
    const [first] = nodesOf(one);
    if (first === undefined) continue;
    const group: Group = groups.get(find(first)) ?? { sessions: [], forms: new Map() };
    group.sessions.push(one.session);
    for (const [tool, own] of one.forms) group.forms.set(tool, new Set([...(group.forms.get(tool) ?? []), ...own]));
    groups.set(find(first), group);
  }
  return [...groups.values()];
}

function areApart(a: Group, b: Group): boolean {
  if (b.sessions.length < LEAST_SESSIONS) return false;
  const shared = [...a.forms.keys()].filter((tool) => b.forms.has(tool));
  const apart = shared.filter((tool) => [...(a.forms.get(tool) ?? [])].every((form) => !b.forms.get(tool)?.has(form)));
  return apart.length >= LEAST_TOOLS && apart.length > shared.length / 2;
}

/** Newest by the latest start of a trace, else the larger one, else by the first trace's name. */
function newestFirst(a: readonly Session[], b: readonly Session[]): number {
  const latest = (sessions: readonly Session[]) => sessions.reduce((at, session) => Math.max(at, session.at), 0);
  const name = (sessions: readonly Session[]) => sessions[0]?.id ?? "";
  return latest(b) - latest(a) || b.length - a.length || byText(name(a), name(b));
}

function formsOf(calls: readonly Call[]): Map<string, Set<string>> {
  const forms = new Map<string, Set<string>>();
  for (const { tool, ok, value } of calls) {
    const form = ok ? fieldsOf(value) : undefined;
    if (form !== undefined) forms.set(tool, (forms.get(tool) ?? new Set()).add(form));
  }
  return forms;
}

/** The fields of an object, or of a list's first row; undefined for answers that have none. */
function fieldsOf(value: Json): string | undefined {
  const row = Array.isArray(value) ? (value.flat()[0] ?? null) : value;
  if (!isObject(row)) return undefined;
  const fields = Object.keys(row).sort();
  return fields.length < 2 ? undefined : fields.join(",");
}
