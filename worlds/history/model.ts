import { byText } from "../compile/values.ts";
import { frozenCopy, type Json } from "../json.ts";
import { CONTEXTS, type Context, type Rules } from "./course.ts";
import { hashOf } from "./hash.ts";
import type { HistoryModel } from "./schema.ts";
import { type Answer, type Hit, SUPPORTS, type Support, type Table } from "./table.ts";

const KEY = 14;
/** Entries that a bundle keeps at most: about 1.5 MB of keys, and the answers they name. */
const MOST_ENTRIES = 60_000;
/** Characters of answers that a bundle keeps at most. */
const MOST_TEXT = 12_000_000;

/** An entry to be kept, and why it comes before others where not all can be. */
interface Kept {
  readonly key: string;
  readonly hit: Hit;
  readonly depth: number;
}

const record = (map: ReadonlyMap<string, ReadonlySet<string>>): Record<string, string[]> =>
  Object.fromEntries([...map].sort(([a], [b]) => byText(a, b)).map(([kind, tools]) => [kind, [...tools].sort(byText)]));

/** What a bundle keeps of a table: the entries that `wanted` names, the narrowest context and the shortest way first where there are too many. */
export function storedHistory(
  table: Table,
  tasks: Iterable<string>,
  wanted: (key: string, hit: Hit) => boolean,
): HistoryModel {
  const kept: Kept[] = [];
  for (const [key, entry] of table.entries) {
    const hit = table.hitOf(entry);
    if (hit && wanted(key, hit)) kept.push({ key, hit, depth: entry.depth });
  }
  const rank = (context: Context) => CONTEXTS.indexOf(context);
  kept.sort((a, b) => rank(a.hit.context) - rank(b.hit.context) || a.depth - b.depth || byText(a.key, b.key));
  const chosen = bounded(table, kept).sort((a, b) => byText(a.key, b.key));
  const numbers = new Map<number, number>();
  const order = [...new Set(chosen.map(({ hit }) => hit.answer))];
  for (const answer of order) numbers.set(answer, numbers.size);
  const { rules } = table;
  return {
    v: 1,
    effective: [...rules.effective].sort(byText),
    moves: record(rules.moves),
    reaches: record(rules.reaches),
    leaves: record(rules.leaves),
    generated: [...rules.volatile.generated].sort(byText),
    clocks: [...rules.volatile.clocks].sort(byText),
    one_start: rules.oneStart,
    tasks: [...new Set([...tasks].map(hashOf))].sort(byText).join(""),
    answers: order.map((n) => {
      const { tool, value, isError, answerClass, fresh } = table.answers[n] as Answer;
      return {
        tool,
        value,
        is_error: isError,
        answer_class: answerClass,
        ...(fresh.length > 0 ? { fresh: [...fresh] } : {}),
      };
    }),
    contexts: contextsOf(table, chosen),
    keys: chosen.map(({ key }) => key).join(""),
    values: chosen.map(
      ({ hit }) => (numbers.get(hit.answer) as number) * SUPPORTS.length + SUPPORTS.indexOf(hit.support),
    ),
  };
}

function contextsOf(table: Table, chosen: readonly Kept[]): Record<string, string[]> {
  const out = new Map<string, Set<string>>();
  for (const { hit } of chosen) {
    const { tool } = table.answers[hit.answer] as Answer;
    out.set(tool, (out.get(tool) ?? new Set()).add(hit.context));
  }
  return record(out);
}

/** What a table knows of calls, without what was heard. */
export const rulesAlone = (table: Table): HistoryModel => storedHistory(table, [], () => false);

function bounded(table: Table, kept: readonly Kept[]): Kept[] {
  const out: Kept[] = [];
  const told = new Set<number>();
  let text = 0;
  for (const one of kept) {
    if (out.length === MOST_ENTRIES) break;
    const { answer } = one.hit;
    if (!told.has(answer)) {
      const length = JSON.stringify(table.answers[answer]?.value ?? null).length;
      if (text + length > MOST_TEXT) continue;
      text += length;
      told.add(answer);
    }
    out.push(one);
  }
  return out;
}

const NONE: readonly Context[] = [];

/** A stored history made ready to be asked by any number of worlds. */
export class PreparedHistory {
  readonly rules: Rules;
  private readonly answers: readonly (Answer & { readonly value: Json })[];
  private readonly entries = new Map<string, number>();
  private readonly tasks = new Set<string>();
  /** By tool, the contexts in which anything is on record. */
  private readonly contexts: ReadonlyMap<string, readonly Context[]>;
  /** Ids that recorded systems generated. */
  private readonly issued = new Set<string>();

  constructor(model: HistoryModel) {
    const sets = (byKind: Record<string, string[]>) =>
      new Map(Object.entries(byKind).map(([kind, tools]) => [kind, new Set(tools)]));
    this.rules = {
      effective: new Set(model.effective),
      moves: sets(model.moves),
      reaches: sets(model.reaches),
      leaves: sets(model.leaves),
      volatile: { generated: new Set(model.generated), clocks: new Set(model.clocks) },
      oneStart: model.one_start,
    };
    this.answers = model.answers.map(({ tool, value, is_error: isError, answer_class: answerClass, fresh = [] }) => ({
      tool,
      fresh,
      value: frozenCopy(value) ?? null,
      isError,
      answerClass,
      ok: answerClass === "data" || answerClass === "empty",
    }));
    for (const { fresh } of this.answers) for (const id of fresh) this.issued.add(String(id));
    this.contexts = new Map(
      Object.entries(model.contexts).map(([tool, own]) => [tool, CONTEXTS.filter((context) => own.includes(context))]),
    );
    model.values.forEach((value, i) => {
      this.entries.set(model.keys.slice(i * KEY, (i + 1) * KEY), value);
    });
    for (let at = 0; at < model.tasks.length; at += KEY) this.tasks.add(model.tasks.slice(at, at + KEY));
  }

  knows(task: string): boolean {
    return this.tasks.has(hashOf(task));
  }

  /** The contexts in which anything of a tool is on record. */
  contextsOf(tool: string): readonly Context[] {
    return this.contexts.get(tool) ?? NONE;
  }

  /** Whether a recorded system generated this id. */
  hasIssued(id: string | number): boolean {
    return this.issued.has(String(id));
  }

  /** What is on record under a key of a context and question. */
  find(key: string): { readonly answer: Answer; readonly support: Support } | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    const answer = this.answers[Math.floor(value / SUPPORTS.length)];
    const support = SUPPORTS[value % SUPPORTS.length];
    return answer && support ? { answer, support } : undefined;
  }
}
