import { z } from "zod";
import { evidence, pass } from "../../models/pass.ts";
import { NoteProposalKind } from "../../records/evidence/feedback-derive.ts";

/** A note as a reader sees it. */
export interface ReadNote {
  readonly id: string;
  readonly text: string;
  readonly about?: string | undefined;
  readonly polarity?: string | undefined;
}

const DerivedProposals = z.object({
  proposals: z
    .array(
      z.object({
        kind: NoteProposalKind,
        title: z.string().trim().min(1).max(120),
        change: z.string().trim().min(1).max(500).describe("One sentence: what that stage would do otherwise."),
        notes: z.array(z.string()).min(1).describe("Ids of the notes that speak for it."),
      }),
    )
    .max(40),
});
type DerivedProposals = z.infer<typeof DerivedProposals>;

/** A class of words that speak for a kind of change. */
interface WordClass {
  readonly kind: NoteProposalKind;
  readonly name: string;
  readonly words: RegExp;
  readonly change: string;
}

/** The first class whose words a note holds is its class: what stands first is the more particular. */
const CLASSES: readonly WordClass[] = [
  {
    kind: "review_rule",
    name: "a task or its key is wrong",
    words:
      /\b(?:tasks?|keys?|questions?) (?:is|are|was|were|looks?|seems?) (?:wrong|unclear|ambiguous|impossible|unfair|unsolvable|broken)\b|\bexpected answer\b|\banswer key\b|\bwrong key\b/i,
    change: "Have the review look for what these notes say is wrong with tasks.",
  },
  {
    kind: "generator_gate",
    name: "requests that nobody would make",
    words:
      /\bunrealistic\b|\bnonsens\w*|\bduplicates?\b|\b(?:nobody|no one|no user|no customer) (?:would|asks?|says?)\b|\btoo (?:easy|hard|similar|artificial)\b|\bmade[- ]up (?:task|request|question)/i,
    change: "Have the task writer leave out what these notes call unlike real requests.",
  },
  {
    kind: "analyzer_detector",
    name: "what an agent did wrong",
    words:
      /\bhallucinat\w*|\binvent(?:s|ed|ing)?\b|\bloop(?:s|ed|ing)?\b|\bgave up\b|\bignor(?:es|ed|ing)\b|\brefus(?:es|ed|ing)\b|\bskipp?(?:s|ed|ing)\b|\bforgot\b|\bmade up\b|\bkeeps? (?:asking|calling|trying|repeating)\b/i,
    change: "Have the analysis of runs detect what these notes describe.",
  },
  {
    kind: "criterion_kind",
    name: "what should be graded",
    words:
      /\b(?:should|must|needs? to|ought to) (?:be (?:graded|checked|scored)|check|confirm|mention|say|ask|cite|apologi[sz]e|explain|verify)\b|\bcriteri(?:on|a)\b|\bgrad(?:e|es|ed|ing)\b|\bscor(?:e|es|ed|ing)\b|\btone\b|\bpolite\w*|\brude\w*/i,
    change: "Have a check decide what these notes ask of an answer.",
  },
  {
    kind: "dimension",
    name: "kinds of users or requests",
    words:
      /\bpersonas?\b|\bsegments?\b|\buse cases?\b|\b(?:kinds?|types?|sorts?) of (?:users?|customers?|callers?|requests?|people)\b|\b(?:languages?|regions?|markets?|locales?)\b/i,
    change: "Have an axis tell apart the users or requests that these notes speak of.",
  },
];

function byWords(notes: readonly ReadNote[]): DerivedProposals {
  const groups = Map.groupBy(notes, ({ text }) => CLASSES.find(({ words }) => words.test(text)));
  return {
    proposals: CLASSES.flatMap((of) => {
      const { kind, name, change } = of;
      const cited = groups.get(of) ?? [];
      return cited.length === 0
        ? []
        : [{ kind, title: `Notes about ${name}`, change, notes: cited.map(({ id }) => id) }];
    }),
  };
}

/** What the rule reader cannot do, for whoever reads its proposals. */
export const RULE_CANNOT = `Without a model notes are put into classes by words alone (${CLASSES.map(({ name }) => name).join("; ")}): what a note means, whether it is a quotation or a joke, and whether two notes say the same is not read.`;

/** Changes that notes speak for, each with its notes. By rule: notes in classes by their words. */
export const notesPass = pass<readonly ReadNote[], DerivedProposals>({
  name: "feedback_derive",
  version: "feedback-derive-1",
  output: DerivedProposals,
  maxOutputTokens: 4_000,
  prompt: (notes) => ({
    system:
      "You read notes that people wrote about an agent and about how it is tested, and propose changes of the testing that several of them, or one that is plain, speak for. Kinds: dimension (an axis of users or requests that is missing), criterion_kind (something an answer should be graded on), review_rule (something that makes a task wrong), generator_gate (requests that should not be written), analyzer_detector (a failure that the analysis should detect). Cite the ids of the notes for each, in your own words, without names or ids of people. Propose nothing that no note speaks for.",
    user: evidence(JSON.stringify(notes)),
  }),
  check: ({ proposals }, notes) => {
    const known = new Set(notes.map(({ id }) => id));
    return proposals.every((one) => one.notes.every((id) => known.has(id)))
      ? undefined
      : "a note is cited that was not given.";
  },
  rule: byWords,
});
