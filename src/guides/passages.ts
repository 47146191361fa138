import { stems } from "../../chapters/text/stems.ts";
import { Bm25, type Words } from "../../tools/kernel/bm25.ts";
import { docPages } from "./docs.ts";

/** A sentence or two of the documentation, which questions are looked up in that no known question is near to. */
export interface Passage {
  readonly page: string;
  /** The heading that it stands under. */
  readonly heading: string;
  readonly text: string;
  /** Whether what stands under its heading begins with it: a paragraph, not the first row of a table or item of a list. */
  readonly leads: boolean;
  /** The list or table that it is a row or an item of: what is told together is of one, or of none. */
  readonly list?: number;
  /** The sentence that leads to the list that it is an item of. */
  readonly before?: string;
  /** What it is searched by. */
  readonly words: Words;
  /** The words that it is about: of its heading, its beginning, and those set in code or bold. */
  readonly about: ReadonlySet<string>;
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
  return withNear(near, question);
}

/** The best passage, what is as near of its section's text, list or table (a row only if it adds a word), and where it stands. */
function withNear(near: readonly Ranked[], question: string): string {
  const best = near[0]!;
  const { page, heading, list, before } = best.passage;
  const lacks = [...counted(question).keys()].filter((word) => !best.passage.words.has(word));
  // What a list has under its heading alone is asked of all of it.
  const any = list === undefined || saysOf(question, best.passage) === 0;
  const order = passages();
  const names =
    any && list !== undefined ? namesOf(order.filter((each) => each.page === page && each.list === list)) : "";
  if (names !== "") return `${heading}: ${names} (docs/${page}.md#${anchorOf(heading)})`;
  const told = [best.passage];
  for (const { passage, score } of near.slice(1, 4))
    if (
      passage.page === page &&
      passage.heading === heading &&
      passage.list === list &&
      score >= BESIDE * best.score &&
      (any || lacks.some((word) => passage.words.has(word)))
    ) {
      const known = told.map(({ text }) => text).join(" ");
      if (known.length + passage.text.length <= LONGEST && !known.includes(passage.text.slice(0, 40)))
        told.push(passage);
    }
  const texts = told.sort((a, b) => order.indexOf(a) - order.indexOf(b)).map(({ text }) => text);
  return `${[...(before === undefined ? [] : [before]), ...texts].join(" ")} (docs/${page}.md#${anchorOf(heading)})`;
}

/** What the rows of a table are called, where each has a name of its own and these are not too many to be told. */
function namesOf(rows: readonly Passage[]): string {
  const names = rows.map(({ text }) => /^([\w-]+): /.exec(text)?.[1]);
  const list = names.join(", ");
  return names.includes(undefined) || new Set(names).size < rows.length || list.length > LONGEST ? "" : list;
}

/** How much more a row or an item counts that is the asked word's own. */
const OWN = 2;

/**
 * What the documentation says of words whose meaning is asked and that are no terms: of the passages that have all of
 * these words, one of them as what they are about, the one that fits best; none where a word stands nowhere.
 */
export function meaningFor(words: readonly string[], question: string): string | undefined {
  const asked = [...counted(words.join(" ")).keys()];
  // What has no more than the stem in common is another word.
  const written = (text: string) => words.some((word) => new RegExp(`\\b${word}(?:e?s)?\\b`, "i").test(text));
  const having = ranked(question)
    .filter(
      ({ passage: { page, heading, text, words, about } }) =>
        page !== "glossary" &&
        asked.every((word) => words.has(word)) &&
        asked.some((word) => about.has(word)) &&
        written(`${heading} ${text}`),
    )
    .map((each) => {
      const { list, leads, text } = each.passage;
      const [first = ""] = counted(text).keys();
      return {
        ...each,
        score: (leads ? LEAD : list !== undefined && asked.includes(first) ? OWN : 1) * each.score,
      };
    })
    .sort((a, b) => b.score - a.score);
  return having.length === 0 ? undefined : withNear(having, question);
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
  for (const [at, block] of withExamples(text)
    .split(/\n{2,}/)
    .entries()) {
    const heading = /^(#+) (.+)/.exec(block);
    if (heading) {
      headings = [...headings.slice(0, heading[1]!.length - 1), plain(heading[2]!)];
      continue;
    }
    const items = /^(?:[-*]|\d+\.) /.test(block);
    const table = block.startsWith("|");
    const listed = items || table;
    const marked = (block.match(/`[^`]+`|\*\*.+?\*\*/g) ?? []).join(" ");
    for (const told of table ? rowsOf(block) : itemsOf(block).flatMap(windows)) {
      // A heading counts twice: it says what all that stands under it is about.
      const above = [page.replaceAll("-", " "), ...headings, ...headings, items ? lead : ""];
      const words = counted([told, ...above].join(" "));
      const heading = headings.at(-1) ?? page;
      const leads = !listed && found.at(-1)?.heading !== heading;
      const last = lead.split(/(?<=[.?!]) (?=[A-Z])/).at(-1)!;
      const before = items && /^[^{}]*:$/.test(last) && last.length <= SHORT ? { before: last } : {};
      const about = aboutOf(told, heading, table ? "" : marked);
      found.push({ page, heading, text: told, leads, ...(listed ? { list: at, ...before } : {}), words, about });
    }
    if (!items) lead = plain(block);
  }
  return found;
}

/** How many words of a passage's beginning say what it is about. */
const BEGINS = 3;

function aboutOf(text: string, heading: string, marked: string): Set<string> {
  const own = counted(text);
  const said = [...counted(marked).keys()].filter((word) => own.has(word));
  return new Set([...[...own.keys()].slice(0, BEGINS), ...counted(heading).keys(), ...said]);
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

/** The rows of a table, each as a sentence; where all of several columns have headings, each cell is told with its own. */
function rowsOf(table: string): string[] {
  const [heads = [], , ...rows] = table.split("\n").map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map(plain),
  );
  const headed = heads.length > 2 && heads.every(Boolean);
  const cells = (rest: readonly string[]) =>
    rest.flatMap((cell, at) => (cell === "" ? [] : [headed ? `${heads[at + 1]}: ${cell}` : cell]));
  return rows.map(([first = "", ...rest]) =>
    `${/^\d+$/.test(first) ? `${heads[0]} ` : ""}${first}: ${cells(rest).join("; ")}`.replace(/\w$/, "$&."),
  );
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
