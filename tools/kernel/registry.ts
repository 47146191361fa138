import { z } from "zod";
import { allows, type Scope } from "../../chapters/caller.ts";
import { badRequest } from "../../chapters/errors.ts";
import type { Chapter } from "./chapter.ts";
import type { JsonSchema } from "./lean.ts";
import { type AnyOperation, annotationsOf, strictInput } from "./operation.ts";
import { shapedOutput } from "./shaped.ts";

/** A tool as listed. */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ReturnType<typeof annotationsOf>;
}

/** An operation as it is served. Its schemas are made when first asked for, once; then they throw where one does not convert. */
export interface RegisteredOperation {
  readonly op: AnyOperation;
  readonly chapter: string;
  readonly listing: ToolListing;
  /** The answer's schema, listed for plain tools only when the URL asks. */
  readonly plainOutput: JsonSchema;
}

/** What a caller narrowed the tool list to. */
export interface ListFilter {
  readonly chapters?: readonly string[] | undefined;
  readonly shaped?: boolean | undefined;
  /** Only tools that this scope may call. */
  readonly scope?: Scope | undefined;
}

/** Every operation of the service. Order: chapters as declared, then as written. */
export class Registry {
  readonly chapters: readonly Chapter[];
  readonly operations: readonly RegisteredOperation[];
  readonly #byName: ReadonlyMap<string, RegisteredOperation>;

  /** Throws when a name stands twice. */
  constructor(chapters: readonly Chapter[]) {
    this.chapters = chapters;
    this.operations = chapters.flatMap((chapter) => chapter.operations.map((op) => register(op, chapter.name)));
    const byName = new Map<string, RegisteredOperation>();
    for (const registered of this.operations) {
      if (byName.has(registered.op.name)) throw new Error(`two operations are named ${registered.op.name}`);
      byName.set(registered.op.name, registered);
    }
    this.#byName = byName;
  }

  get(name: string): RegisteredOperation | undefined {
    return this.#byName.get(name);
  }

  /** The tools a filter leaves, in the fixed order. An unknown chapter is a bad request. */
  list(filter: ListFilter): RegisteredOperation[] {
    const known = new Set(this.chapters.map((chapter) => chapter.name));
    const unknown = filter.chapters?.filter((name) => !known.has(name)) ?? [];
    if (unknown.length > 0) {
      throw badRequest(`Unknown chapters. There are: ${[...known].join(", ")}.`, { names: unknown });
    }
    return this.operations.filter(
      ({ op, chapter }) =>
        (filter.chapters === undefined || filter.chapters.includes(chapter)) &&
        (filter.shaped !== true || op.shape !== undefined) &&
        (filter.scope === undefined || allows(filter.scope, op.scope)),
    );
  }
}

function register(op: AnyOperation, chapter: string): RegisteredOperation {
  const schemas = schemasOf(op);
  const plain = {
    name: op.name,
    title: op.title,
    description: op.description,
    get inputSchema() {
      return schemas.input;
    },
    annotations: annotationsOf(op),
  };
  return {
    op,
    chapter,
    listing: op.shape === undefined ? plain : shaped(plain, schemas),
    get plainOutput() {
      return schemas.plain;
    },
  };
}

/** The listing of an operation that answers with a verdict. */
function shaped(listing: ToolListing, schemas: Schemas): ToolListing {
  return Object.defineProperty(listing, "outputSchema", { get: () => schemas.shaped, enumerable: true });
}

/** All of them together take half a second of a start, and most processes list none or a few. */
class Schemas {
  readonly #op: AnyOperation;
  #input: JsonSchema | undefined;
  #plain: JsonSchema | undefined;
  #shaped: JsonSchema | undefined;

  constructor(op: AnyOperation) {
    this.#op = op;
  }

  get input(): JsonSchema {
    this.#input ??= jsonSchema(this.#op, "input", strictInput(this.#op));
    return this.#input;
  }

  get plain(): JsonSchema {
    this.#plain ??= jsonSchema(this.#op, "output", plainAnswer(this.#op));
    return this.#plain;
  }

  get shaped(): JsonSchema {
    this.#shaped ??= jsonSchema(this.#op, "output", shapedOutput(this.#op.output));
    return this.#shaped;
  }
}

const made = new WeakMap<AnyOperation, Schemas>();

function schemasOf(op: AnyOperation): Schemas {
  const known = made.get(op) ?? new Schemas(op);
  made.set(op, known);
  return known;
}

/** What a plain tool answers: the route's own status and body. */
function plainAnswer(op: AnyOperation): z.ZodType {
  return z.object({ status: z.number().int(), body: op.output });
}

function jsonSchema(op: AnyOperation, io: "input" | "output", schema: z.ZodType): JsonSchema {
  try {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, reused: "inline", cycles: "throw" });
    return rest as JsonSchema;
  } catch (cause) {
    throw new Error(`${op.name}: its ${io} schema does not convert to JSON Schema`, { cause });
  }
}
