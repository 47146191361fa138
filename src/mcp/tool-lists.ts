import { LRUCache } from "lru-cache";
import { Scope } from "../../chapters/caller.ts";
import { badRequest } from "../../chapters/errors.ts";
import { type LeanListing, leanListing } from "../../tools/kernel/lean.ts";
import type { RegisteredOperation, Registry, ToolListing } from "../../tools/kernel/registry.ts";
import { type OperationSearch, searchOf } from "../../tools/kernel/search.ts";
import { CORE, GATEWAY_TOOLS, Gateway } from "./core-tools.ts";
import { operationsFor } from "./read-tools.ts";

/** What one URL of the tool server offers: the listing as sent, and the operations it may call. */
export interface ToolList {
  readonly tools: readonly (LeanListing | ToolListing)[];
  readonly byName: ReadonlyMap<string, RegisteredOperation>;
  /** All operations that a call can come to, by one tool or another: what prompts and resources may name. */
  readonly reachable: ReadonlyMap<string, RegisteredOperation>;
  /** Whether it was asked for with output schemas, by a program: answers are then whole. */
  readonly whole: boolean;
  /** With `toolset=core`: what the three tools reach that are no operations. */
  readonly gateway?: Gateway;
}

/** How many distinct URLs are remembered; there are few in use, and each list is small beside the schemas it shares. */
const REMEMBERED = 64;

/** The tool lists of a registry by URL query, each made once. */
export class ToolLists {
  readonly #registry: Registry;
  readonly #search: () => OperationSearch;
  readonly #lists = new LRUCache<string, ToolList>({ max: REMEMBERED });
  constructor(registry: Registry) {
    this.#registry = registry;
    this.#search = searchOf(registry);
  }

  /**
   * Reads `toolset`, `chapters`, `shaped`, `scope` and `output_schemas`; `ownOrg` is whether the credential is of one org. Throws
   * `bad_request` for values that name nothing.
   */
  of(query: URLSearchParams, ownOrg: boolean): ToolList {
    const parts = ["toolset", "chapters", "shaped", "scope", "output_schemas"].map((name) =>
      query.getAll(name).join(","),
    );
    const key = [...parts, ownOrg].join("&");
    const known = this.#lists.get(key);
    if (known) return known;
    const made = this.#make(query, ownOrg);
    this.#lists.set(key, made);
    return made;
  }

  #make(query: URLSearchParams, ownOrg: boolean): ToolList {
    const chapters = query
      .getAll("chapters")
      .flatMap((text) => text.split(","))
      .map((name) => name.trim())
      .filter(Boolean);
    const scope = query.get("scope") || undefined;
    const parsed = Scope.optional().safeParse(scope);
    if (!parsed.success) throw badRequest("Unknown scope. There are: read, push, admin.");
    const listed = this.#registry.list({
      chapters: chapters.length > 0 ? chapters : undefined,
      shaped: truth(query.get("shaped")),
      scope: parsed.data,
    });
    const schemas = truth(query.get("output_schemas"));
    const shown = (registered: RegisteredOperation) =>
      schemas ? withOutput(registered) : leanListing(registered.op, ownOrg);
    const all = named(listed);
    const toolset = query.get("toolset") || "all";
    if (toolset === "all") return { tools: listed.map(shown), byName: all, reachable: all, whole: schemas };
    if (toolset !== "core") throw badRequest("Unknown toolset. There are: all, core.");
    const core = CORE.flatMap((name) => all.get(name) ?? []);
    const { find, read, call } = GATEWAY_TOOLS;
    const reaching = parsed.data === "read" ? [find, read] : [find, read, call];
    return {
      tools: [...core.map(shown), ...reaching],
      byName: named(core),
      reachable: all,
      whole: schemas,
      gateway: new Gateway(
        all,
        { search: this.#search(), operationsFor: (words) => operationsFor(this.#registry, words) },
        ownOrg,
      ),
    };
  }
}

/** A tool's whole listing, for programs: every field and bound, and what is answered. A plain file's bytes are no structured content. */
function withOutput({ op, listing, plainOutput }: RegisteredOperation): ToolListing {
  return op.shape || op.answer === "file" ? listing : { ...listing, outputSchema: plainOutput };
}

function named(listed: readonly RegisteredOperation[]): ReadonlyMap<string, RegisteredOperation> {
  return new Map(listed.map((registered) => [registered.op.name, registered]));
}

function truth(text: string | null): boolean {
  return text === "1" || text === "true";
}
