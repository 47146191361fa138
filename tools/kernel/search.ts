import { stems } from "../../chapters/text/stems.ts";
import { Bm25, type Words } from "./bm25.ts";
import type { AnyOperation } from "./operation.ts";
import { QUESTION_WORDS } from "./question-words.ts";
import type { RegisteredOperation, Registry } from "./registry.ts";
import { THESAURUS } from "./thesaurus.ts";

/** An operation that a search found; `score` compares with those of the same search only. */
export interface Found {
  readonly registered: RegisteredOperation;
  readonly score: number;
  /** How much of what the query's own words weigh it knows, by them or by what they stand for: 0 to 1. */
  readonly known: number;
}

/** How much a word counts by where it stands. */
const WEIGHT = { name: 4, title: 4, question: 3, description: 2, field: 0.6 } as const;
/** How much a word counts that stands for another one of the query. */
const IMPLIED = 0.7;

/** What begins a question: it is answered by reading, so that operations that read count more. */
const QUESTION = /^(what|which|who|where|when|why|how|is|are|was|were|do|does|did|has|have|show|list|see)\b/i;
/** What asks for the way to do something: it names the operation that does it. */
const HOW_TO =
  /^(how (do|can|could|should|would) (i|one)|how (can|could|should) (we|you)|how to|(can|could) (i|you|we))\b(?! (see|know|find|tell|check|look|view|list|compare|read|measure|trust)\b)/i;
/** Whether words ask for the way to do something: what does it counts more. */
export function asksHow(words: string): boolean {
  return HOW_TO.test(words.trim());
}
/** Whether words ask for something to be told, and not to be done. */
export function isQuestion(words: string): boolean {
  if (asksHow(words)) return false;
  return QUESTION.test(words.trim()) || words.trim().endsWith("?");
}

/** How much more an operation counts that reads, where something is asked; that acts, where the way to do it is. */
const MEANT = 1.3;
/** How much more an operation counts whose whole title the query names than one of whose title it names nothing. */
const TITLED = 0.6;

interface Indexed {
  readonly title: readonly string[];
  readonly registered: RegisteredOperation;
  readonly words: Words;
}

/** Search over the names, titles, descriptions and fields of operations: words by their stems, ranked by BM25. */
export class OperationSearch {
  readonly #rows: readonly Indexed[];
  readonly #ranking: Bm25;

  constructor(registry: Registry) {
    this.#rows = registry.operations.map(indexed);
    this.#ranking = new Bm25(this.#rows.map(({ words }) => words));
  }

  /** The operations that fit a query, the best first, of those that `among` takes. An exact name comes first. */
  find(query: string, among: (registered: RegisteredOperation) => boolean = () => true): Found[] {
    const { terms, own } = wanted(query);
    const reads = isQuestion(query);
    const acts = asksHow(query);
    const boost = (effect: string) => ((effect === "read" ? reads : acts) ? MEANT : 1);
    const exact = query.trim().toLowerCase();
    return this.#rows
      .map((row, at) => ({
        registered: row.registered,
        score:
          row.registered.op.name === exact
            ? Number.POSITIVE_INFINITY
            : this.#ranking.score(at, terms) * titled(row, terms) * boost(row.registered.op.effect),
        known: this.#known(row, own),
      }))
      .filter(({ registered, score }) => score > 0 && among(registered))
      .sort((a, b) => b.score - a.score);
  }

  #known({ words }: Indexed, own: OwnWords): number {
    let [known, all] = [0, 0];
    for (const [word, forms] of own) {
      const weight = this.#ranking.rarity(word);
      all += weight;
      if (forms.some((form) => words.has(form))) known += weight;
    }
    return all === 0 ? 0 : known / all;
  }
}

function titled({ title }: Indexed, terms: Words): number {
  return 1 + (TITLED * title.filter((word) => terms.has(word)).length) / Math.max(1, title.length);
}

/** A word of a query, and all words by which an operation may know it. */
type OwnWords = ReadonlyMap<string, readonly string[]>;

const searches = new WeakMap<Registry, OperationSearch>();

/** The search over a registry, made at its first use. */
export function searchOf(registry: Registry): () => OperationSearch {
  return () => {
    const search = searches.get(registry) ?? new OperationSearch(registry);
    searches.set(registry, search);
    return search;
  };
}

/** The stems of a query, with those that its words stand for; an own word counts more than an implied one. */
function wanted(query: string): { terms: Map<string, number>; own: OwnWords } {
  const terms = new Map<string, number>();
  const words = stems(query);
  const own = new Map<string, string[]>(words.map((word) => [word, [word]]));
  const joined = ` ${words.join(" ")} `;
  for (const { phrases, means } of THESAURUS) {
    const meant = stems(means);
    for (const phrase of phrases) {
      const said = stems(phrase);
      if (!joined.includes(` ${said.join(" ")} `)) continue;
      for (const word of meant) terms.set(word, IMPLIED);
      for (const word of said) own.get(word)?.push(...meant);
    }
  }
  for (const word of words) terms.set(word, 1);
  return { terms, own };
}

function indexed(registered: RegisteredOperation): Indexed {
  const { op } = registered;
  const words = new Map<string, number>();
  const count = (text: string, weight: number) => {
    for (const word of stems(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  count(op.name.replaceAll("_", " "), WEIGHT.name);
  count(op.title, WEIGHT.title);
  count(op.description, WEIGHT.description);
  count(QUESTION_WORDS[op.name] ?? "", WEIGHT.question);
  for (const [name, text] of fields(op)) count(`${name.replaceAll("_", " ")} ${text}`, WEIGHT.field);
  return { registered, title: [...new Set(stems(op.title))], words };
}

function fields({ input }: AnyOperation): [string, string][] {
  return Object.entries(input.shape)
    .filter(([name]) => !["orgtag", "by", "limit", "cursor"].includes(name))
    .map(([name, field]) => [name, (field as { description?: string }).description ?? ""]);
}
