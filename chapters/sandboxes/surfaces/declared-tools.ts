import type { Bundle } from "../../../worlds/bundle.ts";
import {
  type DeclarationIssue,
  type Declarations,
  type DeclaredChanges,
  declareTools,
} from "../../../worlds/declare.ts";
import { badRequest } from "../../errors.ts";

/**
 * A bundle as a person declares it over what was compiled: tools added, given another function, taken away, described
 * anew. All or nothing; a 400 names every word that is wrong by path, line and column, with what would fit there.
 */
export function withDeclaredTools(
  bundle: Bundle,
  declared: Declarations,
): { readonly bundle: Bundle; readonly changes: DeclaredChanges } {
  const made = declareTools(bundle, declared);
  if (!("issues" in made)) return made;
  const words = made.issues.flatMap(({ word }) => (word === undefined ? [] : [word]));
  throw badRequest("The tools cannot be declared so; see fields.", {
    fields: made.issues.map((issue) => ({ path: issue.path, message: messageOf(issue) })),
    ...(words.length === 0 ? {} : { names: words }),
  });
}

function messageOf({ line, column, expected }: DeclarationIssue): string {
  return line === undefined ? `expected ${expected}` : `line ${line}, column ${column}: expected ${expected}`;
}
