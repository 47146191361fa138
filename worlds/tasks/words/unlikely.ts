import type { Json } from "../../json.ts";
import { scalarsOf } from "../acts/recorded.ts";
import { humanize, singular } from "../checks/words.ts";
import type { Kit } from "../kit.ts";
import type { FinishedTrial, Task } from "../schema.ts";
import { playScript } from "../trial.ts";

type Call = FinishedTrial["calls"][number];

const textsOf = (value: unknown): string[] =>
  scalarsOf(value as Json).flatMap(({ value: text }) => (typeof text === "string" && text !== "" ? [text] : []));

const rowsOf = ({ changes = [] }: Call): string[] => changes.map(({ table, key }) => `${table}\n${key}`);

/** Whether changes are of one thing: all name what the first one named or made, or change its row. */
function areOfOne(first: Call, others: readonly Call[]): boolean {
  const named = [...textsOf(first.args), ...textsOf(first.answer)];
  return (
    named.some((text) => others.every(({ args }) => textsOf(args).includes(text))) ||
    rowsOf(first).some((row) => others.every((one) => rowsOf(one).includes(row)))
  );
}

/** How far a thing is: who adds one does not say so, while how many or how much is a wish of its own. */
const isProgress = (name: string, value: unknown): boolean =>
  typeof value === "number" && /percent|progress|complet/i.test(name);

/** The call that made a row which another one changes. */
function makerOf(later: Call, earlier: readonly Call[]): Call | undefined {
  if (later.changes?.some(({ before }) => before === undefined)) return undefined;
  const rows = new Set(rowsOf(later));
  return earlier.find(({ changes = [] }) =>
    changes.some(({ table, key, before }) => before === undefined && rows.has(`${table}\n${key}`)),
  );
}

/** What a change gives besides what the call was answered that made its thing. */
function furtherArguments({ args }: Call, maker: Call): [string, unknown][] {
  const known = new Set(textsOf(maker.answer));
  return Object.entries(args).filter(([, value]) => !textsOf({ value }).some((text) => known.has(text)));
}

const isSentence = (value: unknown): boolean => typeof value === "string" && /\S\s+\S+\s+\S/.test(value);

/**
 * Whether a change only takes away or ends what an earlier one has just made, if with a sentence about it, gives again
 * what that one gave, or what its tool `takes` besides, or how far it is: who adds a task may have it marked as begun, but
 * names it once.
 */
function isOfWhatIsNew(later: Call, earlier: readonly Call[], takes: (tool: string) => readonly string[]): boolean {
  const maker = makerOf(later, earlier);
  if (maker === undefined) return false;
  const given = furtherArguments(later, maker);
  const named = new Set([...scalarsOf(maker.args as Json).map(({ name }) => name), ...takes(maker.tool)]);
  return (
    given.every(([, value]) => isSentence(value)) ||
    given.some(([name, value]) => named.has(name) || isProgress(name, value))
  );
}

/** Whether a change adds to a list that an earlier one has just made a thing with: who plans a request names its tasks at once. */
function addsToWhatIsNew({ args }: Call, earlier: readonly Call[]): boolean {
  return earlier.some((maker) => {
    const given = new Set(textsOf(maker.args));
    const made = new Set(textsOf(maker.answer).filter((text) => !given.has(text)));
    return (
      maker.changes?.some(({ before }) => before === undefined) &&
      textsOf(args).some((text) => made.has(text)) &&
      Object.entries(args).some(([name, value]) => Array.isArray(value) && Array.isArray(maker.args[name]))
    );
  });
}

/** Whether a change makes something else of what an earlier one has just made: people ask for that once it is there. */
export function revises(
  later: Call,
  earlier: readonly Call[],
  takes: (tool: string) => readonly string[] = () => [],
): boolean {
  return isOfWhatIsNew(later, earlier, takes) || addsToWhatIsNew(later, earlier);
}

