import { z } from "zod";
import { Tier } from "../../tier.ts";

/** Another page, by what it shows; the host decides whether and where it can be opened. */
export const PageLink = z.object({
  page: z.enum([
    "home",
    "group",
    "compare",
    /** A trial, `<run>/<task>/<try>`; `against` narrows the list of its group's trials that it is one of, as in `trials`. */
    "trial",
    "packet",
    /** The rows of a table, `against`, of a sandbox's world. */
    "world",
    "provider",
    "report",
    "coverage",
    "ontology",
    "fidelity",
    "spend",
    /** What is stored of a trial, as JSON. */
    "trial_json",
    /** Two trials of a task, `against` the second. */
    "pair",
    /** Every try of a task, `<environment>/<task>`. */
    "task",
    /** The trials of a group that a search finds: `cause=<root cause>`, `check=<kind>` or `end=<end>`, in `against`. */
    "trials",
    "evidence",
    /** A stored trace, `<evidence>/<trace>`. */
    "trace",
    /** Stored traces that call a tool, any where none is named; `against` is the evidence that they are of. */
    "traces",
    /** The newest traces of a system, `against`, in which a rule finds a failure. */
    "showing",
    "mode",
    "agent",
    /** A cell of the coverage matrix: a persona, and the job as `against`. */
    "cell",
    /** A tool, `against`, of a surface. */
    "tool",
    /** A background job. */
    "job",
    /** Labelled trials of a check: those of a verdict of it and of a person as `judge=<verdict>&human=<verdict>` in `against`. */
    "calibration",
  ]),
  id: z.string(),
  /** The other side of a comparison. */
  against: z.string().optional(),
});
export type PageLink = z.infer<typeof PageLink>;

/** How a text is coloured; the words carry the meaning, the tone only repeats it. */
export const Tone = z.enum(["good", "bad", "warn", "plain"]);
export type Tone = z.infer<typeof Tone>;

/** A cell: a text, a number as it is to be read, or either with a tone or a link. */
export const Cell = z.union([
  z.string(),
  z.number(),
  z.object({
    text: z.string(),
    tone: Tone.optional(),
    link: PageLink.optional(),
    /** A place of the same page that it leads to: `step-<n>` of a timeline, or the `place` of a section. */
    place: z.string().optional(),
  }),
]);
export type Cell = z.infer<typeof Cell>;

/** A share of trials with its interval at 95 %, each 0 to 1; `rate` is absent when nothing was valid. */
const Interval = z.object({ rate: z.number().optional(), low: z.number(), high: z.number(), n: z.number().int() });

const heading = z.string().optional();
/** What a figure or a table says, in a sentence that stands without it, and how its numbers were made. */
const told = { heading, caption: z.string(), tier: Tier };

/** Paragraphs of our own words. */
export const TextSection = z.object({ show: z.literal("text"), heading, paragraphs: z.array(z.string()) });

/** Markdown that somebody wrote; rendered without HTML, images and links of its own. */
export const MarkdownSection = z.object({ show: z.literal("markdown"), heading, markdown: z.string() });

/** Named numbers or words, each with how it was made. */
export const FactsSection = z.object({
  show: z.literal("facts"),
  heading,
  facts: z.array(z.object({ name: z.string(), value: Cell, tier: Tier.optional(), how: z.string().optional() })),
});

/** Rows under columns; a `number` column is right-aligned, a `wide` one holds sentences. */
export const TableSection = z.object({
  show: z.literal("table"),
  ...told,
  columns: z.array(z.object({ name: z.string(), kind: z.enum(["text", "number", "wide"]).optional() })),
  rows: z.array(z.array(Cell)),
  /** Its name in links of the same page; the section is folded until it is asked for. */
  place: z.string().optional(),
  /** How many rows there are in all, where not all are shown. */
  of: z.number().int().optional(),
});

/** Rates with their intervals on one axis from 0 to 100 %. */
export const RatesSection = z.object({
  show: z.literal("rates"),
  ...told,
  rows: z.array(Interval.extend({ name: z.string() })),
});

/** Two rates per task on one axis, largest change first: a paired dot plot. */
export const PairsSection = z.object({
  show: z.literal("pairs"),
  ...told,
  before: z.string(),
  after: z.string(),
  tasks: z.array(z.object({ name: z.string(), before: z.number(), after: z.number() })),
});

/** Counts of a few exclusive outcomes per row, as bars of one length. */
export const SharesSection = z.object({
  show: z.literal("shares"),
  ...told,
  /** Its name in links of the same page; the section is folded until it is asked for. */
  place: z.string().optional(),
  outcomes: z.array(z.object({ name: z.string(), tone: Tone })),
  rows: z.array(
    z.object({
      name: z.string(),
      counts: z.array(z.number().int()),
      /** What each count opens, in its order; where any does, the numbers stand open below the bars. */
      links: z.array(PageLink).optional(),
    }),
  ),
});

