import type { AnyOperation } from "./operation.ts";
import type { RegisteredOperation, Registry } from "./registry.ts";
import { THESAURUS } from "./thesaurus.ts";
import { stems } from "./words.ts";

/** An operation that a search found; `score` compares with those of the same search only. */
export interface Found {
  readonly registered: RegisteredOperation;
  readonly score: number;
}

/** How much a word counts by where it stands. */
const WEIGHT = { name: 4, title: 4, description: 2, field: 0.6 } as const;
/** BM25's own two settings, as they are usually taken. */
const K = 1.2;
const B = 0.5;
/** How much a word counts that stands for another one of the query. */
const IMPLIED = 0.7;

/** What begins a question: it is answered by reading, so that operations that read count more. */
const QUESTION = /^(what|which|who|where|when|why|how|is|are|was|were|do|does|did|has|have|show|list|see)\b/i;
const READ_BOOST = 1.3;
/** How much more an operation counts whose whole title the query names than one of whose title it names nothing. */
const TITLED = 0.6;

interface Indexed {
  readonly title: readonly string[];
  readonly registered: RegisteredOperation;
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Search over the names, titles, descriptions and fields of operations: words by their stems, ranked by BM25. */
export class OperationSearch {
  readonly #rows: readonly Indexed[];
  readonly #rarity: ReadonlyMap<string, number>;
  readonly #length: number;

  constructor(registry: Registry) {
    this.#rows = registry.operations.map(indexed);
    const among = new Map<string, number>();
    for (const { words } of this.#rows) for (const word of words.keys()) among.set(word, (among.get(word) ?? 0) + 1);
    const all = this.#rows.length;
    this.#rarity = new Map([...among].map(([word, n]) => [word, Math.log(1 + (all - n + 0.5) / (n + 0.5))]));
    this.#length = this.#rows.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all);
  }

  /** The operations that fit a query, the best first, of those that `among` takes. An exact name comes first. */
  find(query: string, among: (registered: RegisteredOperation) => boolean = () => true): Found[] {
    const terms = wanted(query);
    const asks = QUESTION.test(query.trim());
    const exact = query.trim().toLowerCase();
    return this.#rows
      .filter(({ registered }) => among(registered))
      .map((row) => ({
        registered: row.registered,
        score:
          row.registered.op.name === exact
            ? Number.POSITIVE_INFINITY
            : this.#score(row, terms) * (asks && row.registered.op.effect === "read" ? READ_BOOST : 1),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  }

  #score({ title, words, length }: Indexed, terms: ReadonlyMap<string, number>): number {
    const norm = K * (1 - B + (B * length) / this.#length);
    let score = 0;
    for (const [word, weight] of terms) {
      const n = words.get(word) ?? 0;
      if (n > 0) score += (weight * (this.#rarity.get(word) ?? 0) * n * (K + 1)) / (n + norm);
    }
    const share = title.filter((word) => terms.has(word)).length / Math.max(1, title.length);
    return score * (1 + TITLED * share);
  }
}

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
function wanted(query: string): Map<string, number> {
  const terms = new Map<string, number>();
  const own = stems(query);
  const joined = ` ${own.join(" ")} `;
  for (const { phrases, means } of THESAURUS)
    if (phrases.some((phrase) => joined.includes(` ${stems(phrase).join(" ")} `)))
      for (const word of stems(means)) terms.set(word, IMPLIED);
  for (const word of own) terms.set(word, 1);
  return terms;
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
  for (const [name, text] of fields(op)) count(`${name.replaceAll("_", " ")} ${text}`, WEIGHT.field);
  let length = 0;
  for (const n of words.values()) length += n;
  return { registered, title: [...new Set(stems(op.title))], words, length };
}

function fields({ input }: AnyOperation): [string, string][] {
  return Object.entries(input.shape)
    .filter(([name]) => !["orgtag", "by", "limit", "cursor"].includes(name))
    .map(([name, field]) => [name, (field as { description?: string }).description ?? ""]);
}
