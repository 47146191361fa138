import type { Step } from "../behaviour/schema.ts";
import type { History } from "./history.ts";
import type { Call } from "./observations.ts";
import { literal } from "./terms.ts";
import { byText, canon } from "./values.ts";

/** What a tool answers for a row that is not there, and when evidence lets the world say so. */
export interface Missing {
  readonly text: string;
  /** Evidence shows all rows of the table, so that an unknown key is an absent row. */
  readonly always: boolean;
  /** Refuses keys whose form no real key ever had. */
  steps(keys: readonly string[]): Step[];
}

/** The share of a table's rows that were seen by more than one question: near 1 where evidence shows the whole table. */
export function closedness(history: History, table: string): number {
  const asked = new Map<string, Set<string>>();
  for (const sights of history.sights)
    for (const sight of sights) {
      if (sight.table !== table) continue;
      const questions = asked.get(sight.key) ?? new Set<string>();
      questions.add(`${sight.call.tool}${canon(sight.call.args)}`);
      asked.set(sight.key, questions);
    }
  if (asked.size < 5) return 0;
  return [...asked.values()].filter((questions) => questions.size > 1).length / asked.size;
}

function shapeOf(key: string): string {
  return key
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replace(/[A-Z]/g, "\u0001")
    .replace(/[a-z]+/g, "[a-z]+")
    .replaceAll("\u0001", "[A-Z]")
    .replace(/\d+/g, "[0-9]+");
}

function idForm(keys: readonly string[]): string | undefined {
  const forms = new Map<string, number>();
  for (const key of keys) {
    const form = /\d/.test(key) && /[A-Z]/.test(key) && !/[-_#]/.test(key) ? `[A-Z0-9]{${key.length}}` : shapeOf(key);
    forms.set(form, (forms.get(form) ?? 0) + 1);
  }
  return keys.length >= 10 && forms.size <= 3 ? [...forms.keys()].sort(byText).join("|") : undefined;
}

/** What a tool's not-found answers teach; undefined when it never gave one wording for an absent row. */
export function findMissing(history: History, table: string, calls: readonly Call[]): Missing | undefined {
  const refused = calls.filter(
    (call) => !call.ok && call.answerClass === "error:not_found" && typeof call.value === "string",
  );
  const texts = new Set(
    refused.map((call) => {
      let text = call.value as string;
      for (const value of Object.values(call.args))
        if (typeof value === "string" && value.length > 2) text = text.replaceAll(value, "\u0000");
      return text;
    }),
  );
  const [text] = texts;
  if (texts.size !== 1 || text === undefined || text.includes("\u0000") || /[{}]/.test(text)) return undefined;
  const always = closedness(history, table) >= 0.98;
  const form = idForm(Object.keys(history.base[table] ?? {}));
  return {
    text,
    always,
    steps: (keys) => {
      const key = keys[0];
      if (always || keys.length !== 1 || key === undefined || form === undefined) return [];
      return [
        {
          op: "let",
          name: "form",
          expr: `(${key}.matches(${literal(`^(?:${form})$`)}) ? true : error(${literal(text)}))`,
        },
      ];
    },
  };
}
