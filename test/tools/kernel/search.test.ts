import { describe, expect, it } from "vitest";
import { stem, stems } from "../../../chapters/text/stems.ts";
import { chapters } from "../../../tools/index.ts";
import { Registry } from "../../../tools/kernel/registry.ts";
import { isQuestion, OperationSearch } from "../../../tools/kernel/search.ts";
import { THESAURUS } from "../../../tools/kernel/thesaurus.ts";
import { GOALS } from "./goals.ts";

const registry = new Registry(chapters);
const search = new OperationSearch(registry);
const names = (query: string) => search.find(query).map(({ registered }) => registered.op.name);

describe("the search over operations", () => {
  it("finds what 60 plain goals need: 57 among the first five, 40 as the first", () => {
    const missed: string[] = [];
    let first = 0;
    for (const [goal, ...wanted] of GOALS) {
      const found = names(goal);
      const place = Math.min(...wanted.map((name) => found.indexOf(name)).filter((n) => n >= 0), 999);
      if (place === 0) first += 1;
      if (place >= 5) missed.push(`${goal} (${place}): ${found.slice(0, 5)}`);
    }
    expect(GOALS).toHaveLength(60);
    expect(missed.length, `${first} first; missed:\n${missed.join("\n")}`).toBeLessThanOrEqual(3);
    expect(first).toBeGreaterThanOrEqual(40);
  });

  it("finds an operation by its exact name first", () => {
    for (const { op } of registry.operations) expect(names(op.name)[0]).toBe(op.name);
  });

  it("finds nothing for words that stand nowhere, and for none", () => {
    expect(names("xylophone quagga")).toEqual([]);
    expect(names("what is the")).toEqual([]);
  });

  it("takes what acts first where the way to do something is asked, and what reads where something is", () => {
    expect(names("How do I invite a colleague?")[0]).toBe("members_post");
    expect(names("Which colleagues do we have?")[0]).toBe("members_list");
    expect(isQuestion("How can I see who changed it?")).toBe(true);
    expect(isQuestion("How can I change it?")).toBe(false);
  });

  it("keeps to the operations it was told", () => {
    const found = search.find("delete a token", ({ op }) => op.effect === "read");
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ registered }) => registered.op.effect === "read")).toBe(true);
  });
});

describe("stems", () => {
  it.each([
    ["comparing", "compares"],
    ["runs", "running"],
    ["policies", "policy"],
    ["tested", "tests"],
    ["evaluation", "evaluate"],
    ["stopped", "stops"],
  ])("of %s and %s are one", (a, b) => expect(stem(a)).toBe(stem(b)));

  it("leave short words and ids alone", () => {
    expect(stems("the bus rg_01 was up")).toEqual(["bus", "rg", "01", "up"]);
  });

  it("of the thesaurus stand in the catalogue", () => {
    const known = new Set(
      registry.operations.flatMap(({ op }) => stems(`${op.name.replaceAll("_", " ")} ${op.title} ${op.description}`)),
    );
    const idle = THESAURUS.flatMap(({ means }) => stems(means)).filter((word) => !known.has(word));
    expect(idle).toEqual([]);
    expect(THESAURUS.flatMap(({ phrases }) => phrases).filter((phrase) => stems(phrase).length === 0)).toEqual([]);
  });
});
