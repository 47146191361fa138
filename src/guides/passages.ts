import { stems } from "../../chapters/text/stems.ts";
import { Bm25, type Words } from "../../tools/kernel/bm25.ts";
import { docPages } from "./docs.ts";

/** A sentence or two of the documentation, which questions are looked up in that no known question is near to. */
export interface Passage {
  readonly page: string;
  /** The heading that it stands under. */
  readonly heading: string;
  readonly text: string;
  /** Whether what stands under its heading begins with it. */
  readonly leads: boolean;
  /** What it is searched by. */
  readonly words: Words;
}

/**
 * How much of what a question's words weigh a passage has to have, times the share that it has of them, where no known
 * question led to it; set on questions of other things, of which none reaches 4.7.
 */
const NEAR = 5;
/** How near a passage has to be that is told beside the nearest one of a section, by its nearness. */
const BESIDE = 0.6;
/** How much more what a section begins with counts, of which the rest is the detail, where a known question led to it. */
const LEAD = 1.4;
/** The least share of a question's words that a passage has in order to be told in place of what begins its section. */
const SAYS = 0.15;
/** How much more a page is asked for by each point that its best passage scores, and what they score by chance. */
const FITS = { each: 0.05, typical: 3 } as const;
/** Pages that tell how the service is built and measured, which nobody asks an assistant about. */
const BUILT = new Set(["architecture", "dependencies", "scale"]);
/** Sentences that are told together, and letters that they may have. */
const TOGETHER = 2;
const LONGEST = 420;
/** Letters of an example that is told in a sentence. */
const SHORT = 200;

let known: readonly Passage[] | undefined;
let ranking: Bm25 | undefined;

/** Every passage of the documentation. */
export function passages(): readonly Passage[] {
  known ??= docPages().flatMap(({ name, text }) => (BUILT.has(name) ? [] : passagesOf(name, text)));
  return known;
}

/** How much more a page or a section of it is asked for, by the passage that fits the question best. */
export function weightOf(question: string, among: (passage: Passage) => boolean): number {
  const best = ranked(question).find(({ passage }) => among(passage))?.score ?? 0;
  return (1 + FITS.each * best) / (1 + FITS.each * FITS.typical);
}

/** The sentences that answer a question best, of those that `among` takes, with where they stand; none where too little of it is said. */
export function sentencesFor(question: string, among?: (passage: Passage) => boolean): string | undefined {
  // A word of the glossary is told to who asks what it means.
  const takes = among ?? (({ page }) => page !== "glossary");
  const taken = ranked(question).filter(({ passage }) => takes(passage));
  const found = among === undefined ? taken : leadsFirst(taken, question);
  // Who names a section (Cursor, Codex) asks for no other of the page.
  const said = question.toLowerCase();
  const named = among && found.filter(({ passage }) => said.includes(passage.heading.toLowerCase()));
  const near = named?.[0] === undefined ? found : named;
  const [best] = near;
  if (best === undefined || (among === undefined && best.nearness() < NEAR)) return undefined;
  const { page, heading } = best.passage;
  const order = passages();
  const told = [best.passage];
  for (const { passage, score } of near.slice(1, 4))
    if (passage.page === page && passage.heading === heading && score >= BESIDE * best.score) {
      const known = told.map(({ text }) => text).join(" ");
      if (known.length + passage.text.length <= LONGEST && !known.includes(passage.text.slice(0, 40)))
        told.push(passage);
    }
  const texts = told.sort((a, b) => order.indexOf(a) - order.indexOf(b)).map(({ text }) => text);
  return `${texts.join(" ")} (docs/${page}.md#${anchorOf(heading)})`;
}

/** The same with what begins a section raised, and first where the best has too little of the question to be the answer. */
function leadsFirst(found: readonly Ranked[], question: string): Ranked[] {
  const raised = found
    .map((each) => (each.passage.leads ? { ...each, score: LEAD * each.score } : each))
    .sort((a, b) => b.score - a.score);
  const [best] = raised;
  if (best === undefined || best.passage.leads || saysOf(question, best.passage) >= SAYS) return raised;
  const lead = raised.find(({ passage }) => passage.leads && passage.heading === best.passage.heading);
  return lead === undefined ? raised : [lead];
}

