import { describe, expect, test } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

/** Members of a library; a search by branch shows of each an id, a level, and a label that is no column of any. */
const MEMBERS = Array.from({ length: 16 }, (_, i) => ({
  member_id: `mb_${300 + i * 3}`,
  person: { given: `Given${i}`, family: `Family${i % 5}` },
  phone: `+44 20 55${10 + i} 88${90 - i}`,
  branch: `B${i % 4}`,
  level: i % 3 === 0 ? "junior" : "adult",
}));

type Member = (typeof MEMBERS)[number];

const call = (tool: string, args: Record<string, string>, result: unknown, isError = false) => ({
  tool,
  args,
  result: isError ? String(result) : JSON.stringify(result),
  isError,
});

const got = (row: Member) => call("get_member", { member_id: row.member_id }, row);
const found = (row: Member) => call("find_member_by_phone", { phone: row.phone }, row);
const searched = (args: { branch: string; level?: string }) =>
  call(
    "search_members",
    args,
    MEMBERS.filter(({ branch, level }) => branch === args.branch && level === (args.level ?? level)).map(
      ({ member_id, person, level }) => ({ member_id, label: `${person.given} of ${person.family}`, level }),
    ),
  );

const unknown = call("find_member_by_phone", { phone: "+44 0" }, "Error: Member with phone +44 0 not found", true);

function worldOf(traces: readonly ObservedTrace[]) {
  const { bundle, base, report } = compile(traces, { name: "library" });
  return { world: createWorld(bundle, base), report };
}

describe("rows of which one search shows a column of its own", () => {
  const seen = MEMBERS.slice(0, 12);
  const { world, report } = worldOf([
    ...seen.map((row, i) => ({ id: `g${i}`, calls: [got(row), ...(i < 8 ? [found(row)] : [])] })),
    ...["B0", "B1", "B2"].map((branch, i) => ({ id: `s${i}`, calls: [searched({ branch })] })),
  ]);

  test("are found whole and without it by a column that the arguments repeat", () => {
    expect(report.tools.find_member_by_phone?.how).toBe("lookup find_member_by_phone");
    // Asked of no one: neither of those that the search showed, nor of the one that it did not.
    for (const row of seen.slice(8))
      expect(world.call("find_member_by_phone", { phone: row.phone }).value).toEqual(row);
  });

  test("are no answer where nothing but the search shows them", () => {
    for (const row of MEMBERS.slice(12)) {
      expect(world.call("find_member_by_phone", { phone: row.phone }).answerClass).toBe("error:not_served");
      expect(world.call("get_member", { member_id: row.member_id }).answerClass).toBe("error:not_served");
    }
  });
});

test("nobody is told that no row is like it while some row may be", () => {
  const whole = MEMBERS.slice(0, 12);
  // Everybody is read by several sessions: held-out ones ask for nobody whom the others do not know.
  const read = (rows: readonly Member[]) =>
    [...rows, ...rows, ...rows].map((row, i) => ({ id: `g${row.member_id}${i}`, calls: [got(row), found(row)] }));
  // Several are told that there is none, so that held-out sessions bear it out.
  const none = ["n", "o", "p", "q"].map((id) => ({ id, calls: [unknown] }));
  const phone = "+44 1";
  const closed = worldOf([...read(whole), ...none]).world.call("find_member_by_phone", { phone });
  expect(closed.value).toContain("Member with phone +44 1 not found");
  const searches = ["B0", "B1", "B2", "B3"].flatMap((branch) =>
    [{ branch }, { branch, level: "junior" }, { branch, level: "adult" }].map((args) => ({
      id: `s${Object.values(args).join()}`,
      calls: [searched(args)],
    })),
  );
  const open = worldOf([...read(whole), ...searches, ...none]).world.call("find_member_by_phone", { phone });
  expect(open.answerClass).toBe("error:not_served");
});
