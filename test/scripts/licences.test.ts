import { expect, it } from "vitest";
import { type Component, objections } from "../../scripts/licences.ts";

const hashes = [{ alg: "SHA-512", content: "00" }];
const of = (id: string): Component => ({ name: id, version: "1.0.0", licenses: [{ license: { id } }], hashes });

// Finding S21.
it("permissive licences pass, alone and where they can be chosen", () => {
  expect(objections([of("MIT"), of("Apache-2.0"), of("BlueOak-1.0.0")])).toEqual([]);
  const either: Component = { name: "x", licenses: [{ expression: "(GPL-3.0-only OR MIT)" }], hashes };
  expect(objections([either])).toEqual([]);
});

it("copyleft, unnamed and undigested packages are named", () => {
  const both: Component = { name: "both", licenses: [{ expression: "MIT AND GPL-3.0-only" }], hashes };
  const own: Component = { name: "own", version: "2.0.0", licenses: [{ license: { name: "SEE LICENSE" } }], hashes };
  expect(objections([of("AGPL-3.0-only"), both, own, { name: "none", hashes }, { ...of("ISC"), hashes: [] }])).toEqual([
    "AGPL-3.0-only@1.0.0: licence AGPL-3.0-only",
    "both: licence MIT AND GPL-3.0-only",
    "own@2.0.0: licence SEE LICENSE",
    "none: licence not named",
    "ISC@1.0.0: no digest",
  ]);
});
