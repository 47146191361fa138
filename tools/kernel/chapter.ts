import type { AnyOperation } from "./operation.ts";

/** A chapter: operations that belong together, with what it is for. Clients narrow the tool list by its name. */
export interface Chapter {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly AnyOperation[];
}

/** Declares a chapter; it exists for inference. */
export function chapter(definition: Chapter): Chapter {
  return definition;
}
