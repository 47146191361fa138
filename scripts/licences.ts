/** What is read of a component of a CycloneDX bill of materials. */
export interface Component {
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly (
    | { readonly license: { readonly id?: string; readonly name?: string } }
    | { readonly expression: string }
  )[];
  readonly hashes?: readonly unknown[];
}

/** Licences that ask for no more than that they are named: what is packed with ours may be passed on under ours. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Python-2.0",
  "Unlicense",
  "Zlib",
]);

/** What stands against passing components on: a licence that is none of those, or none named, or a file without a digest. */
export function objections(components: readonly Component[]): string[] {
  return components.flatMap(({ name, version, licenses = [], hashes = [] }) => {
    const who = version === undefined ? name : `${name}@${version}`;
    const named = licenses.map((each) =>
      "expression" in each ? each.expression : (each.license.id ?? each.license.name ?? ""),
    );
    return [
      ...(named.length > 0 && named.every(isPermissive) ? [] : [`${who}: licence ${named.join(", ") || "not named"}`]),
      ...(hashes.length > 0 ? [] : [`${who}: no digest`]),
    ];
  });
}

/** Of an expression with OR one licence may be chosen, of one with AND all hold. */
function isPermissive(expression: string): boolean {
  return expression
    .replace(/[()]/g, " ")
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((licence) => PERMISSIVE.has(licence.trim())));
}