/** One step of what happened. */
export const Step = z.object({
  /** Its place among all steps, from 1: what a link to it names. */
  n: z.number().int().optional(),
  /** Who acted: the user, the agent, or the tool that was called. */
  who: z.string(),
  title: z.string(),
  tone: Tone.optional(),
  badge: z.string().optional(),
  /** How long it took, or how long after the step before it ended, milliseconds. */
  ms: z.number().optional(),
  /** When it ended, milliseconds from the start. */
  at: z.number().optional(),
  detail: z.string().optional(),
  /** JSON of the step by name, as arguments and answer. */
  values: z.array(z.object({ name: z.string(), value: z.unknown() })).optional(),
  /** What it took, as tokens and cost, each in words. */
  took: z.array(z.string()).optional(),
  /** What it changed in the world. */
  changes: z.array(z.string()).optional(),
  /** What was decided at it. */
  decided: z.array(z.object({ text: z.string(), tone: Tone })).optional(),
});
export type Step = z.infer<typeof Step>;

/** What happened, in order. `changes` are a world's, one a line; `detail` is shown as it was recorded. */
export const TimelineSection = z.object({
  show: z.literal("timeline"),
  ...told,
  steps: z.array(Step),
});

/** A place in which two JSON values differ, by its path; a side without it is absent. */
const Difference = z.object({ path: z.string(), a: z.string().optional(), b: z.string().optional() });
const Side = z.object({
  title: z.string(),
  badge: z.string().optional(),
  tone: Tone.optional(),
  link: PageLink.optional(),
  /** What a call answered, which opens below it. */
  answer: z.object({ value: z.unknown() }).optional(),
});

/** Two sequences of steps side by side: what stands in one row was aligned. */
export const SidesSection = z.object({
  show: z.literal("sides"),
  ...told,
  /** Its name in links of the same page; the section is folded until it is asked for. */
  place: z.string().optional(),
  a: z.string(),
  b: z.string(),
  rows: z.array(
    z.object({
      a: Side.optional(),
      b: Side.optional(),
      /** What differs, in a word; absent where nothing does. */
      what: z.string().optional(),
      /** The first row of the page that differs. */
      first: z.literal(true).optional(),
      differences: z.array(Difference),
      /** A text of both sides, in parts: of one side alone where `only` says which. */
      text: z.array(z.object({ text: z.string(), only: z.enum(["a", "b"]).optional() })).optional(),
    }),
  ),
});

/** Counts in a matrix. A field without a cell stays empty; a `gap` is one that somebody asked for and nothing fills. */
export const HeatSection = z.object({
  show: z.literal("heat"),
  ...told,
  rows: z.array(z.string()),
  columns: z.array(z.string()),
  cells: z.array(
    z.object({
      row: z.number().int(),
      column: z.number().int(),
      n: z.number().int(),
      gap: z.boolean().optional(),
      link: PageLink.optional(),
    }),
  ),
});

/** Things and how they hang together, each kind in a column of its own. */
export const GraphSection = z.object({
  show: z.literal("graph"),
  ...told,
  kinds: z.array(z.string()),
  nodes: z.array(z.object({ id: z.string(), kind: z.string(), label: z.string() })),
  edges: z.array(z.object({ from: z.string(), to: z.string(), kind: z.string() })),
});

/** An amount per UTC day (`YYYY-MM-DD`), in parts; a day of 0 is marked as one. */
export const DaysSection = z.object({
  show: z.literal("days"),
  ...told,
  unit: z.string(),
  /** An amount that a day is held against, drawn as a line. */
  limit: z.object({ name: z.string(), value: z.number() }).optional(),
  days: z.array(z.object({ day: z.string(), part: z.string(), value: z.number() })),
});

/** One part of a page, by how it is shown. */
export const PageSection = z.discriminatedUnion("show", [
  TextSection,
  MarkdownSection,
  FactsSection,
  TableSection,
  RatesSection,
  PairsSection,
  SharesSection,
  TimelineSection,
  SidesSection,
  HeatSection,
  GraphSection,
  DaysSection,
]);
export type PageSection = z.infer<typeof PageSection>;

/**
 * A page as data: what a report freezes and every surface renders. Names and texts in it may be other people's; a
 * renderer escapes all of them.
 */
export const PageDoc = z.object({
  v: z.literal(1),
  title: z.string(),
  /** Unix seconds. */
  made_at: z.number(),
  /** The sentence to read first, and how it was made. */
  verdict: z.object({ text: z.string(), tone: Tone, tier: Tier, how: z.string() }).optional(),
  /** Stand-in data: what is shown was made up, and every rendering says so. */
  invented: z.boolean().optional(),
  sections: z.array(PageSection),
});
export type PageDoc = z.infer<typeof PageDoc>;
