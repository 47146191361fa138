import type { BaseState, Bundle } from "../bundle.ts";
import type { OutOfFold } from "../compile/out-of-fold.ts";
import { asOfDay } from "../floor/session-days.ts";
import type { ObservedTrace } from "../observation.ts";
import { beginning } from "../starts.ts";
import { recordedIn } from "./acts/recorded.ts";
import { type Demand, demandOf } from "./demand.ts";
import { undetermined } from "./determined.ts";
import { changed, finish } from "./draft.ts";
import { type Candidate, candidates, judgedByCalls, reserve } from "./families/sources.ts";
import { grade } from "./grading/grade.ts";
import { ungrounded } from "./grading/grounded.ts";
import { type Kit, type KitOf, makeKit } from "./kit.ts";
import { keepLosses, type Losses, lost } from "./losses.ts";
import { neighbourhood } from "./neighbourhood.ts";
import { inTurn } from "./random.ts";
import type { Family, Task } from "./schema.ts";
import { ScriptError } from "./script.ts";
import { Spread, sameMatter } from "./spread.ts";
import { playNothing, playScript } from "./trial.ts";
import { corpusOf, keepCorpus } from "./words/corpus.ts";
import { keepIdentification, withIdentity } from "./words/identity.ts";
import { keepListings } from "./words/listings.ts";
import { namedAsUsersDo } from "./words/named-rows.ts";
import { isForm } from "./words/natural.ts";
import { mixesOwners } from "./words/owners.ts";
import { doneOn, keepPolicy, type Policy, withReason } from "./words/policy.ts";
import { type Evidence, senseless } from "./words/sense.ts";
import { unlikely } from "./words/unlikely.ts";
import { keepUserCodes, saysUnheard } from "./words/user-codes.ts";
import type { Persona } from "./words/voices.ts";

/** What to write. `mined` are the traces that mined tasks may come from; families default to all that can be written by rule. */
export interface GenerateOptions {
  readonly seed: string;
  readonly count: number;
  readonly families?: readonly Family[];
  readonly mined?: readonly ObservedTrace[];
  /** Dimension values that tasks must have: any of an axis's values, on every axis named. `family` is an axis too. */
  readonly selection?: Selection;
  /** Only tasks whose script calls this tool: such a set is about one tool, and not spread over others. */
  readonly tool?: string | undefined;
  /** How much each use case is asked for: more tasks are of what is asked for more. All alike when absent. */
  readonly demand?: readonly Demand[];
  /** Texts of the documents that were pushed: what they forbid is no task to do, and what a rule cannot read of them is told. */
  readonly documents?: readonly string[];
  /** Who asks, in turn; the usual personas when absent. */
  readonly personas?: readonly Persona[];
  /** How the world answers held-out sessions: tasks that it is too poor for are written last. */
  readonly measured?: OutOfFold | undefined;
  /** Where tasks were lost on the way is counted here. */
  readonly losses?: Losses;
}

/** Values by axis. */
export type Selection = Readonly<Record<string, readonly string[]>>;

/** Whether a task has one of the values of every axis that a selection names. */
export function selected(task: Pick<Task, "family" | "cell">, selection: Selection): boolean {
  return Object.entries(selection).every(([axis, values]) =>
    values.includes(axis === "family" ? task.family : (task.cell[axis] ?? "")),
  );
}

const RULED: readonly Family[] = [
  "lookup",
  "write",
  "multi_hop",
  "guarded_write",
  "filter",
  "no_data",
  "aggregate",
  "multi_write",
  "ambiguous",
  "mined",
];

/** The surface as groups found it; with `alike` also that of each of several groups that all found the same. */
function kitsOf(
  bundle: Bundle,
  base: BaseState,
  drawn: Kit,
  losses: Losses,
  options: GenerateOptions,
  alike: boolean,
): KitOf {
  const made = new Map<string, Kit>();
  const { seed } = options;
  return (group) => {
    const begun = alike || base.others ? beginning(base, group) : base;
    if (begun === base) return { kit: drawn, start: undefined };
    const kit = made.get(group) ?? makeKit(bundle, begun, seed);
    made.set(group, kit);
    keepLosses(kit, losses);
    return { kit, start: group };
  };
}

/** A task with changes, and whether the given documents state conditions of its tools that no rule reads. */
function told(task: Task, { unread, guards }: Policy, kit: Kit): Task {
  if (unread.size === 0 && guards.length === 0) return task;
  const writes = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  const used = task.script.calls.filter(({ tool }) => writes.has(tool));
  if (used.length === 0) return task;
  const policy = used.some(({ tool }) => unread.has(tool)) ? "not_checked" : "kept";
  return changed(task, { cell: { ...task.cell, policy } });
}

