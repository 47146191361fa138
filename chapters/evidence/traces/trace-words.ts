import { sha256 } from "../../../worlds/digest.ts";
import type { SearchEntry, SearchQuery } from "../../ports/store.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";

/** Words of one trace that a search finds it by, the first ones; what comes after is not searched. */
export const MOST_WORDS = 20_000;
const LONGEST = 64;
/** Letters and digits together; scripts that set no spaces between words, letter by letter. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}_])+/gu;

/** What a trace is narrowed by, as words that no text holds. */
export const FACETS = ["tool", "class", "call", "session", "agent", "version"] as const;
type Facet = (typeof FACETS)[number];

/** The words of a text: lower case, without accents. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return (plain.match(WORD) ?? []).map((word) => word.slice(0, LONGEST));
}

/** The word that stands for a value: values may hold any text. */
export function facetWord(facet: Facet, ...value: readonly string[]): string {
  return `${facet}=${sha256(JSON.stringify(value)).slice(0, 16)}`;
}

/** The words that stand for what a trace is narrowed by. */
export function facetWords(trace: CanonicalTrace): Set<string> {
  const facets = new Set<string>([facetWord("session", trace.session)]);
  for (const { tool, answer_class } of trace.calls) {
    facets.add(facetWord("tool", tool));
    facets.add(facetWord("class", answer_class));
    facets.add(facetWord("call", tool, answer_class));
  }
  for (const [facet, names] of Object.entries(LABELS) as [Facet, readonly string[]][])
    for (const name of names) if (trace.labels[name] !== undefined) facets.add(facetWord(facet, trace.labels[name]));
  return facets;
}

/** What a trace is found by. */
export function searchEntry(position: number, trace: CanonicalTrace): SearchEntry {
  const words = new Set<string>();
  for (const text of texts(trace)) {
    for (const word of wordsOf(text)) if (words.size < MOST_WORDS) words.add(word);
    if (words.size >= MOST_WORDS) break;
  }
  return {
    position,
    digest: sha256(JSON.stringify(trace)),
    startedAt: trace.started_at ?? null,
    ms: durationOf(trace) ?? null,
    costUsd: trace.cost_usd ?? null,
    words: [...facetWords(trace), ...words],
  };
}

/** Labels of a trace that say whose it is, where its record does not. */
export const LABELS = {
  agent: ["agent", "agent_name", "gen_ai.agent.name", "service"],
  version: ["agent_version", "version", "release", "service.version"],
} as const satisfies Partial<Record<Facet, readonly string[]>>;

/**
 * From its start, or first time, to its end or last time; else what its calls took together. Milliseconds; undefined where
 * no time is known.
 */
export function durationOf(trace: CanonicalTrace): number | undefined {
  const times = trace.turns.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const start = trace.started_at ?? times[0];
  const last = times.reduce((latest, at) => Math.max(latest, at), trace.ended_at ?? Number.NEGATIVE_INFINITY);
  if (start !== undefined && last > start) return Math.round((last - start) * 1000);
  const taken = trace.calls.flatMap(({ ms }) => (ms === undefined ? [] : [ms]));
  return taken.length === 0 ? undefined : taken.reduce((sum, ms) => sum + ms, 0);
}

/** The words somebody looks for; one that ends in `*` stands for all that begin so. */
export function queryWords(q: string): SearchQuery["words"] {
  return q.split(/\s+/).flatMap((part) => {
    const words = wordsOf(part);
    return words.map((word, i) => ({ word, prefix: part.endsWith("*") && i === words.length - 1 }));
  });
}

function* texts(trace: CanonicalTrace): Generator<string> {
  yield trace.session;
  yield trace.request;
  for (const { text } of trace.turns) yield text;
  for (const { tool, args, result } of trace.calls) {
    yield tool;
    yield* valuesOf(args);
    yield* valuesOf(result);
  }
  if (trace.final_answer !== null) yield trace.final_answer;
  yield* Object.values(trace.labels);
}

function* valuesOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "number") yield String(value);
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) yield key;
      yield* valuesOf(inner);
    }
}
