import type { AnswerClass } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import type { FailureModeProposal } from "../../records/findings/findings.ts";
import { trialTree } from "../../runs/trials/trace-run.ts";
import type { PageLink, Step } from "../pages/page-doc.ts";
import { findTrial } from "../pages/trial.ts";
import { traceSteps, trialSteps } from "./steps.ts";

type Proposal = Pick<Doc<typeof FailureModeProposal>, "text" | "report" | "target"> & {
  readonly named: readonly string[];
};

/** Ids of a report that are looked up among the stored traces. */
const LOOKED_UP = 5;

/** What a report was read from: a trace or a trial that is stored, and the step of it that the report tells of. */
export interface ReportedOn {
  readonly link: PageLink;
  readonly request: string;
  /** Absent where no step holds an id of the report or is a call of its tool. */
  readonly step?: Step & { readonly n: number };
  /** What the agent said first after that step. */
  readonly said?: string;
  /** The class of its last answer. */
  readonly answer?: AnswerClass;
}

/** The trial or trace that a proposal's note is about, else the first stored trace that it names; undefined where there is none. */
export async function reportedOn(ctx: Ctx, proposal: Proposal): Promise<ReportedOn | undefined> {
  const { report, named } = proposal;
  const note = report === undefined ? undefined : await ctx.store.records.get(FeedbackNote, report);
  if (note?.about?.kind === "trial") return onTrial(ctx, note.about.id, proposal);
  const about = note?.about?.kind === "trace" ? [note.about.id] : [];
  for (const id of [...about, ...named].slice(0, LOOKED_UP)) {
    const row = await ctx.store.traces.get(id);
    if (row === undefined) continue;
    return {
      link: { page: "trace", id: `${row.evidence}/${row.id}` },
      request: row.trace.request,
      answer: row.trace.final_answer_class,
      ...describedIn(traceSteps(row.trace), proposal),
    };
  }
  return undefined;
}

async function onTrial(ctx: Ctx, id: string, proposal: Proposal): Promise<ReportedOn | undefined> {
  try {
    const { run, planned, row } = await findTrial(ctx, id);
    const { exchanges } = await trialTree(ctx, run, row);
    const steps = trialSteps(row, planned.request, exchanges, []);
    const answer = row.trial.answers.at(-1)?.class;
    const told = answer === undefined ? {} : { answer };
    return { link: { page: "trial", id }, request: planned.request, ...told, ...describedIn(steps, proposal) };
  } catch (error) {
    // A note outlives what it is about.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** The first step with the most ids of the report, its tool counting as one. */
function describedIn(steps: readonly Step[], { text, target }: Proposal): Pick<ReportedOn, "step" | "said"> {
  const ids = new Set(text.match(/[\p{L}\p{N}_-]*\p{N}[\p{L}\p{N}_-]*/gu));
  const scored = steps.map((step, i) => {
    const told = JSON.stringify(step);
    const held = [...ids].filter((id) => id.length > 2 && told.includes(id)).length;
    return { step: { ...step, n: i + 1 }, score: held + (step.who === target?.tool ? 1 : 0) };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const found = best === 0 ? undefined : scored.find(({ score }) => score === best);
  if (found === undefined) return {};
  const said = steps.slice(found.step.n).find(({ who }) => who.startsWith("agent"))?.title;
  return { step: found.step, ...(said === undefined ? {} : { said }) };
}
