import { describe, expect, test } from "vitest";
import {
  findLinks,
  formsRest,
  linkedTables,
  movesUnder,
} from "../../../../worlds/compile/state-variables/row-links.ts";
import type { Rule } from "../../../../worlds/compile/state-variables/rules/rules.ts";

const STATUS = "row.contracts.status";
const NAME = "row.contracts.name";
const rows = (status: string, name = "A") =>
  new Map([
    [STATUS, status],
    [NAME, name],
  ]);
const seen = (tool: string, at: ReadonlyMap<string, string>, shown: Readonly<Record<string, string>> = {}) => ({
  tool,
  reads: tool.startsWith("check"),
  rows: at,
  shown: new Map(Object.entries(shown)),
});
/** A supply that is off while its contract is suspended, seen before and after calls. */
function suspended(...between: string[]) {
  const [before, after] = [rows("active"), rows("suspended")];
  return [
    seen("check_supply", before, { r_supply: "on", r_meter: "fits" }),
    seen("check_net", before, { r_net: "fast" }),
    ...between.map((tool) => seen(tool, before)),
    seen("suspend", before),
    seen("check_supply", after, { r_supply: "off", r_meter: "fits" }),
    seen("check_net", after, { r_net: "fast" }),
  ];
}
function renamed() {
  const [before, after] = [rows("active"), rows("active", "B")];
  return [
    seen("check_supply", before, { r_supply: "on" }),
    seen("rename", before),
    seen("check_supply", after, { r_supply: "on" }),
  ];
}
const found = (sessions: readonly ReturnType<typeof suspended>[], formed: readonly string[] = []) =>
  findLinks({
    sessions: [...sessions, renamed()],
    tools: new Set(["check_supply", "check_net", "reset_meter"]),
    formed: new Set(formed),
    variables: new Map([
      ["check_supply\nSupply", "r_supply"],
      ["check_supply\nMeter", "r_meter"],
      ["check_net\nNet", "r_net"],
    ]),
    composites: new Map(),
  });

describe("a reading that was another after a row had changed", () => {
  test("twice rests on it, as does what stands beside it, and nothing else", () => {
    const links = found([suspended(), suspended()]);
    expect(links.features.get("r_supply")).toEqual(new Set([STATUS]));
    expect(linkedTables(links, "r_meter")).toEqual(new Set(["contracts"]));
    expect(linkedTables(links, "r_net").size).toBe(0);
  });

  test("once is told again when the row changes, though no rule rests on it", () => {
    const links = found([suspended()]);
    expect(linkedTables(links, "r_supply").size).toBe(0);
    expect(movesUnder(links, "suspend", "r_supply")).toBe(true);
    expect(movesUnder(links, "rename", "r_supply")).toBe(false);
    expect(movesUnder(links, "suspend", "r_meter")).toBe(false);
    // Where which form its tool answers in is a reading, all that it says comes and goes with it.
    expect(movesUnder(found([suspended()], ["check_supply"]), "suspend", "r_meter")).toBe(true);
  });

  test("rests on no row where a call to the thing itself stood between", () => {
    const links = found([suspended("reset_meter"), suspended("reset_meter")]);
    expect(linkedTables(links, "r_supply").size).toBe(0);
    expect(movesUnder(links, "suspend", "r_supply")).toBe(false);
  });
});

test("a form rests on all that its rules look at", () => {
  const form: Rule[] = [
    { kind: "table", of: ["r_net", "r_supply"], entries: new Map() },
    { kind: "copy", of: "r_meter" },
  ];
  const rests = formsRest([{ tool: "check_net", form }], (tool) => (tool === "check_net" ? "r_form" : undefined));
  expect(rests).toEqual(new Map([["r_form", new Set(["r_net", "r_supply", "r_meter"])]]));
});
