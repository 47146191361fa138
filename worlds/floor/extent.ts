import { isObject, type Json, type JsonObject } from "../json.ts";

/** What of a tool's answers the calls of an act may change: any, those to questions that name what the call named, or none. */
export type Extent = "any" | "named" | "none";

/** How far acts reach; `any` where nothing shows less. */
export type ExtentLookup = (act: string, asked: string) => Extent;

/** A call that may have changed something, as far as it is compared with questions. */
export interface Acted {
  readonly act: string;
  readonly question: string;
  readonly scalars: ReadonlySet<string>;
}

/** A call of a session with what it was answered, as sessions are compared. */
export interface Seen extends Acted {
  readonly tool: string;
  readonly answer: string;
  /** It succeeded, and its tool is not known to change nothing. */
  readonly writes: boolean;
}

/** Sessions that have to show that an act leaves a tool's answers alone: one may have met a value that was there before. */
const LEAST = 2;
/** A question asked again after more calls than these shows little of any one of them. */
const FAR = 60;
/** Characters of a text that tell its form. */
const LONGEST = 80;

/** A tool with the form of its answer: what ended otherwise may have changed otherwise. The tool alone where it was not answered. */
export function actOf(tool: string, args: JsonObject, value: Json | undefined): string {
  if (value === undefined) return tool;
  if (isObject(value)) return `${tool}\n${Object.keys(value).sort().join()}`;
  if (typeof value !== "string") return `${tool}\n${Array.isArray(value) ? "list" : typeof value}`;
  let text = value;
  for (const scalar of [...scalarsOf(args)].sort((a, b) => b.length - a.length))
    if (scalar !== "") text = text.replaceAll(scalar, "#");
  return `${tool}\n${text.replace(/\d+/g, "0").slice(0, LONGEST)}`;
}

/** Texts and numbers in arguments, at any depth. */
export function scalarsOf(args: Json): Set<string> {
  const out = new Set<string>();
  const add = (value: Json): void => {
    if (typeof value === "string" || typeof value === "number") out.add(String(value));
    else if (Array.isArray(value)) for (const item of value) add(item);
    else if (isObject(value)) for (const item of Object.values(value)) add(item);
  };
  add(args);
  return out;
}

/** Of the calls so far those that may have changed what a question is answered, in order. */
export function relevant(
  before: readonly Acted[],
  tool: string,
  scalars: ReadonlySet<string>,
  reaches: ExtentLookup,
): Acted[] {
  return before.filter(({ act, scalars: own }) => {
    const extent = reaches(act, tool);
    return extent === "any" || (extent === "named" && !isApart(own, scalars));
  });
}

/** How far an act reaches: as its form shows, or else as all calls of its tool do. */
export const extentIn =
  (known: (act: string, asked: string) => Extent | undefined): ExtentLookup =>
  (act, asked) =>
    known(act, asked) ?? known(toolOf(act), asked) ?? "any";

/** One question that was asked twice, of one session or of sessions that start alike, and the acts between. */
interface Pair {
  readonly session: number;
  readonly alike: boolean;
  /** Act and whether it named what the question names. */
  readonly between: ReadonlySet<string>;
}

const NAMED = "named\n";
const OTHER = "other\n";

/**
 * How far acts reach, by the tool that is asked: a question is compared with the same one before in its session, or at
 * the untouched start of its task. The fewest acts that explain all changes made them; what two sessions at least show
 * to leave answers alone does. Deterministic.
 */
export function extentsOf(
  sessions: readonly (readonly Seen[])[],
  groups: readonly string[],
): Map<string, Map<string, Extent>> {
  const starts = startsOf(sessions, groups);
  const pairs = new Map<string, Pair[]>();
  sessions.forEach((calls, session) => {
    const acted: { readonly at: number; readonly call: Seen }[] = [];
    const last = new Map<string, number>();
    calls.forEach((call, j) => {
      const i = last.get(call.question);
      const before =
        i === undefined
          ? (starts.get(`${groups[session]}\n${call.question}`) ?? starts.get(call.question))
          : calls[i]?.answer;
      if (before !== undefined && j - (i ?? 0) <= FAR) {
        const between = acted.filter(({ at }) => i === undefined || at >= i);
        const named = between.map(({ call: own }) => (isApart(own.scalars, call.scalars) ? OTHER : NAMED) + own.act);
        const own = pairs.get(call.tool) ?? [];
        pairs.set(call.tool, own);
        if (named.length > 0) own.push({ session, alike: before === call.answer, between: new Set(named) });
      }
      last.set(call.question, j);
      if (call.writes) acted.push({ at: j, call });
    });
  });
  return new Map([...pairs].map(([asked, own]) => [asked, extentOf(own)]));
}

