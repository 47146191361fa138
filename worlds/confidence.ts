import { z } from "zod";
import { canonicalJson } from "./digest.ts";
import { hashOf } from "./hash.ts";
import { getOwn, type Json, type JsonObject } from "./json.ts";

/** What one wrong answer costs, in right ones: utility is right answers less so many times the wrong ones. */
export const WRONG_COSTS = 5;
/** Share of wrong answers that is accepted. */
export const ACCEPTED_WRONG = 0.02;

/** Confidence by case, 0..1. */
const Cases = z.record(z.string(), z.number());

/**
 * How far answers of behaviours are trusted, by case, estimated on sessions that the behaviours were not learnt from:
 * where a session's task had others in evidence, and where it had none. What is below `least` is not answered. A case
 * that is not named has the confidence of the nearest wider one.
 */
export const ConfidenceModel = z.object({
  known: Cases,
  unknown: Cases,
  least: z.number(),
  /** Tools that are said to read: nothing is lost where a call of them is not answered. */
  reads: z.array(z.string()),
  /** Tools that were seen to take arguments which their schema rules out; of others such a call changes nothing. */
  lenient: z.array(z.string()).optional(),
  /** How arguments with digits were written in every call that succeeded, by tool and argument, where that was one way. */
  forms: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  /** All texts that an argument was in calls that succeeded, by tool and argument, where there are hardly any others. */
  closed: z.record(z.string(), z.record(z.string(), z.array(z.string()))).optional(),
  /** Hashes of the tasks that sessions had. */
  tasks: z.array(z.string()),
});
export type ConfidenceModel = z.infer<typeof ConfidenceModel>;

export type Source = "program" | "recorded" | "schema" | "listing" | "memory";

/** An answer of a tool, as far as its case is concerned. */
export interface Case {
  /** What answered: a behaviour, a recorded answer, the schema's check of arguments, the listing, which lacks the tool, or memory. */
  readonly by?: Source;
  readonly tool: string;
  /** Its behaviour changes nothing. */
  readonly reads?: boolean;
  /** A success, or a refusal. */
  readonly ok: boolean;
  readonly args: JsonObject;
  /** A call before it that may have changed something was not answered. */
  readonly lost: boolean;
}

/** The widest cases: answers of behaviours, and those on record, of tools of which no session kept aside tells more. */
export const ANY = "";
export const RECORDED = "\nrecorded";

/** The case of calls of tools that the listing lacks. */
export const UNLISTED = "\nlisting";
/** The case of calls whose arguments their tool's schema rules out. */
export const RULED_OUT = "\nschema";

/** The cases of an answer, narrowest first: the question, calls not followed before it, arguments, how the tool ended, any. */
export function casesOf({ by, tool, ok, args, lost }: Case): readonly string[] {
  if (by === "listing") return [UNLISTED];
  if (by === "schema" || by === "recorded") return [`\n${by}\n${tool}`, `\n${by}`];
  const how = ok ? "done" : "refused";
  const heard = lost ? "lost" : "followed";
  if (by === "memory") return [`\nmemory\n${how}\n${heard}`, `\nmemory\n${how}`];
  const ended = `${tool}\n${how}`;
  const asked = `${ended}\n${Object.keys(args).sort().join(" ")}`;
  const followed = `${asked}\n${heard}`;
  return [`${followed}\n${canonicalJson(args)}`, followed, asked, ended, ANY];
}