const nounsOf = (name: string): string[] => humanize(name).split(" ").map(singular);

/** Takes a thing away, if only from what is shown. */
const TAKES_AWAY = /^(?:archive|cancel|delete|discard|drop|remove|withdraw)\b/;

/**
 * Whether a change takes a new thing away again, or ends what a tool of the surface would have to begin first: who
 * resolves a blocker has set one.
 */
export function isFutile({ tools }: Pick<Kit, "tools">, later: Call, earlier: readonly Call[]): boolean {
  const maker = makerOf(later, earlier);
  if (maker === undefined || furtherArguments(later, maker).length > 0) return false;
  if (TAKES_AWAY.test(humanize(later.tool))) return true;
  const things = new Set([maker.tool, ...(later.changes ?? []).map(({ table }) => table)].flatMap(nounsOf));
  const [verb, ...nouns] = nounsOf(later.tool);
  const ended = nouns.filter((noun) => !things.has(noun));
  const begin = tools.filter(({ name, effect }) => {
    const [other, ...own] = nounsOf(name);
    return effect === "write" && other !== verb && own.some((noun) => ended.includes(noun));
  });
  return begin.length > 0 && !begin.some(({ name }) => earlier.some(({ tool }) => tool === name));
}

/** How `wantAll` begins a wish that stands in a sentence of its own. */
const NEXT_SENTENCE = /(?:^|\s)(?:Also|Then|Finally), please /;

/**
 * Why few people ask in one breath for changes that were made by these calls: one takes away or gives again what another
 * has just made, or they have nothing to do with each other. Undefined where nothing tells against it.
 */
export function strange(request: string, changes: readonly Call[], turns: readonly string[] = []): string | undefined {
  const [first, ...others] = changes;
  if (first === undefined || others.length === 0) return undefined;
  const atOnce = turns.length === 0;
  if (atOnce && others.some((one, i) => revises(one, changes.slice(0, i + 1)))) return "changes what it has just made";
  return NEXT_SENTENCE.test(request) && !areOfOne(first, others) ? "joins changes of different things" : undefined;
}

/** A thing's part by its code, as it stands in a form: "an item of my order: product P-21". */
const BY_CODE = /: [a-z]+ [A-Z]{1,4}-?\d+\b/;

/** Where one lives oneself: nobody asks for it. */
export const OWN_PLACE = /\b(?:city|state|country) on my account\b/;

/** A code that stands for none: "task-0000". */
const NO_CODE = /\b[a-z]+[-_]?0{3,}\b/i;
/** A count that a form has a field for: people count what they bought themselves. */
const MOST_OF = /\bwhich .*\b(?:my|order)\b.* has the (?:highest|lowest) (?:quantity|count|units?)\b/i;

/** Whether a request names a part by its code or a thing by none, or asks where its user lives or of what there are most. */
export function isOddQuestion({ request }: Pick<Task, "request">): boolean {
  return [BY_CODE, OWN_PLACE, MOST_OF, NO_CODE].some((odd) => odd.test(request));
}

/** Why few people would ask for a task's changes: such a task is written where there is no better one. */
export function unlikely(kit: Kit, task: Task): string | undefined {
  if (task.family === "mined") return undefined;
  if (isOddQuestion(task)) return "is an odd question";
  if (task.script.calls.length < 2) return undefined;
  const writes = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  const { calls } = playScript(kit.fork(), task.script, task.turns.length + 1);
  // What a change did that is judged by its call nothing shows.
  const judged = new Set(
    task.checks
      .flatMap((check) => (check.kind === "calls_required" && check.done ? check.calls : []))
      .map(({ tool }) => tool),
  );
  const changes = calls.filter(({ tool, changed }) => judged.has(tool) || (changed && writes.has(tool)));
  if (changes.some((one, i) => isFutile(kit, one, changes.slice(0, i)))) return "takes back what it has just made";
  return strange(task.request, changes, task.turns);
}
