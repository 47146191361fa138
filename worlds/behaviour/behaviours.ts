import type { Case, ConfidenceEstimates, Source } from "../confidence.ts";
import { canonicalJson } from "../digest.ts";
import { WorldError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { PreparedBundle, PreparedTool } from "../prepared.ts";
import type { PreparedAnswer } from "../recorded.ts";
import { failure, fault, fromRecord, gap, isErrorClass, NO_CHANGES, refusal, refuses, success } from "../replies.ts";
import type { RowChange } from "../state/journal.ts";
import { drawKey } from "../state/keys.ts";
import type { WorldState } from "../state/state.ts";
import { masked } from "../state/unknown-rows.ts";
import { UNKNOWN } from "../unknown.ts";
import type { WorldAnswer } from "../world-api.ts";
import type { Outcome } from "./outcome.ts";
import type { Program } from "./program.ts";

/** Answers that say nothing of the system. */
export const NO_ANSWER: ReadonlySet<string> = new Set(["error:not_served", "error:behaviour"]);

/** Whether a behaviour came to say something of the system. */
const isAnswer = (outcome: Outcome): boolean =>
  outcome.kind === "value" ||
  outcome.kind === "error" ||
  (outcome.kind === "fault" && outcome.error.code === "conflict");

/** What the bundle's own behaviours and recorded answers say to calls, and what these change in a world's state. */
export class Behaviours {
  /** How many keys were generated. */
  drawn = 0;
  /** How many calls that may have changed something were not answered, where the bundle has estimates. */
  losses = 0;
  private readonly prepared: PreparedBundle;
  private readonly state: WorldState;
  private readonly seed: string;
  /** Whether evidence had sessions of the world's task. */
  private readonly known: boolean;

  constructor(prepared: PreparedBundle, state: WorldState, seed: string, task: string | undefined) {
    this.prepared = prepared;
    this.state = state;
    this.seed = seed;
    this.known = prepared.confidence?.knows(task) === true;
  }

  get lost(): boolean {
    return this.losses > 0;
  }

  /** Whether no behaviour knows what a call did. */
  loses(tool: string, answered: string): boolean {
    const { confidence: trust } = this.prepared;
    return trust !== undefined && NO_ANSWER.has(answered) && !trust.reads.has(tool);
  }

  /** Whether the schema rules arguments out that no session saw taken: however it is refused, such a call does nothing. */
  isRuledOut(tool: PreparedTool, args: JsonObject | undefined): boolean {
    if (args === undefined) return true;
    return tool.check(args) !== undefined && this.prepared.confidence?.lenient.has(tool.definition.name) !== true;
  }

  answer(tool: PreparedTool, args: JsonObject | undefined): WorldAnswer {
    const { name } = tool.definition;
    if (args === undefined)
      return refusal("bad_arguments", "Error: the arguments are no JSON object, or too deep or too large", "schema");
    const recorded = tool.hasRecorded ? this.onRecord(tool, args) : undefined;
    const wrong = tool.check(args);
    if (wrong !== undefined) {
      const refused = refusal("bad_arguments", `Error: ${wrong}`, "schema");
      if (recorded && this.holds(recorded, null)) return this.fromRecord(tool, args, recorded, NO_CHANGES);
      const missing = this.missingArgument(tool, args);
      if (missing) return missing;
      const changes = this.isRuledOut(tool, args) ? NO_CHANGES : this.unsettle(tool, args);
      return this.sure("schema", name, args, refused) ?? gap(changes);
    }
    const { program } = tool;
    if (program instanceof WorldError) return { ...fault(program), changes: this.unsettle(tool, args) };
    if (program === null)
      return recorded && this.holds(recorded, null)
        ? this.fromRecord(tool, args, recorded, this.unsettle(tool, args, recorded))
        : gap(this.unsettle(tool, args));
    if (recorded && this.holds(recorded, program)) return this.overlaid(tool, program, args, recorded);
    return this.behave(tool, program, args);
  }

  /** How the system refuses a call that lacks one required argument, where several of its tools said it alike. */
  private missingArgument(tool: PreparedTool, args: JsonObject): WorldAnswer | undefined {
    const { missing_argument: seen } = this.prepared.bundle;
    const argument = tool.lacks(args);
    if (!seen || argument === undefined || !this.isRuledOut(tool, args)) return undefined;
    const names = { tool: tool.definition.name, argument };
    const text = seen.text.replace(/\{(tool|argument)\}/g, (_, name: keyof typeof names) => names[name]);
    const answer = failure(tool, text, NO_CHANGES);
    return seen.in_words ? { ...answer, isError: false, answerClass: "data" } : { ...answer, isError: seen.is_error };
  }

  /** What the system was seen to answer to names that it does not list, else a refusal where such are trusted. */
  unlisted(name: string): WorldAnswer {
    const seen = this.prepared.bundle.unlisted;
    if (seen === undefined)
      return this.sure("listing", name, {}, refusal("unknown_tool", "Error: no such tool", "schema")) ?? gap();
    const answer = refusal(
      "unknown_tool",
      seen.text.replaceAll("{tool}", () => name),
      "behaviour",
    );
    return seen.is_error ? answer : { ...answer, isError: false, answerClass: "data" };
  }

  /** The answer recorded of these arguments, where such answers over the tool's behaviour are trusted. */
  private onRecord(tool: PreparedTool, args: JsonObject): PreparedAnswer | undefined {
    const { confidence: trust } = this.prepared;
    if (trust && !trust.reaches(this.sureOfRecord(trust, tool, args))) return undefined;
    return tool.recorded(canonicalJson(args));
  }

  private sureOfRecord(
    confidenceEstimates: ConfidenceEstimates,
    { definition }: PreparedTool,
    args: JsonObject,
  ): number {
    return confidenceEstimates.confidence(
      { by: "recorded", tool: definition.name, ok: true, args, lost: this.lost },
      this.known,
    );
  }

  /** A recorded answer over a behaviour with how far it is trusted. */
  private fromRecord(
    tool: PreparedTool,
    args: JsonObject,
    recorded: PreparedAnswer,
    changes: readonly RowChange[],
  ): WorldAnswer {
    const answer = fromRecord(tool, recorded, changes);
    const { confidence: trust } = this.prepared;
    return trust ? { ...answer, layer: "program", confidence: this.sureOfRecord(trust, tool, args) } : answer;
  }

  /** An answer that rests on no behaviour, where such answers are trusted. */
  private sure(by: Source, tool: string, args: JsonObject, answer: WorldAnswer): WorldAnswer | undefined {
    const { confidence: trust } = this.prepared;
    if (trust === undefined) return answer;
    const confidence = trust.confidence({ by, tool, ok: false, args, lost: this.lost }, this.known);
    return trust.reaches(confidence) ? { ...answer, layer: "program", confidence } : undefined;
  }

  /** A recorded answer's words and rows with the behaviour's effects; none for a recorded success whose effects cannot be had. */
  private overlaid(tool: PreparedTool, program: Program, args: JsonObject, recorded: PreparedAnswer): WorldAnswer {
    const plain = program.written.size === 0 && recorded.rows.length === 0 && tool.footprint === undefined;
    if (recorded.recorded.is_error || isErrorClass(recorded.recorded.answer_class) || plain)
      return this.fromRecord(tool, args, recorded, NO_CHANGES);
    const { outcome, changes } = this.run(tool, program, args, recorded);
    if (outcome.kind === "value" || outcome.kind === "recorded" || recorded.rows.length > 0)
      return this.fromRecord(tool, args, recorded, changes);
    return outcome.kind === "fault" ? { ...fault(outcome.error), changes } : gap(changes);
  }

  /** Leaves unknown what a call may have changed that nobody can follow, but for the rows of a recorded write. */
  unsettle({ footprint }: PreparedTool, args: JsonObject, recorded?: PreparedAnswer): readonly RowChange[] {
    if (recorded && isErrorClass(recorded.recorded.answer_class)) return NO_CHANGES;
    if (footprint === undefined && (recorded === undefined || recorded.rows.length === 0)) return NO_CHANGES;
    this.state.begin();
    if (footprint) footprint.forget(this.state, args);
    if (recorded) this.put(recorded);
    return this.state.commit();
  }

  private put({ rows }: PreparedAnswer): void {
    for (const { table, key, row } of rows) {
      const held = this.state.get(table, key);
      const drawn = this.state.base.table(table).rows.get(key) ?? {};
      this.state.put(table, key, { ...(held === UNKNOWN ? masked(drawn, Object.keys(drawn)) : held), ...row });
    }
  }

  private behave(tool: PreparedTool, program: Program, args: JsonObject): WorldAnswer {
    const { outcome, changes } = this.run(tool, program, args);
    switch (outcome.kind) {
      case "value":
        return this.trusted(tool, success(tool, outcome.value, changes), args);
      case "error":
        return this.trusted(tool, failure(tool, outcome.text, changes), args);
      case "fault":
        return this.trusted(tool, { ...fault(outcome.error), changes }, args);
      case "recorded":
        return gap(changes);
      case "gap":
        return gap(changes);
    }
  }

  /** Runs a behaviour. Under a gap no effect stands: what it would have changed, or what the tool's calls may change, becomes unknown. */
  private run(
    tool: PreparedTool,
    program: Program,
    args: JsonObject,
    recorded?: PreparedAnswer,
  ): { outcome: Outcome; changes: readonly RowChange[] } {
    const { footprint } = tool;
    const writes = program.written.size > 0 || footprint !== undefined || (recorded?.rows.length ?? 0) > 0;
    const drawn = this.drawn;
    if (writes) this.state.begin();
    const found = program.run(args, { state: this.state, now: this.prepared.bundle.now, keys: this });
    const outcome = recorded ? found : this.believed(tool, args, found);
    const ended = outcome.kind === "value" || (outcome.kind === "error" && outcome.keeps === true);
    const answered = ended || (outcome.kind === "recorded" && recorded !== undefined);
    if (!answered) this.drawn = drawn;
    if (!writes) return { outcome, changes: NO_CHANGES };
    if (!ended) {
      if (outcome.kind === "gap" && outcome.keeps) {
        this.state.blur(this.prepared.internal);
        // What the call may have changed besides is no better known than after an answer.
        footprint?.doubt(this.state, args);
      } else if (outcome.kind === "recorded") {
        if (!answered) this.state.blur(this.prepared.internal);
        footprint?.forget(this.state, args);
      } else {
        this.state.rollback();
        this.state.begin();
        const refused = outcome.kind === "error" || (outcome.kind === "fault" && outcome.error.code === "conflict");
        if (!refused || (recorded && recorded.rows.length > 0)) footprint?.forget(this.state, args);
      }
    }
    if (outcome.kind === "value") footprint?.doubt(this.state, args);
    if (recorded) this.put(recorded);
    return { outcome, changes: this.state.commit() };
  }

  /** An outcome as far as it is trusted: a gap in its place where it was wrong too often in its case. */
  private believed(tool: PreparedTool, args: JsonObject, outcome: Outcome): Outcome {
    const { confidence: trust } = this.prepared;
    if (trust === undefined || !isAnswer(outcome)) return outcome;
    const { kind } = outcome;
    const ok = kind === "value" && !refuses(outcome.value);
    if (trust.reaches(trust.confidence(this.caseOf(tool, ok, args), this.known))) return outcome;
    return kind === "value" || (kind === "error" && outcome.keeps) ? { kind: "gap", keeps: true } : { kind: "gap" };
  }

  /** An answer of a behaviour with how far it is trusted. */
  private trusted(tool: PreparedTool, answer: WorldAnswer, args: JsonObject): WorldAnswer {
    const { confidence: trust } = this.prepared;
    if (trust === undefined || answer.servedBy === "gap") return answer;
    const { text, value, isError, answerClass, servedBy, changes } = answer;
    const ok = !isError && !isErrorClass(answerClass);
    const confidence = trust.confidence(this.caseOf(tool, ok, args), this.known);
    return { text, value, isError, answerClass, servedBy, changes, layer: "program", confidence };
  }

  private caseOf({ definition, effect }: PreparedTool, ok: boolean, args: JsonObject): Case {
    return { tool: definition.name, reads: effect === "read", ok, args, lost: this.lost };
  }

  /** Draws the next generated key. */
  draw(kind: string, width: number): string {
    return drawKey(this.seed, this.drawn++, kind, width);
  }

  private holds(recorded: PreparedAnswer, program: Program | null): boolean {
    const { internal } = this.prepared;
    const changes = this.state.touched ? this.state.diff().filter(({ table }) => !internal.has(table)) : NO_CHANGES;
    return recorded.holds(this.state, changes, program, this.prepared.bundle.now);
  }
}