/** Whether a case is that of a single question: its name has the values of the arguments too. */
export const isQuestion = (name: string): boolean => /\n(?:lost|followed)\n\{/.test(name);

/** How a text is written: what stands between its digits and words. Undefined of what is no text. */
export const formOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value.replace(/\d+/g, "9").replace(/\p{L}+/gu, "a") : undefined;

/** Names a task in a model. */
export const taskName = (task: string): string => hashOf(task);

/** Parts of cases that are kept with their confidence, at most: agents may name arguments as they please. */
const KEPT = 10_000;

const WAYS = ["", "ok", "lost", "lost ok", "known", "known ok", "known lost", "known lost ok"];

/** A case as far as it was asked for, part by part. */
interface CaseNode {
  readonly next: Map<string, CaseNode>;
  confidence: number | undefined;
}

/** Estimates made ready to be asked by any number of worlds. */
export class ConfidenceEstimates {
  private readonly model: ConfidenceModel;
  private readonly tasks: ReadonlySet<string>;
  /** Tools that are said to read. */
  readonly reads: ReadonlySet<string>;
  /** Tools that were seen to take arguments which their schema rules out. */
  readonly lenient: ReadonlySet<string>;
  /** Tools of which single questions have a confidence of their own. */
  private readonly questioned: ReadonlySet<string>;
  private readonly asked: CaseNode = { next: new Map(), confidence: undefined };
  private kept = 0;

  constructor(model: ConfidenceModel) {
    this.model = model;
    this.reads = new Set(model.reads);
    this.lenient = new Set(model.lenient);
    this.tasks = new Set(model.tasks);
    const names = [...Object.keys(model.known), ...Object.keys(model.unknown)];
    this.questioned = new Set(names.filter(isQuestion).map((name) => name.slice(0, name.indexOf("\n"))));
  }

  /** Whether evidence had sessions of a task. */
  knows(task: string | undefined): boolean {
    return task !== undefined && this.tasks.has(taskName(task));
  }

  /** How likely an answer is right, 0..1: after a call that was not followed no likelier than had it been. */
  confidence(of: Case, known: boolean): number {
    if (of.ok && (of.by ?? "program") === "program" && this.isOdd(of)) return 0;
    const own = this.estimate(of, known);
    return of.lost ? Math.min(own, this.estimate({ ...of, lost: false }, known)) : own;
  }

  /** Whether an argument is written as in no call that succeeded, or of few texts none. Readings may find nothing. */
  private isOdd({ tool, reads, args }: Case): boolean {
    const { forms = {}, closed = {} } = this.model;
    const given = ([name]: [string, unknown]) => Object.hasOwn(args, name);
    const written = Object.entries(getOwn(forms, tool) ?? {}).filter(given);
    if (written.some(([name, form]) => formOf(args[name]) !== form)) return true;
    if (reads || this.reads.has(tool)) return false;
    const few = Object.entries(getOwn(closed, tool) ?? {}).filter(given);
    return few.some(([name, texts]) => !texts.some((text) => text === args[name]));
  }

  private estimate(of: Case, known: boolean): number {
    const { by = "program", tool, ok, lost, args } = of;
    const asked =
      by === "program" && this.questioned.has(tool) ? this.cases(known)[casesOf(of)[0] as string] : undefined;
    if (asked !== undefined) return asked;
    const way = WAYS[(known ? 4 : 0) + (lost ? 2 : 0) + (ok ? 1 : 0)] as string;
    let place = this.next(this.next(this.next(this.asked, way), by), tool);
    for (const argument in args) place = this.next(place, argument);
    const confidence = place?.confidence ?? this.sought(of, known);
    if (place) place.confidence = confidence;
    return confidence;
  }

  /** Where a part of a case leads to; undefined where as much is kept as may be. */
  private next(place: CaseNode | undefined, part: string): CaseNode | undefined {
    const found = place?.next.get(part);
    if (found !== undefined || place === undefined || this.kept >= KEPT) return found;
    const made: CaseNode = { next: new Map(), confidence: undefined };
    this.kept++;
    place.next.set(part, made);
    return made;
  }

  private sought(of: Case, known: boolean): number {
    const cases = this.cases(known);
    for (const name of casesOf(of)) if (Object.hasOwn(cases, name)) return cases[name] as number;
    return 1;
  }

  private cases(known: boolean): ConfidenceModel["known"] {
    return known ? this.model.known : this.model.unknown;
  }

  /** Whether an answer of this confidence is given. */
  reaches(confidence: number): boolean {
    return confidence >= this.model.least;
  }
}
