import { z } from "zod";
import { type DeskOptions, openDatabase } from "./database.ts";
import { READS } from "./reads.ts";
import { Refusal } from "./records.ts";
import type { DeskTool } from "./tool.ts";
import { WRITES } from "./writes.ts";

const TOOLS: readonly DeskTool[] = [...READS, ...WRITES];
const BY_NAME: ReadonlyMap<string, DeskTool> = new Map(TOOLS.map((entry) => [entry.name, entry]));

/** A tool as the desk lists it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** What a call of the desk answers: JSON text, or the words of a refusal with the error flag. */
export interface DeskAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** An order desk over a database of its own. */
export interface Desk {
  readonly tools: readonly ListedTool[];
  /** Answers one call; a refused one changes nothing. Undefined for a tool that the desk does not have. */
  call(name: string, args: Readonly<Record<string, unknown>>): DeskAnswer | undefined;
  close(): void;
}

/** The desk's tool listing, in its fixed order. */
export function listTools(): ListedTool[] {
  return TOOLS.map(({ name, title, description, effect, input }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(input) as Record<string, unknown>;
    const readOnly = effect === "read";
    return {
      name,
      title,
      description,
      inputSchema: { type: "object", ...schema },
      annotations: {
        readOnlyHint: readOnly,
        destructiveHint: effect === "update",
        idempotentHint: readOnly,
        openWorldHint: false,
      },
    };
  });
}

const LISTED: readonly ListedTool[] = listTools();

/** Opens a desk on a fresh, seeded database. */
export function createDesk(options: DeskOptions = {}): Desk {
  const db = openDatabase(options);
  return {
    tools: LISTED,
    call(name, args) {
      const called = BY_NAME.get(name);
      if (!called) return undefined;
      const parsed = called.input.strict().safeParse(args);
      if (!parsed.success) {
        const issues = parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
        return { text: `Invalid arguments: ${issues.join("; ")}`, isError: true };
      }
      try {
        const answer = db.transaction(() => called.work(db, parsed.data))();
        return { text: JSON.stringify(answer), isError: false };
      } catch (error) {
        if (error instanceof Refusal) return { text: error.message, isError: true };
        throw error;
      }
    },
    close: () => db.close(),
  };
}
