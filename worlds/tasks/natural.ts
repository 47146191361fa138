import { escapePattern } from "../pattern.ts";
import type { Kit } from "./kit.ts";
import type { Task } from "./schema.ts";

const WORDS = { least: 2, most: 160 };
const MACHINE =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[a-z]*\d)[0-9a-f]{16,}\b|\bundefined\b|\bnull\b|\[object|\{\}|\$\d+\.[a-z_]/i;

/** What of a task's request a person would not write: names of tools or parameters in code form, machine ids, too few or too many words. Empty when it reads naturally. */
export function unnatural(kit: Kit, task: Task): string[] {
  const problems: string[] = [];
  for (const text of [task.request, ...task.turns]) {
    const code = kit.tools
      .flatMap((t) => [t.name, ...t.params.map((p) => p.name)])
      .find((name) => name.includes("_") && new RegExp(`(?<![\\w])${escapePattern(name)}(?![\\w])`).test(text));
    if (code) problems.push(`names ${code}`);
    if (MACHINE.test(text)) problems.push("holds an id or a word that only a machine writes");
    const ids = text.match(/(?<![\w.@])(?=[\w#-]*\d)[\w#-]{7,}(?![\w@])/g) ?? [];
    if (ids.length > 6) problems.push(`lists ${ids.length} ids`);
    const words = text.split(/\s+/).length;
    if (words < WORDS.least || words > WORDS.most)
      problems.push(`has ${words} words, ${WORDS.least} to ${WORDS.most} are usual`);
    if (/ {2}|\bmy my\b|\ba an\b/.test(text)) problems.push("is put together wrongly");
  }
  return problems;
}