/** A task whose words say who asks and why, where people say that first; else why they cannot. */
function identified(kit: Kit, asked: Task, policy: Policy): Task | string {
  const request = withReason(policy, asked);
  if (request === undefined) return "nothing says why it is asked for";
  const task = request === asked.request ? asked : changed(asked, { request });
  try {
    const right = () => playScript(kit.fork(), task.script, task.turns.length + 1);
    const said = withIdentity(kit, task, right, kit.rng.fork(`who ${task.id}`));
    if (said === undefined) return "nothing says who asks";
    return said.request === task.request ? task : changed(task, { request: said.request });
  } catch (error) {
    if (error instanceof ScriptError) return "its script leads nowhere";
    throw error;
  }
}

// An interval over tasks needs 20 to hold, and a review may refuse a fifth.
const ENOUGH = 25;

/** Whether a draft is a task: its script passes the checks, doing nothing fails, both follow from request and world. */
function stands(kit: Kit, task: Task, evidence: Evidence): boolean {
  const why = problemOf(kit, task, evidence);
  if (why !== undefined) lost(kit, `${task.family} drafts`, why);
  return why === undefined;
}

function problemOf(kit: Kit, task: Task, evidence: Evidence): string | undefined {
  try {
    const turns = task.turns.length + 1;
    const right = playScript(kit.fork(), task.script, turns);
    if (grade(task, right, kit).end !== "met") return "its script does not meet its checks";
    if (grade(task, playNothing(turns), kit).end !== "failed") return "doing nothing does not fail";
    return (
      senseless(kit, task, right, evidence) ?? undetermined(kit, task, right)[0] ?? ungrounded(kit, task, right)[0]
    );
  } catch (error) {
    if (error instanceof ScriptError) return "its script leads nowhere";
    throw error;
  }
}

/**
 * Tasks by rule on a drawn surface, at most `count`, families in turn and within each those cells first that are
 * least covered for what is asked for them. Each is met by its script and failed by silence; the review decides the
 * rest. The same inputs and seed give the same tasks.
 */
