import { describe, expect, test } from "vitest";
import type { ToolDefinition } from "../../../../../worlds/bundle.ts";
import { compile } from "../../../../../worlds/compile/index.ts";
import { callsByTool, observe, type Session } from "../../../../../worlds/compile/observations.ts";
import type { ProgramWorld } from "../../../../../worlds/compile/programs/compile.ts";
import { compileRecords } from "../../../../../worlds/compile/programs/records/index.ts";
import { Judge } from "../../../../../worlds/compile/utility.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { createWorld } from "../../../../../worlds/world.ts";
import type { World } from "../../../../../worlds/world-api.ts";
import { type Maker, sessions } from "../services.ts";
import { GUILD, GUILD_TOOLS, Guild, LETTER_TOOLS, LETTERS, PostRoom } from "./shown-services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const room: Maker = () => new PostRoom();
const guild: Maker = () => new Guild();

const shownTo = (make: Maker, tools: readonly ToolDefinition[], first: number, n: number): ProgramWorld | undefined => {
  const observed: Session[] = observe(sessions(make, seeds(first, n)));
  return compileRecords(observed, callsByTool(observed), tools, { name: "service", tools });
};
const fresh = ({ bundle, base }: Pick<ProgramWorld, "bundle" | "base">): World => createWorld(bundle, base);
const gap = (world: World, tool: string, args: JsonObject): void => {
  expect(world.call(tool, args)).toMatchObject({ answerClass: "error:not_served", isError: true });
};

/** Answers of a world to sessions that it was not made from. */
function unseen(world: ProgramWorld, make: Maker) {
  const held = observe(sessions(make, seeds(700, 14)));
  return new Judge(held).scoreOf(world, held, []);
}

describe("rows that answers showed", () => {
  const made = shownTo(room, LETTER_TOOLS, 0, 40) as ProgramWorld;

  test("are a table, with the rows of counted keys that no answer showed", () => {
    const [table] = made.bundle.tables;
    expect(table).toMatchObject({ name: "letter", key: ["letter_no"] });
    const rows = Object.entries(made.base.tables.letter ?? {});
    expect(rows.map(([key]) => key).sort()).toEqual(LETTERS.map(({ letter_no }) => letter_no).sort());
    for (const [key, row] of rows) {
      const known = Object.fromEntries(
        Object.entries(row).filter(([name]) => Object.hasOwn(LETTERS[0] as object, name)),
      );
      expect(LETTERS.find(({ letter_no }) => letter_no === key)).toMatchObject(known);
    }
  });

  test("answer most of unseen sessions, and nothing wrongly", () => {
    const { calls, right, answers } = unseen(made, room);
    expect(answers.filter((one) => one.served && !one.right).map(({ tool, args }) => [tool, args])).toEqual([]);
    expect(right / calls).toBeGreaterThan(0.75);
  });

  test("change as they are written, and later readings follow", () => {
    const world = fresh(made);
    expect(
      world.call("post_letter", { about: "Roof repair", sender: "gus@post.example", sent: "2031-01-05" }).value,
    ).toBe("0060");
    expect(world.call("change_letter", { letter_no: "0060", part: "about", text: "New oven" }).isError).toBe(false);
    expect(world.call("get_letter", { letter_no: "0060", part: "about" }).value).toEqual({ about: "New oven" });
    expect(world.call("shred_letter", { letter_no: "0003" }).value).toBe("Letter shredded.");
    expect(world.call("get_letter", { letter_no: "0003", part: "about" }).value).toBe("Letter not found.");
    expect(world.diff()).toHaveLength(2);
  });

  test("say nothing of a question that may list a row which nobody saw", () => {
    const few = shownTo(room, LETTER_TOOLS, 0, 12) as ProgramWorld;
    gap(fresh(few), "search_letters", { words: "winter fair" });
    gap(fresh(few), "search_letters", {});
  });

  test("leave lists open that a changed row without a known place may stand in", () => {
    const rows = Object.values(made.base.tables.letter ?? {});
    const [unlisted] = rows.filter((row) => row.never_listed === 1);
    const letter_no = (unlisted?.letter_no ?? LETTERS[0]?.letter_no) as string;
    const world = fresh(made);
    world.call("change_letter", { letter_no, part: "about", text: "choir" });
    const { value } = world.call("search_letters", { words: "choir" });
    const room = new PostRoom();
    room.call("change_letter", { letter_no, part: "about", text: "choir" });
    const told = JSON.parse(String(room.call("search_letters", { words: "choir" }).result));
    if (typeof value !== "string" || !value.includes("not_served")) expect(value).toEqual(told);
  });

  test("are not told as they were after a write that is not answered", () => {
    const few = shownTo(room, LETTER_TOOLS, 200, 8) as ProgramWorld;
    const world = fresh(few);
    const letter = { letter_no: "0023", part: "about" };
    expect(world.call("get_letter", letter).value).toEqual({ about: "Roof repair" });
    gap(world, "change_letter", { ...letter, text: "New oven" });
    gap(world, "get_letter", letter);
  });
});

