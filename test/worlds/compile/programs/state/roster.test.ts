import { describe, expect, test } from "vitest";
import { manifest } from "../../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../../worlds/compile/programs/compile.ts";
import type { JsonObject } from "../../../../../worlds/json.ts";
import { Starts } from "../../../../../worlds/starts.ts";
import { sessions } from "../services.ts";
import { Roster } from "./roster.ts";

const observed = observe(
  sessions(
    (random) => new Roster(random),
    Array.from({ length: 40 }, (_, n) => n),
  ),
);
const byTool = callsByTool(observed);
const world = compilePrograms(observed, byTool, manifest(undefined, byTool), "club");
const begin = () => new Starts(world).fresh("another task");
const owned = (session: ReturnType<typeof begin>): { member_id: string; address: string } => {
  const { members } = session.call("list_members", {}).value as { members: { member_id: string; address: string }[] };
  return members[2] as { member_id: string; address: string };
};

describe("a value that one row alone may have", () => {
  test("is refused to another, with the key of the row that has it", () => {
    const session = begin();
    const { member_id, address } = owned(session);
    expect(session.call("add_member", { address })).toMatchObject({
      isError: true,
      changes: [],
      value: { error: `That address is ${member_id}'s.` },
    });
  });

  test("is refused where the session itself gave it away", () => {
    const session = begin();
    const made = session.call("add_member", { address: "zoe@new.example" });
    expect(made).toMatchObject({ isError: false, value: { address: "zoe@new.example", since: 2031 } });
    expect(session.call("add_member", { address: "zoe@new.example" }).value).toEqual({
      error: `That address is ${(made.value as JsonObject).member_id}'s.`,
    });
  });
});

test("a value that was refused in several sessions alike is refused, though others were given once each", () => {
  expect(begin().call("add_member", { address: "nobody" }).value).toEqual({ error: "That is no address." });
});

test("a tool that only refused calls with two equal arguments is not known to refuse others", () => {
  const session = begin();
  const { member_id } = owned(session);
  expect(session.call("swap_badges", { member_id, other_id: member_id })).toMatchObject({
    value: { error: "A member cannot swap with themself." },
  });
  expect(session.call("swap_badges", { member_id, other_id: "mem-a3f1" })).toMatchObject({
    answerClass: "error:not_served",
  });
});
