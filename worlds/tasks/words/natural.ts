import { escapePattern } from "../../pattern.ts";
import type { Kit } from "../kit.ts";
import type { Task } from "../schema.ts";
import { type Corpus, ENOUGH_TURNS, wordsOf } from "./corpus.ts";
import { broken } from "./sense.ts";

/** How a request reads beside how users speak. `not_decided` where too few of them were heard. */
export interface Naturalness {
  readonly verdict: "natural" | "odd" | "not_decided";
  readonly reason: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** Longer and shorter by this than what users were heard to say is still how they speak. */
const SLACK = 1.5;

/** More values than these behind one colon are a form that is filled in: of the turns of people that were read, none has one. */
const MOST_FIELDS = 3;

/** Whether a request is written as a form: numbered records, or a list of labels with their values behind a colon. */
export function isForm(request: string): boolean {
  if (/\(\d\) \S.*; \(\d\) /s.test(request)) return true;
  const plain = request.replace(/"[^"]*"|\u201c[^\u201d]*\u201d/g, "x");
  return [...plain.matchAll(/: (.+?)(?:[.?!](?:\s|$)|$)/gs)].some(
    ([, listed = ""]) => listed.split(/, | and /).length > MOST_FIELDS,
  );
}

/** Measures a request against users' language: no machine texts, a usual length, and their pairs of words. */
export function naturalness(kit: Kit, task: Task, corpus: Corpus | undefined): Naturalness {
  const odd = unnatural(kit, task);
  const counts: Record<string, number> = { problems: odd.length };
  if (odd[0] !== undefined) return { verdict: "odd", reason: odd[0], counts };
  if (corpus?.enough !== true) {
    const reason = `not decided: ${corpus?.turns ?? 0} distinct user turns show no way of speaking, ${ENOUGH_TURNS} would`;
    return { verdict: "not_decided", reason, counts };
  }
  const words = wordsOf(task.request).length;
  const overlap = corpus.overlap(task.request);
  counts.words = words;
  if (overlap !== undefined) counts.overlap_percent = Math.round(overlap * 100);
  if (words < corpus.lengths.least / SLACK || words > corpus.lengths.most * SLACK)
    return {
      verdict: "odd",
      reason: `has ${words} words, users say ${corpus.lengths.least} to ${corpus.lengths.most}`,
      counts,
    };
  if (overlap !== undefined && overlap < corpus.usual)
    return {
      verdict: "odd",
      reason: `shares ${Math.round(overlap * 100)} % of its pairs of words with what users say, where theirs share ${Math.round(corpus.usual * 100)} % or more`,
      counts,
    };
  return { verdict: "natural", reason: "the request is made of what users say", counts };
}

const MACHINE =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[a-z]*\d)[0-9a-f]{16,}\b|\bundefined\b|\bnull\b|\[object|\{\}|\$\d+\.[a-z_]/i;

/** What a person would not write in a request: names in code form, machine ids, gaps. Empty when it reads naturally. */
function unnatural(kit: Kit, task: Task): string[] {
  const problems: string[] = [];
  for (const text of [task.request, ...task.turns]) {
    const code = kit.tools
      .flatMap((t) => [t.name, ...t.params.map((p) => p.name)])
      .find((name) => name.includes("_") && new RegExp(`(?<![\\w])${escapePattern(name)}(?![\\w])`).test(text));
    if (code) problems.push(`names ${code}`);
    if (MACHINE.test(text)) problems.push("holds an id or a word that only a machine writes");
    if (task.family !== "mined" && isForm(text)) problems.push("is filled in as a form");
    if (task.family !== "mined" && /\((?:the|my) [\p{L} ]+ of /u.test(text)) problems.push("names a thing in brackets");
    const ids = text.match(/(?<![\w.@])(?=[\w#-]*\d)[\w#-]{7,}(?![\w@])/g) ?? [];
    if (ids.length > 6) problems.push(`lists ${ids.length} ids`);
    if (task.tier === "deterministic" && task.family !== "mined" && (/\bmy my\b|\ba an\b/.test(text) || broken(text)))
      problems.push("is put together wrongly");
  }
  return problems;
}
