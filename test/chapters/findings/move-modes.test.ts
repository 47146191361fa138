import { describe, expect, it } from "vitest";
import type { ModeDoc } from "../../../chapters/modes/record-modes.ts";
import { moved, regradedMode } from "../../../chapters/runs/groups/move-modes.ts";

type Group = Parameters<typeof moved>[1];
type Trial = Parameters<typeof moved>[2][number];

const mode: ModeDoc = {
  id: "fm_1",
  created_at: 1,
  by: "ann",
  title: "Refuses",
  note: "fb_1",
  origin: "console",
  status: "confirmed",
  behaviour: "over_refusal",
  tasks: ["t1", "t2"].map((task) => ({ environment: "env_1", task })),
  cites: [],
  reported: [],
  visibility: "org",
  history: [],
  tier: "human",
};
const group = (id: string, at: number, version: string, agent: string | null = "ag_1"): Group => ({
  id,
  created_at: at,
  by: "ann",
  player: { agent, name: "Desk", version, harness: null },
  runs: [],
  selection: "full",
  trials: 1,
  timeout_seconds: 60,
  trigger: "person",
  tier: "deterministic",
});
const trial = (task: string, end: Trial["end"], root_cause: Trial["root_cause"] = null): Trial => ({
  run: "run_1",
  task,
  n: 1,
  attempt: 1,
  end,
  cause: end === "failed" ? "checks" : null,
  root_cause,
  answer_class: "answered",
  checks: [],
  trial: { calls: [], answers: [], diff: [] },
  started_at: 0,
  ms: 1,
  log: "",
});
const met = [trial("t1", "met"), trial("t2", "met")];
const refused = [trial("t1", "failed", "over_refusal"), trial("t2", "met")];
const shown = moved(mode, group("rg_1", 10, "one"), refused);

describe("a landed group and a failure mode", () => {
  it("reproduces it where a trial fails in its way, with the trial as a cite", () => {
    expect(shown).toMatchObject({
      status: "reproduced",
      reproduced: { version: "one", group: "rg_1", at: 10 },
      cites: [{ trial: { run: "run_1", task: "t1", n: 1 } }],
      history: [{ status: "reproduced", group: "rg_1" }],
    });
  });
  it("fixes it where a later version meets every task of it", () => {
    const fixed = moved(shown, group("rg_2", 20, "two"), met);
    expect(fixed).toMatchObject({ status: "fixed", fixed: { version: "two" }, reproduced: { version: "one" } });
    const back = moved(fixed, group("rg_3", 30, "three"), refused);
    expect(back).toMatchObject({ status: "reproduced", reproduced: { version: "three" } });
    expect(back.fixed).toBeUndefined();
  });
  it.each([
    ["fails otherwise", mode, group("rg_2", 20, "two"), [trial("t1", "failed", "wrong_argument")]],
    ["fails where nobody is at fault", mode, group("rg_2", 20, "two"), [trial("t1", "infra")]],
    ["fails on tasks of others", mode, group("rg_2", 20, "two"), [trial("t9", "failed", "over_refusal")]],
    ["was never reproduced before it is met", mode, group("rg_2", 20, "two"), met],
    ["meets some of its tasks only", shown, group("rg_2", 20, "two"), [trial("t1", "met")]],
    ["meets them in the same version", shown, group("rg_2", 20, "one"), met],
    ["is another agent's", shown, group("rg_2", 20, "two", "ag_2"), met],
    ["is a harness's", shown, group("rg_2", 20, "two", null), refused],
    ["is older than what moved it", shown, group("rg_0", 5, "zero"), met],
    ["moved it already", shown, group("rg_1", 10, "one"), refused],
    ["comes when it is retired", { ...mode, status: "retired" as const }, group("rg_2", 20, "two"), refused],
  ])("leaves it where the group %s", (_, before, of, trials) => {
    expect(moved(before, of, trials)).toBe(before);
  });
  it("takes a write that was right and not read first as an unverified one", () => {
    const blind = {
      ...trial("t1", "failed", "missing_call"),
      checks: [{ kind: "call_order", verdict: "not_met" as const, reason: "" }],
    };
    const writes = { ...mode, behaviour: "unverified_write" as const };
    expect(moved(writes, group("rg_1", 10, "one"), [blind]).status).toBe("reproduced");
    expect(moved(mode, group("rg_1", 10, "one"), [blind])).toBe(mode);
  });
});

describe("a group that is graded again", () => {
  const now = { at: 99, by: "bob" };
  const own: Group = {
    ...group("rg_1", 10, "one"),
    runs: [{ run: "run_1", environment: "env_1", label: "a", tasks: 2 }],
  };
  it("takes back what it alone had shown, cites and all, and says so in the history", () => {
    const back = regradedMode(shown, own, met, now);
    expect(back).toMatchObject({
      status: "confirmed",
      cites: [],
      history: [
        { status: "reproduced", group: "rg_1", at: 10 },
        { status: "confirmed", group: "rg_1", at: 99, by: "bob" },
      ],
    });
    expect(back.reproduced).toBeUndefined();
    expect(regradedMode(back, own, met, now)).toBe(back);
    expect(regradedMode(back, own, refused, now)).toMatchObject({
      status: "reproduced",
      reproduced: { group: "rg_1" },
    });
  });
  it("shows what it had not shown", () => {
    expect(regradedMode(mode, own, refused, now)).toMatchObject({
      status: "reproduced",
      reproduced: { group: "rg_1" },
    });
  });
  it("opens again what it had fixed, with where it was seen before", () => {
    const later: Group = { ...group("rg_2", 20, "two"), runs: own.runs };
    const fixed = moved(shown, later, met);
    expect(regradedMode(fixed, later, refused, now)).toMatchObject({
      status: "reproduced",
      reproduced: { version: "two", group: "rg_2" },
    });
    const open = regradedMode(fixed, later, [trial("t1", "met")], now);
    expect(open).toMatchObject({ status: "reproduced", reproduced: { version: "one", group: "rg_1" } });
    expect(open.fixed).toBeUndefined();
  });
  it("changes nothing where its trials say the same, or somebody has moved the mode since", () => {
    expect(regradedMode(shown, own, refused, now)).toBe(shown);
    const said = {
      ...shown,
      status: "fixed" as const,
      history: [...shown.history, { status: "fixed" as const, at: 12, by: "ann" }],
    };
    expect(regradedMode(said, own, met, now)).toBe(said);
    const other = moved(shown, group("rg_2", 20, "one"), [trial("t2", "failed", "over_refusal")]);
    expect(regradedMode(other, own, met, now)).toBe(other);
  });
});
