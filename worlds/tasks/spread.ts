import type { Task } from "./schema.ts";

/** Of a set at most this share may call the same tools in the same order, and be put into words by rule where people's own are known. */
const SHARE = { sequence: 1 / 4, templated: 1 / 5 };
/** So many may share a sequence however small the set is. */
const FEW = 5;

/** The tools that a task's script calls, in order: what a spread set has many of. */
export const sequenceOf = ({ script }: Pick<Task, "script">): string => script.calls.map(({ tool }) => tool).join(" ");

/** How a set is spread while it grows: over tool sequences, and between people's words and a rule's. */
export class Spread {
  private readonly sequences = new Map<string, number>();
  private readonly asked: boolean;
  private templated = 0;
  private total = 0;

  /** `asked` is whether evidence says how people ask. */
  constructor(asked: boolean) {
    this.asked = asked;
  }

  /** Whether the set may take a task now; `rationed` is whether a rule's words must leave room for people's. */
  takes(task: Task, rationed: boolean): boolean {
    const size = this.total + 1;
    const like = this.sequences.get(sequenceOf(task)) ?? 0;
    if (like >= Math.max(FEW, Math.ceil(size * SHARE.sequence))) return false;
    return !(rationed && this.asked && task.cell.words === "templated") || this.templated + 1 <= size * SHARE.templated;
  }

  add(task: Task): void {
    const sequence = sequenceOf(task);
    this.sequences.set(sequence, (this.sequences.get(sequence) ?? 0) + 1);
    if (task.cell.words === "templated") this.templated += 1;
    this.total += 1;
  }
}

/** What makes two tasks of a rule's words one, whoever asks: the same script, or the same end however it is come to. */
export function sameMatter({ cell, script, checks, turns }: Task): string[] {
  if (cell.words !== "templated") return [];
  const state = checks.some(({ kind }) => kind === "state");
  const end = checks.filter(({ kind }) => kind === "state" || kind === "answer_includes");
  return [
    JSON.stringify([script.calls, script.answer, turns]),
    ...(state ? [JSON.stringify([script.class, end])] : []),
  ];
}

/** The tasks without refusals by a rule whose tool no other task lets do its work: who always declines would be right there. */
export function withTwins(tasks: readonly Task[]): Task[] {
  const done = new Set(
    tasks.flatMap(({ script, cell }) => (script.class === "answered" ? [cell.operation ?? ""] : [])),
  );
  return tasks.filter(
    ({ script, cell }) => cell.words !== "templated" || script.class !== "refused" || done.has(cell.operation ?? ""),
  );
}