describe("rows whose keys no counter makes", () => {
  const made = shownTo(guild, GUILD_TOOLS, 0, 30) as ProgramWorld;

  test("answer nothing wrongly", () => {
    const { calls, right, answers } = unseen(made, guild);
    expect(answers.filter((one) => one.served && !one.right).map(({ tool, args }) => [tool, args])).toEqual([]);
    expect(right / calls).toBeGreaterThan(0.4);
  });

  test("are not said to be missing where nobody saw them", () => {
    const known = new Set(Object.keys(made.base.tables.member ?? {}));
    expect(known.size).toBeGreaterThan(10);
    for (const { member_id } of GUILD) {
      const answer = fresh(made).call("get_member", { member_id: member_id as string });
      if (!known.has(member_id as string)) expect(answer.answerClass).toBe("error:not_served");
      else if (answer.answerClass !== "error:not_served") expect(answer.value).toMatchObject({ member_id });
    }
    gap(fresh(made), "list_members", { town: "Firth" });
    gap(fresh(made), "list_members", {});
  });
});

describe("a row that nobody saw", () => {
  test.each([
    ["post room", room, LETTER_TOOLS, 8],
    ["post room", room, LETTER_TOOLS, 16],
    ["post room", room, LETTER_TOOLS, 28],
    ["guild", guild, GUILD_TOOLS, 8],
    ["guild", guild, GUILD_TOOLS, 20],
  ] as const)("is never left out of a list, nor said to be missing: %s", (_, make, tools, n) => {
    for (const first of [100, 200]) {
      const made = shownTo(make, tools, first, n);
      if (!made) continue;
      const wrong = unseen(made, make).answers.filter((one) => one.served && !one.right);
      expect(wrong.map(({ tool, args, lost }) => [first, tool, args, lost])).toEqual([]);
    }
  });
});

describe("sessions that start otherwise", () => {
  test("make no table of rows", () => {
    const other: Maker = (_, task) => {
      const start = new PostRoom();
      for (const { letter_no } of LETTERS)
        start.call("change_letter", {
          letter_no: letter_no as string,
          part: "about",
          text: `Matter ${task} of ${letter_no}`,
        });
      return start;
    };
    expect(shownTo(other, LETTER_TOOLS, 0, 30)).toBeUndefined();
  });
});

test("rows that answers showed are chosen where they answer more, and give the same bytes in any order of the traces", () => {
  const traces = sessions(room, seeds(0, 24));
  const options = { name: "service", tools: LETTER_TOOLS };
  const first = compile(traces, options);
  expect(first.bundle.tables.map(({ name }) => name)).toContain("letter");
  const bytes = ({ bundle, base }: Pick<ProgramWorld, "bundle" | "base">): string => JSON.stringify({ bundle, base });
  expect(bytes(compile([...traces].reverse(), options))).toBe(bytes(first));
});
