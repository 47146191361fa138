import { asksForFacts } from "./checks/fact-checks.ts";
import type { Task } from "./schema.ts";

/** Of a set at most this share may call the same tools in the same order, and be put into words by rule where people's own are known. */
const SHARE = { sequence: 1 / 4, templated: 1 / 5 };
/** So many may share a sequence however small the set is. */
const FEW = 5;

/** The tools that a task's script calls, in order: what a spread set has many of. */
export const sequenceOf = ({ script }: Pick<Task, "script">): string => script.calls.map(({ tool }) => tool).join(" ");

/** How a set is spread. */
interface SpreadTerms {
  /** Whether evidence says how people ask. */
  readonly asked: boolean;
  /** Whether only a share of the set may call the same tools in the same order. */
  readonly even: boolean;
  /** Whether a refusal waits until another task has its tool do its work: who always declines would else be right. */
  readonly twins: boolean;
}

/** How a set is spread while it grows: over tool sequences, between people's words and a rule's, and refusals beside what is done. */
export class Spread {
  private readonly terms: SpreadTerms;
  private readonly done = new Set<string>();
  private readonly sequences = new Map<string, number>();
  private templated = 0;
  private total = 0;

  constructor(terms: SpreadTerms) {
    this.terms = terms;
  }

  /** Why the set cannot take a task now; `rationed` is whether a rule's words must leave room for people's. */
  refuses(task: Task, rationed: boolean): string | undefined {
    const size = this.total + 1;
    const like = this.sequences.get(sequenceOf(task)) ?? 0;
    if (this.terms.even && like >= Math.max(FEW, Math.floor(size * SHARE.sequence)))
      return "too many tasks call the same tools in this order";
    if (task.cell.words !== "templated") return undefined;
    if (this.terms.twins && this.lacksServedCounterpart(task)) return "no task has the refused tool do its work";
    if (!rationed || !this.terms.asked || this.templated + 1 <= size * SHARE.templated) return undefined;
    return "too many tasks are in a rule's words, not a person's";
  }

  /** Whether the world refuses what a task asks, and no task has that tool do its work. What documents forbid is not tried. */
  private lacksServedCounterpart({ script, cell: { operation = "", policy } }: Task): boolean {
    const tried = script.calls.some(({ tool }) => tool === operation);
    return script.class === "refused" && tried && policy === undefined && !this.done.has(operation);
  }

  add(task: Task): void {
    const sequence = sequenceOf(task);
    this.sequences.set(sequence, (this.sequences.get(sequence) ?? 0) + 1);
    if (task.cell.words === "templated") this.templated += 1;
    if (task.script.class === "answered") this.done.add(task.cell.operation ?? "");
    this.total += 1;
  }
}

/** What makes two written tasks one, whoever asks: the same script, or the same end however it is come to. */
export function sameMatter({ family, script, checks, turns }: Task): string[] {
  const isByCalls = (check: Task["checks"][number]) => check.kind === "calls_required" && check.done === true;
  if (family === "mined") return [];
  const state = checks.some(({ kind }) => kind === "state");
  const end = checks.filter((check) => check.kind === "state" || asksForFacts(check) || isByCalls(check));
  return [
    JSON.stringify([script.calls, script.answer, turns]),
    ...(state ? [JSON.stringify([script.class, end])] : []),
  ];
}
