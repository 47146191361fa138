import { z } from "zod";
import { hashOf } from "./hash.ts";
import type { JsonObject } from "./json.ts";

/** Confidence by case, 0..1. */
const Cases = z.record(z.string(), z.number());

/**
 * How far answers of behaviours are trusted, by case, estimated on sessions that the behaviours were not learnt from:
 * where a session's task had others in evidence, and where it had none. What is below `least` is not answered. A case
 * that is not named has the confidence of the nearest wider one.
 */
export const TrustModel = z.object({
  known: Cases,
  unknown: Cases,
  least: z.number(),
  /** Tools that are said to read: nothing is lost where a call of them is not answered. */
  reads: z.array(z.string()),
  /** Hashes of the tasks that sessions had. */
  tasks: z.array(z.string()),
});
export type TrustModel = z.infer<typeof TrustModel>;

export type Source = "program" | "recorded" | "schema" | "listing";

/** An answer of a tool, as far as its case is concerned. */
export interface Case {
  /** What answered: a behaviour, an answer recorded over it, the check of arguments against the tool's schema, or the listing, which lacks the tool. */
  readonly by?: Source;
  readonly tool: string;
  /** A success, or a refusal. */
  readonly ok: boolean;
  readonly args: JsonObject;
  /** A call before it that may have changed something was not answered. */
  readonly lost: boolean;
}

/** The widest case: any answer of the world. */
export const ANY = "";

/** The cases of an answer, from the narrowest to the widest: what was not followed before it, with which arguments it was asked, how it ended, the tool, any. */
export function casesOf({ by, tool, ok, args, lost }: Case): readonly string[] {
  if (by === "listing") return ["\nlisting"];
  if (by === "schema" || by === "recorded") return [`\n${by}\n${tool}`, `\n${by}`];
  const ended = `${tool}\n${ok ? "done" : "refused"}`;
  const asked = `${ended}\n${Object.keys(args).sort().join(" ")}`;
  return [`${asked}\n${lost ? "lost" : "followed"}`, asked, ended, tool, ANY];
}

/** Names a task in a model. */
export const taskName = (task: string): string => hashOf(task);

/** Estimates made ready to be asked by any number of worlds. */
export class Trust {
  private readonly model: TrustModel;
  private readonly tasks: ReadonlySet<string>;
  /** Tools that are said to read. */
  readonly reads: ReadonlySet<string>;

  constructor(model: TrustModel) {
    this.model = model;
    this.reads = new Set(model.reads);
    this.tasks = new Set(model.tasks);
  }

  /** Whether evidence had sessions of a task. */
  knows(task: string | undefined): boolean {
    return task !== undefined && this.tasks.has(taskName(task));
  }

  /** How likely an answer is right. 0..1 */
  confidence(of: Case, known: boolean): number {
    const cases = known ? this.model.known : this.model.unknown;
    for (const name of casesOf(of)) if (Object.hasOwn(cases, name)) return cases[name] as number;
    return 1;
  }

  /** Whether an answer of this confidence is given. */
  reaches(confidence: number): boolean {
    return confidence >= this.model.least;
  }
}
