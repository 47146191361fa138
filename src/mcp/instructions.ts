import type { Registry } from "../../tools/kernel/registry.ts";

const INTRO =
  "Evaluates agents that call tools: push traces as evidence, compile a fake world from them, write and review tasks, run agents over them in trials, compare two run groups and read the verdict.";
const HABITS = [
  "Long work answers a job id: ask for it again with job_status until it has ended.",
  "Lists take limit and cursor; a cursor is the page before's next.",
  "Answers are at most 4,000 tokens: `cut` says what is left out. Every tool that reads also takes limit (rows, whole), cursor, fields (paths, as tasks.id) and family, status, outcome or tool to pick rows.",
  "Counts carry a tier (human, deterministic, llm-derived): how they were made.",
  "A refusal holds error, reason and, for a wrong input, the fields.",
  "?toolset=core at the server's URL lists the tools from traces to a verdict, and find_operations, read_operation and call_operation, which reach all others; ?chapters=NAME,NAME and ?shaped=1 narrow the list too. Chapters:",
];
/** Longer instructions are cut by clients. */
const LIMIT = 2000;

/** What a model is told when it connects: what the service is for, its habits, its chapters. At most 2,000 characters. */
export function instructionsFor(registry: Registry): string {
  const lines = [INTRO, ...HABITS];
  for (const { name, description } of registry.chapters) {
    const line = `- ${name}: ${description}`;
    if ([...lines, line].join("\n").length > LIMIT) lines.push(`- ${name}`.slice(0, 60));
    else lines.push(line);
  }
  return lines.join("\n").slice(0, LIMIT);
}
