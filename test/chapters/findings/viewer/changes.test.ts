import { expect, it } from "vitest";
import { changeRows } from "../../../../chapters/findings/viewer/pair.ts";
import { changeLines } from "../../../../chapters/findings/viewer/steps.ts";
import { UNKNOWN } from "../../../../worlds/unknown.ts";

it("says in words that a field became what nobody knows, at any depth", () => {
  const unknown = JSON.parse(JSON.stringify(UNKNOWN));
  const lines = changeLines([change("1", { credit: 52.5, of: {} }, { credit: unknown, of: { card: unknown } })]);
  expect(lines).toEqual(["orders 1: credit 52.5 → (not known)", 'orders 1: of {} → {"card":"(not known)"}']);
});

const names = { a: "v1", b: "v2" };
const change = (key: string, before: object, after: object) => ({
  table: "orders",
  key,
  op: "update" as const,
  before: { ...before },
  after: { ...after },
});

it("says of a field that one of two trials left alone that it is as drawn", () => {
  const drawn = { status: "open", note: "" };
  const [row] = changeRows(
    [change("1", drawn, { status: "closed", note: "done" })],
    [change("1", drawn, { status: "closed", note: "" })],
    names,
  );
  expect(row).toMatchObject({ what: "another change", differences: [{ path: "note", a: "done", b: "as drawn" }] });
  expect(row?.differences).toHaveLength(1);
});

it("keeps rows apart whose keys begin alike, and texts that differ past what is shown", () => {
  const key = "k".repeat(90);
  const apart = changeRows(
    [change(`${key}1`, { n: 1 }, { n: 2 }), change(`${key}2`, { n: 1 }, { n: 3 })],
    [change(`${key}1`, { n: 1 }, { n: 2 }), change(`${key}2`, { n: 1 }, { n: 4 })],
    names,
  );
  expect(apart.map(({ what }) => what)).toEqual([undefined, "another change"]);
  const long = "t".repeat(900);
  const [text] = changeRows(
    [change("1", { text: "" }, { text: `${long}a` })],
    [change("1", { text: "" }, { text: `${long}b` })],
    names,
  );
  expect(text?.what).toBe("another change");
});