/** The share of a question's words, beyond those of the heading, that a passage has by what they weigh. */
function saysOf(question: string, { text, heading }: Passage): number {
  const [own, above] = [counted(text), counted(heading)];
  const weight = (words: readonly string[]) => words.reduce((sum, word) => sum + (ranking?.rarity(word) ?? 0), 0);
  const asked = [...counted(question).keys()].filter((word) => !above.has(word));
  return asked.length === 0 ? 1 : weight(asked.filter((word) => own.has(word))) / weight(asked);
}

interface Ranked {
  readonly passage: Passage;
  readonly score: number;
  readonly nearness: () => number;
}
let last: { readonly question: string; readonly found: readonly Ranked[] } | undefined;

/** The passages, what fits a question best first; kept until the next question, as each page asks. */
function ranked(question: string): readonly Ranked[] {
  if (last?.question === question) return last.found;
  const all = passages();
  ranking ??= new Bm25(all.map(({ words }) => words));
  const by = ranking;
  const query = counted(question);
  const found = all
    .map((passage, at) => ({ passage, score: by.score(at, query), nearness: () => by.nearness(at, query) }))
    .sort((a, b) => b.score - a.score);
  last = { question, found };
  return found;
}

/** The stems of a text, each with how often it stands there. */
function counted(text: string): Words {
  const counts = new Map<string, number>();
  for (const word of stems(text.replaceAll("_", " "))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Where a heading is in its page, as links have it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function passagesOf(page: string, text: string): Passage[] {
  const found: Passage[] = [];
  let headings: string[] = [];
  /** What stands before a list, which its items are of. */
  let lead = "";
  for (const block of withExamples(text).split(/\n{2,}/)) {
    const heading = /^(#+) (.+)/.exec(block);
    if (heading) {
      headings = [...headings.slice(0, heading[1]!.length - 1), plain(heading[2]!)];
      continue;
    }
    const list = /^(?:[-*]|\d+\.) /.test(block);
    for (const told of block.startsWith("|") ? rowsOf(block) : itemsOf(block).flatMap(windows)) {
      // A heading counts twice: it says what all that stands under it is about.
      const above = [page.replaceAll("-", " "), ...headings, ...headings, list ? lead : ""];
      const words = counted([told, ...above].join(" "));
      const heading = headings.at(-1) ?? page;
      found.push({ page, heading, text: told, leads: found.at(-1)?.heading !== heading, words });
    }
    if (!list) lead = plain(block);
  }
  return found;
}

/** The text with short examples in the sentence that leads to them, else before what is told next; longer ones are for reading there. */
function withExamples(text: string): string {
  return text.replace(
    /(:?)\n*^```.*\n([\s\S]*?)^```$\n*(?=([A-Za-z`])?)/gm,
    (_, leads: string, code: string, next?: string) => {
      const lines = code.trim().split("\n");
      const example = lines.map((line) => line.trim()).join(/^[[{]/.test(code) ? " " : "; ");
      if (example.length > SHORT) return `${leads}\n\n`;
      return leads ? `: ${example}\n\n` : `\n\n${example}${next ? ": " : "\n\n"}`;
    },
  );
}

/** The rows of a table, each as a sentence. */
function rowsOf(table: string): string[] {
  const rows = table.split("\n").map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map(plain),
  );
  return rows
    .slice(2)
    .map(([first = "", ...rest]) => `${first}: ${rest.filter(Boolean).join("; ")}`.replace(/\w$/, "$&."));
}

/** The items of a list, or the whole of a paragraph. */
function itemsOf(block: string): string[] {
  return block.split(/\n(?=(?:[-*]|\d+\.) )/).map((item) => plain(item.replace(/^(?:[-*]|\d+\.) /, "")));
}

/** Sentences of a text, each with the next one where that is not too long. */
function windows(text: string): string[] {
  const sentences = text.match(/\S(?:[^.?!]|[.?!](?! [A-Z]))*[.?!]?/g) ?? [];
  return sentences
    .map((first, at) => {
      const both = sentences.slice(at, at + TOGETHER).join(" ");
      return both.length <= LONGEST ? both : first;
    })
    .filter((window, at, all) => at === 0 || !all[at - 1]!.endsWith(window));
}

/** Text without the marks of links, code and stress. */
export function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replace(/\*\*|`/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
