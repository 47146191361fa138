import type { Context } from "../history/course.ts";
import type { TrustModel } from "../history/schema.ts";
import type { Support } from "../history/table.ts";
import type { JsonObject } from "../json.ts";

/** What answers a call: the behaviour, a recorded answer over it, the check of its arguments, or what sessions heard in a context. */
export type Source = Made | Context;
/** What is no memory of sessions. */
export type Made = "program" | "recorded" | "schema";

/** The case of an answer, as cells from the narrowest to the widest. */
export type CellPath = readonly string[];

/** The cells of a behaviour's answer: tool, outcome, and which arguments are given. */
export function programCells(source: Made, tool: string, ok: boolean, args: JsonObject): CellPath {
  const outcome = ok ? "ok" : "refused";
  return [
    `${source}|${tool}|${outcome}|${Object.keys(args).sort().join(",")}`,
    `${source}|${tool}|${outcome}`,
    `${source}|${tool}`,
    source,
  ];
}

/** The cell of a refusal that no such tool is known. */
export const NO_TOOL = "schema|no tool";

/** The cells of what sessions heard in a context: tool, outcome, and how well it is borne out. */
export function contextCells(context: Context, tool: string, ok: boolean, support: Support): CellPath {
  const outcome = ok ? "ok" : "refused";
  return [`${context}|${tool}|${outcome}|${support}`, `${context}||${outcome}|${support}`, context];
}

/** What an answer of a source is worth before anything is known of it: its share of right ones, and in how many answers that was seen. */
export const BEFORE: Readonly<Record<Source, { readonly right: number; readonly weight: number }>> = {
  exact: { right: 0.995, weight: 8 },
  recorded: { right: 0.97, weight: 4 },
  program: { right: 0.97, weight: 4 },
  schema: { right: 0.97, weight: 1 },
  task: { right: 0.97, weight: 4 },
  relevant: { right: 0.95, weight: 4 },
  about: { right: 0.9, weight: 4 },
  any_exact: { right: 0.9, weight: 4 },
  any_relevant: { right: 0.8, weight: 4 },
  any_about: { right: 0.8, weight: 4 },
  any_last: { right: 0.7, weight: 4 },
  any: { right: 0.8, weight: 4 },
};

/** How far each way to answer is trusted, where the task of a session is known or not. */
export class Trust {
  private readonly model: TrustModel | undefined;

  /** Without a model, as of a bundle of before, everything is trusted as it was. */
  constructor(model: TrustModel | undefined) {
    this.model = model;
  }

  /** Whether anything was estimated. */
  get known(): boolean {
    return this.model !== undefined;
  }

  /** The confidence of an answer, 0..1. */
  confidence(known: boolean, cells: CellPath): number {
    const own = this.model?.[known ? "known" : "unknown"].cells;
    const last = cells.at(-1) as Source;
    // Where nothing of a tool was tried.
    const path = [...cells.slice(0, -1), `${last}|`, last];
    for (const cell of path) {
      const found = own && Object.hasOwn(own, cell) ? own[cell] : undefined;
      if (found !== undefined) return found;
    }
    return BEFORE[last].right;
  }

  /** Whether an answer of this confidence is given. */
  reaches(known: boolean, confidence: number): boolean {
    return this.model === undefined || confidence >= this.model[known ? "known" : "unknown"].least;
  }
}
