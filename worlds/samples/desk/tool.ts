import type { z } from "zod";
import type { DeskDatabase } from "./database.ts";

/** One tool of the desk: what a model is told of it, and what it does. `work` runs inside one transaction; a Refusal undoes it whole. */
export interface DeskTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: "read" | "create" | "update";
  readonly input: z.ZodObject;
  readonly work: (db: DeskDatabase, args: Record<string, unknown>) => unknown;
}

/** Binds a tool's work to the type of its input. */
export function tool<S extends z.ZodObject>(
  definition: Omit<DeskTool, "input" | "work"> & { input: S; work: (db: DeskDatabase, args: z.infer<S>) => unknown },
): DeskTool {
  return definition as unknown as DeskTool;
}
