import { digestOf } from "../../../worlds/digest.ts";
import { auditAct } from "../../audit.ts";
import type { Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { read, readerOf } from "../../models/pass.ts";
import { everyRow } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { FeedbackNote } from "../../records/evidence/feedback.ts";
import { NoteProposal, NoteReading, STAGE_OF } from "../../records/evidence/feedback-derive.ts";
import { notesPass, type ReadNote, RULE_CANNOT } from "./feedback-derive-pass.ts";

type NoteDoc = Doc<typeof FeedbackNote>;
type ProposalDoc = Doc<typeof NoteProposal>;

/** Most notes that one pass reads: what a model can hold in view. */
const MOST = 100;
/** Characters of a note that are read. */
const NOTE_CHARS = 2_000;

/**
 * One pass over notes that none has read, oldest first, into proposals that cite them; it applies nothing. Notes for staff
 * are not read: what is proposed is the org's. With nothing unread nobody is asked.
 */
export async function deriveFeedback(ctx: Ctx, input: { readonly limit?: number | undefined }) {
  const notes = await unread(ctx, input.limit ?? MOST);
  const about = { org: ctx.org.tag, read: notes.length };
  if (notes.length === 0) return { ...about, ...NOTHING, by_kind: grouped([]) };
  const shown = notes.map(shownNote);
  const { estimate_usd } = readerOf(ctx, notesPass, shown);
  const said = await read(ctx, notesPass, shown);
  const reading = {
    id: ctx.id(NoteReading.prefix),
    created_at: ctx.now(),
    by: ctx.caller.name,
    notes: notes.map(({ id }) => id),
    proposals: said.value.proposals.length,
    model: said.model,
    prompt_version: said.prompt_version,
    calls: [...said.calls],
    usd: said.usd,
    tier: said.tier,
  };
  const proposals = said.value.proposals.map(({ kind, title, change, notes: cited }, i): ProposalDoc => {
    const { id: readBy, created_at, by, tier } = reading;
    const id = idOfValue(NoteProposal, readBy, String(i));
    return {
      id,
      created_at,
      by,
      kind,
      stage: STAGE_OF[kind],
      title,
      change,
      cites: [...new Set(cited)],
      reading: readBy,
      tier,
    };
  });
  await keep(ctx, reading, proposals, notes);
  await auditAct(ctx, "feedback_derived", { read: notes.length, proposed: proposals.length });
  const silent = notes.length - new Set(proposals.flatMap(({ cites }) => cites)).size;
  return {
    ...about,
    by_kind: grouped(proposals),
    proposed: proposals.length,
    silent,
    ...(said.model === null ? { cannot: RULE_CANNOT } : {}),
    model: said.model,
    prompt_version: said.prompt_version,
    estimate_usd,
    usd: said.usd,
    tier: said.tier,
  };
}

const NOTHING = {
  proposed: 0,
  silent: 0,
  note: "No note is unread; nothing was asked of a reader.",
  model: null,
  prompt_version: null,
  estimate_usd: 0,
  usd: 0,
  tier: "deterministic" as const,
};

async function unread(ctx: Ctx, most: number): Promise<NoteDoc[]> {
  const notes: NoteDoc[] = [];
  const where = { visibility: "org" };
  for await (const note of everyRow((page) =>
    ctx.store.records.list(FeedbackNote, { ...page, where, order: "oldest" }),
  )) {
    if (note.read_by === undefined && note.retired_at === undefined) notes.push(note);
    if (notes.length === most) break;
  }
  return notes;
}

function shownNote({ id, text, about, polarity, missing }: NoteDoc): ReadNote {
  const words = missing === undefined ? text : `${text}\nMissing: ${missing}`;
  return { id, text: words.slice(0, NOTE_CHARS), about: about?.kind, polarity };
}

/** Reading, proposals and the notes' marks as one step: two passes at once read no note twice. */
async function keep(
  ctx: Ctx,
  reading: Doc<typeof NoteReading>,
  proposals: readonly ProposalDoc[],
  notes: readonly NoteDoc[],
): Promise<void> {
  try {
    await ctx.store.records.apply([
      { op: "insert", kind: NoteReading, doc: reading },
      ...proposals.map((doc) => ({ op: "insert" as const, kind: NoteProposal, doc })),
      ...notes.map((note) => ({
        op: "put" as const,
        kind: FeedbackNote,
        doc: { ...note, read_by: reading.id },
        expect: digestOf(note),
      })),
    ]);
  } catch (cause) {
    if (cause instanceof AppError && cause.code === "conflict")
      throw conflict("Another call read or changed these notes meanwhile; nothing of this reading was kept.");
    throw cause;
  }
}

function grouped(proposals: readonly ProposalDoc[]) {
  const of = (kind: ProposalDoc["kind"]) =>
    proposals
      .filter((row) => row.kind === kind)
      .map(({ id, stage, title, change, cites, tier }) => ({ id, stage, title, change, cites, tier }));
  return {
    dimension: of("dimension"),
    criterion_kind: of("criterion_kind"),
    review_rule: of("review_rule"),
    generator_gate: of("generator_gate"),
    analyzer_detector: of("analyzer_detector"),
  };
}