/** What questions are answered before any act, by group where its sessions agree, and of all where several groups do. */
function startsOf(sessions: readonly (readonly Seen[])[], groups: readonly string[]): ReadonlyMap<string, string> {
  const answers = new Map<string, Set<string>>();
  const askers = new Map<string, Set<string>>();
  sessions.forEach((calls, session) => {
    const group = groups[session] as string;
    for (const { question, answer, writes } of calls) {
      for (const key of [`${group}\n${question}`, question])
        answers.set(key, (answers.get(key) ?? new Set()).add(answer));
      askers.set(question, (askers.get(question) ?? new Set()).add(group));
      if (writes) break;
    }
  });
  const several = (key: string) => (askers.get(key)?.size ?? LEAST) >= LEAST;
  return new Map(
    [...answers].flatMap(([key, [answer, ...others]]) =>
      answer === undefined || others.length > 0 || !several(key) ? [] : [[key, answer] as const],
    ),
  );
}

/** By form, where a form is seen to change answers or to leave them alone, and by tool, all forms together. */
function extentOf(pairs: readonly Pair[]): Map<string, Extent> {
  const ofTool = (name: string) => name.slice(0, OTHER.length) + toolOf(name.slice(OTHER.length));
  const byTool = decided(pairs.map((pair) => ({ ...pair, between: new Set([...pair.between].map(ofTool)) })));
  // A form is seen seldom: what the tools explain is not put down to a form of another one.
  const isSuspect = (name: string) => byTool.causes.has(ofTool(name));
  const byForm = decided(
    pairs.map((pair) => (pair.alike ? pair : { ...pair, between: new Set([...pair.between].filter(isSuspect)) })),
  );
  const own = [...byForm.extents].filter(([act, extent]) => extent !== (byTool.extents.get(toolOf(act)) ?? "any"));
  return new Map([...byTool.extents, ...own]);
}

function decided(pairs: readonly Pair[]): {
  readonly extents: Map<string, Extent>;
  readonly causes: ReadonlySet<string>;
} {
  const alone = new Map<string, Set<number>>();
  for (const { alike, between, session } of pairs)
    if (alike) for (const name of between) alone.set(name, (alone.get(name) ?? new Set()).add(session));
  const causes = new Set<string>();
  for (let open = pairs.filter(({ alike, between }) => !alike && between.size > 0); open.length > 0; ) {
    const cause = likeliest(open, alone);
    causes.add(cause);
    open = open.filter(({ between }) => !between.has(cause));
  }
  const leaves = (name: string) => !causes.has(name) && (alone.get(name)?.size ?? 0) >= LEAST;
  const out = new Map<string, Extent>();
  for (const act of new Set([...alone.keys(), ...causes].map((name) => name.slice(OTHER.length))))
    if (leaves(OTHER + act)) out.set(act, leaves(NAMED + act) ? "none" : "named");
    else if (causes.has(OTHER + act)) out.set(act, "any");
  return { extents: out, causes };
}

const toolOf = (act: string): string => act.split("\n", 1)[0] as string;

function isApart(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const one of a) if (b.has(one)) return false;
  return true;
}

/** The act that most often stands in a change of those around which something was asked again; the smaller name on a tie. */
function likeliest(open: readonly Pair[], alone: ReadonlyMap<string, ReadonlySet<number>>): string {
  const hits = new Map<string, number>();
  for (const { between } of open) for (const name of between) hits.set(name, (hits.get(name) ?? 0) + 1);
  let best = "";
  let top = -1;
  for (const [name, n] of [...hits].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const score = n / (n + (alone.get(name)?.size ?? 0));
    if (score > top) [best, top] = [name, score];
  }
  return best;
}
