import { Declarations } from "../../../worlds/declare.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { getJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import type { VersionDoc } from "../../find-agent.ts";

/** A tool that a version changes, and what says so. */
export interface TouchedTool {
  readonly tool: string;
  readonly how: "named" | "added" | "removed" | "redeclared" | "described" | "schema" | "file";
}

/**
 * The tools that a change touches, by name: those that the caller names, else what the version itself declares, the texts
 * of its tools that differ from the version before, and changed files that are called after a tool. A version that says
 * nothing of its tools is a conflict.
 */
export async function touchedTools(
  ctx: Ctx,
  version: VersionDoc,
  named: readonly string[] | undefined,
  known: ReadonlySet<string>,
): Promise<TouchedTool[]> {
  if (named !== undefined) return [...new Set(named)].sort().map((tool) => ({ tool, how: "named" }));
  const found = new Map<string, TouchedTool["how"]>();
  const take = (how: TouchedTool["how"], tools: readonly string[]) => {
    for (const tool of tools) if (!found.has(tool)) found.set(tool, how);
  };
  const { target, tool_texts, changes } = version;
  if (target.kind === "surface" && target.declared !== undefined) {
    const declared = Declarations.parse(await getJson(ctx, target.declared));
    take(
      "added",
      (declared.added_tools ?? []).map(({ name }) => name),
    );
    take("removed", declared.removed_tools ?? []);
    take(
      "redeclared",
      (declared.redeclared_tools ?? []).map(({ name }) => name),
    );
    take("schema", Object.keys(declared.schema_overrides ?? {}));
    take("described", Object.keys(declared.description_overrides ?? {}));
  }
  if (tool_texts?.before !== undefined) {
    take("added", tool_texts.added);
    take("removed", tool_texts.removed);
    take("described", tool_texts.changed);
  }
  if (changes !== undefined)
    take("file", calledAfter([...(changes.areas.tools ?? []), ...(changes.areas.handlers ?? [])], known));
  const told = found.size > 0 || tool_texts?.before !== undefined || changes !== undefined || target.kind === "surface";
  if (!told)
    throw conflict(
      "Nothing says which tools this version changes: name them in tools, or record its tool texts or its changed files.",
    );
  return [...found].map(([tool, how]) => ({ tool, how })).sort((a, b) => (a.tool < b.tool ? -1 : 1));
}

/** Whether a task's script, or another that is as right, calls any of these tools. */
export function callsAny({ script, alternatives = [] }: Task, tools: ReadonlySet<string>): boolean {
  return [script, ...alternatives].some(({ calls }) => calls.some(({ tool }) => tools.has(tool)));
}

/** The tools that files are called after, whatever their case and separators. */
function calledAfter(files: readonly string[], known: ReadonlySet<string>): string[] {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const names = new Set(files.map((file) => plain((file.split("/").at(-1) ?? "").replace(/\.[^.]*$/, ""))));
  return [...known].filter((tool) => names.has(plain(tool)));
}