export function generateTasks(bundle: Bundle, base: BaseState, given: GenerateOptions): Task[] {
  const traces = asOfDay(given.mined ?? [], bundle.now);
  const options = { ...given, mined: traces };
  const kit = makeKit(bundle, base, options.seed);
  const corpus = corpusOf(traces);
  const losses: Losses = options.losses ?? new Map();
  const policy = keepPolicy(kit, options.documents ?? []);
  keepLosses(kit, losses);
  keepCorpus(kit, corpus);
  keepUserCodes(kit, traces, corpus);
  keepIdentification(kit, traces);
  keepListings(kit, recordedIn(traces));
  const evidence = { mixed: mixesOwners(kit, traces), done: doneOn(kit, policy, traces) };
  const selection = options.selection ?? {};
  const wanted = (options.families ?? RULED).filter((family) => selection.family?.includes(family) ?? true);
  const kits = kitsOf(bundle, base, kit, losses, options, false);
  const groups = kitsOf(bundle, base, kit, losses, options, true);
  const families = wanted.flatMap((family) => {
    const source = candidates(kit, kits, family, options, corpus);
    return source
      ? [
          {
            family,
            source,
            waiting: [] as Task[],
            later: [] as Task[],
            spare: [] as Task[],
            held: [] as { readonly task: Task; readonly why: string }[],
            coded: [] as Candidate[],
            written: 0,
          },
        ]
      : [];
  });
  const tasks: Task[] = [];
  const taken = new Set<string>();
  const covered = new Map<string, number>();
  const asked = options.demand?.length ? demandOf(options.demand) : undefined;
  const coveredBy = (task: Task) =>
    ["operation", "object", "data_condition", "use_case"].reduce(
      (sum, axis) => sum + (covered.get(`${axis}=${task.cell[axis]}`) ?? 0),
      0,
    );
  // What is asked for twice as much is as well covered by twice as many tasks.
  const weight = (task: Task) => (asked ? (coveredBy(task) + 1) / asked(task.cell.use_case) : coveredBy(task));
  const AHEAD = asked ? 24 : 6;
  const MOST_WAITING = 60;
  const { tool } = options;
  const spread = new Spread({
    asked: corpus.enough,
    even: tool === undefined,
    // A set of chosen cells need not hold what its refusals are the twins of.
    twins:
      tool === undefined &&
      Object.keys(selection).length === 0 &&
      (wanted.includes("write") || wanted.includes("multi_write")),
  });
  let rationed = true;
  let [reserved, byCalls] = [true, false];
  const enough = () => tasks.length >= (rationed && reserved ? options.count : Math.min(options.count, ENOUGH));
  while (!enough()) {
    let added = false;
    // Where words leave room for few, the family with the fewest goes first: the first of all would take each place.
    for (const entry of families.toSorted((a, b) => a.written - b.written)) {
      const { family } = entry;
      if (enough()) break;
      const fits = (task: Task) => spread.refuses(task, rationed) === undefined;
      while (entry.waiting.length < MOST_WAITING && entry.waiting.filter(fits).length < AHEAD) {
        const next = entry.source.next();
        if (next.done) break;
        const asked = finish(next.value.draft);
        const named = reserved ? asked : namedAsUsersDo(next.value.kit ?? kit, asked, kit);
        const task = identified(kit, told(named, policy, kit), policy);
        if (typeof task === "string") {
          lost(kit, `${family} drafts`, task);
          continue;
        }
        const matters = [task.request, ...sameMatter(task)];
        if (matters.some((one) => taken.has(one))) lost(kit, `${family} drafts`, "is another task already");
        if (matters.some((one) => taken.has(one)) || !selected(task, selection)) continue;
        if (tool !== undefined && !task.script.calls.some((call) => call.tool === tool)) continue;
        const unheard = saysUnheard(kit, task);
        if (unheard && reserved) entry.coded.push(next.value);
        if (unheard && !reserved) lost(kit, `${family} drafts`, "says a code that users do not say");
        if (unheard || !stands(next.value.kit ?? kit, task, evidence)) continue;
        for (const one of matters) taken.add(one);
        const asPeople = !corpus.enough || family === "mined" || !isForm(task.request);
        const poor = unlikely(next.value.kit ?? kit, task) !== undefined;
        const held = neighbourhood(task, (next.value.kit ?? kit).base, options.measured)?.poor;
        if (held !== undefined && entry.held.length < MOST_WAITING) entry.held.push({ task, why: held });
        else if (held !== undefined) lost(kit, "held drafts", held);
        else if (poor && entry.later.length < MOST_WAITING) entry.later.push(task);
        else if (poor) break;
        else if (!rationed || asPeople) entry.waiting.push(task);
        else if (entry.spare.length < MOST_WAITING) entry.spare.push(task);
      }
      // A family that has nothing else to say is not left out for its words.
      if (entry.waiting.length === 0 && entry.written === 0) entry.waiting.push(...entry.later.splice(0, 1));
      if (entry.waiting.length === 0 && entry.written === 0) entry.waiting.push(...entry.spare.splice(0, 1));
      entry.waiting.sort((a, b) => weight(a) - weight(b));
      const [task] = entry.waiting.splice(entry.waiting.findIndex(fits), entry.waiting.some(fits) ? 1 : 0);
      if (!task) continue;
      tasks.push(task);
      spread.add(task);
      entry.written += 1;
      added = true;
      for (const [axis, value] of Object.entries(task.cell))
        covered.set(`${axis}=${value}`, (covered.get(`${axis}=${value}`) ?? 0) + 1);
    }
    if (added) continue;
    if (families.some(({ later }) => later.length > 0)) {
      for (const { waiting, later } of families) waiting.push(...later.splice(0));
      continue;
    }
    if (reserved && !enough() && tasks.length < ENOUGH) {
      reserved = false;
      for (const entry of families) {
        const more = reserve(kit, kits, entry.family, options, corpus) ?? entry.source;
        entry.source = inTurn(more, entry.coded.splice(0).values());
      }
      continue;
    }
    // Whose end is known comes first: what is judged by its call alone takes no place of it.
    if (!byCalls && tasks.length < ENOUGH) {
      byCalls = true;
      for (const entry of families)
        entry.source = judgedByCalls(kit, groups, entry.family, options, corpus) ?? entry.source;
      continue;
    }
    if (!rationed) break;
    // Nothing else can be written: where that is too little to compare agents on, a rule's words are better than no task.
    rationed = tasks.length >= ENOUGH;
    if (rationed) break;
    for (const { waiting, spare } of families) waiting.push(...spare.splice(0));
  }
  if (enough()) return tasks;
  // What the world is too poor for takes no place of another task, and waits for more sessions beside those that count.
  for (const { task, why } of families.flatMap(({ held }) => held)) {
    if (tasks.length >= Math.min(options.count, ENOUGH) || spread.refuses(task, rationed) !== undefined)
      lost(kit, "held drafts", why);
    else tasks.push(task);
  }
  for (const { family, waiting, spare } of families) {
    for (const task of waiting) lost(kit, `${family} drafts`, spread.refuses(task, rationed) ?? "no round was left");
    for (const _ of spare) lost(kit, `${family} drafts`, "reads like a form");
  }
  return tasks;
}
