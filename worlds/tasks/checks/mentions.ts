import type { BaseState } from "../../bundle.ts";
import type { Json } from "../../json.ts";
import { leaves } from "../leaves.ts";
import { namesOf } from "./names.ts";
import { fold, singular, type Token, tokens } from "./words.ts";

/** A row that a text names, by its key or by a column that names it to people. */
export interface Row {
  readonly table: string;
  readonly key: string;
}

/** Where a text names rows: more than one where they share a name. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly Row[];
}

interface Name {
  readonly words: readonly string[];
  readonly rows: Row[];
}

interface Index {
  /** Names by their first word, longer ones first. */
  readonly byFirst: ReadonlyMap<string, readonly Name[]>;
  readonly byName: ReadonlyMap<string, Name>;
}

const DATED = /^\d{4}-\d\d-\d\d/;
const indexes = new WeakMap<BaseState, Index>();

/** A possessive names who or what it is of; a plural names the thing. */
const plain = (word: string): string => singular(word.replace(/'s?$/, ""));
const wordsOf = (name: string): string[] => tokens(fold(name.replace(/_/g, " "))).map(({ text }) => plain(text));

/** A lone common word or a small number stands in answers by chance. */
function isTelling(name: string, words: readonly string[]): boolean {
  if (DATED.test(name) || name.length > 120) return false;
  if (!/\p{L}/u.test(name)) return words.length === 1 && name.length >= 5;
  return words.length > 1 ? name.length >= 4 : /\d/.test(name);
}

function indexOf(base: BaseState): Index {
  let found = indexes.get(base);
  if (found) return found;
  const byName = new Map<string, Name>();
  for (const [table, rows] of Object.entries(base.tables))
    for (const [key, row] of Object.entries(rows))
      for (const name of new Set([key, ...namesOf(row)])) {
        const words = wordsOf(name);
        if (!isTelling(name, words)) continue;
        const known = byName.get(words.join(" "));
        if (known) known.rows.push({ table, key });
        else byName.set(words.join(" "), { words, rows: [{ table, key }] });
      }
  const byFirst = new Map<string, Name[]>();
  for (const name of [...byName.values()].sort((a, b) => b.words.length - a.words.length)) {
    const first = name.words[0] ?? "";
    const same = byFirst.get(first);
    if (same) same.push(name);
    else byFirst.set(first, [name]);
  }
  found = { byFirst, byName };
  indexes.set(base, found);
  return found;
}

/** Where a read text names rows of the state, in order; of names that overlap the longest. */
export function mentionsIn(words: readonly Token[], base: BaseState): Mention[] {
  const { byFirst } = indexOf(base);
  const texts = words.map(({ text }) => plain(text));
  const found: Mention[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const name = byFirst.get(texts[i] ?? "")?.find((one) => one.words.every((word, j) => texts[i + j] === word));
    if (!name) continue;
    const last = i + name.words.length - 1;
    found.push({ start: words[i]?.start ?? 0, end: words[last]?.end ?? 0, rows: name.rows });
    i = last;
  }
  return found;
}

/** The rows whose keys stand in a row. */
export function rowsIn({ table, key }: Row, base: BaseState): Row[] {
  const { byName } = indexOf(base);
  return leaves((base.tables[table]?.[key] ?? null) as Json).flatMap(({ value }) =>
    typeof value === "string"
      ? (byName.get(wordsOf(value).join(" "))?.rows.filter((row) => row.key === value && row.key !== key) ?? [])
      : [],
  );
}
