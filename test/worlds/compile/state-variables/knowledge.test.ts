import { describe, expect, test } from "vitest";
import type { Call } from "../../../../worlds/compile/observations.ts";
import { type Answer, takeApart } from "../../../../worlds/compile/state-variables/answers.ts";
import type { Tracked } from "../../../../worlds/compile/state-variables/effects.ts";
import type { Event, Events } from "../../../../worlds/compile/state-variables/events.ts";
import { findDefaults, type Setting, withPrecedence } from "../../../../worlds/compile/state-variables/knowledge.ts";
import { priorOf, type ResponsePart, type ToolModel } from "../../../../worlds/compile/state-variables/steps.ts";

const display = (says: string): Answer => takeApart(`Lamp: ${says}`, true) as Answer;
const {
  form: { id: FORM },
  items: [LAMP],
} = display("on");
const LABEL = LAMP?.label ?? "";
const KEPT: ResponsePart = {
  label: LABEL,
  hole: 0,
  flag: undefined,
  register: "r_lamp",
  choices: [],
  effect: "keep",
  rules: [],
  after: [],
};

/** What a lamp's display said in one session of its own task, which starts as given. */
interface Heard {
  readonly start: Readonly<Record<string, string>>;
  readonly says: string;
}

function settingOf(heard: readonly Heard[], responsePart: ResponsePart): Setting {
  const look = ({ says }: Heard): Event => ({
    tool: "look",
    args: "{}",
    call: { tool: "look", args: {}, ok: true, value: `Lamp: ${says}` } as unknown as Call,
    answer: display(says),
    act: undefined,
    rows: new Map(),
    reads: true,
    shown: new Map([["r_lamp", says]]),
    met: new Map(),
  });
  const toolModel = {
    tool: "look",
    forms: [display("on").form],
    formIn: [],
    form: [],
    items: new Map([[FORM, [responsePart]]]),
  } as unknown as ToolModel;
  const starts = new Map(heard.map(({ start }, i) => [i, new Map(Object.entries(start))]));
  return {
    events: { sessions: heard.map((one) => [look(one)]), composites: new Map() } as unknown as Events,
    conducts: new Map([["look", toolModel]]),
    changes: new Map(),
    common: new Map(),
    groups: heard.map((_, i) => i),
    tracked: { starts, reads: new Set(["look"]) } as unknown as Tracked,
  };
}
const times = (n: number, one: Heard): Heard[] => Array.from({ length: n }, () => one);

describe("what follows from other readings", () => {
  const BY_PLUG: ResponsePart = { ...KEPT, rules: [{ kind: "copy", of: "r_plug" }] };
  const trusted = (heard: readonly Heard[]) =>
    withPrecedence(settingOf(heard, BY_PLUG)).get("look")?.items.get(FORM)?.[0]?.ruled ?? false;
  const rightRule = { start: { r_lamp: "off", r_plug: "on" }, says: "on" };
  const rightHeld = { ...rightRule, says: "off" };

  test("goes ahead of what is held where it was oftener right", () => {
    expect(trusted(times(2, rightRule))).toBe(true);
    expect(trusted([...times(3, rightRule), ...times(2, rightHeld)])).toBe(true);
  });

  test("stays behind it where it was not, or where both say the same", () => {
    expect(trusted(times(1, rightRule))).toBe(false);
    expect(trusted([...times(3, rightRule), ...times(3, rightHeld)])).toBe(false);
    expect(trusted(times(9, { start: { r_lamp: "on", r_plug: "on" }, says: "on" }))).toBe(false);
  });
});

describe("what is said where nothing is known", () => {
  const prior = (heard: readonly Heard[]) =>
    findDefaults(settingOf(heard, KEPT)).get("look")?.get(priorOf(FORM, LABEL));
  const unknown = times(8, { start: {}, says: "off" });

  test("is what all heard who knew as little", () => {
    expect(prior(unknown)).toBe("off");
    expect(prior(unknown.slice(0, 4))).toBeUndefined();
    expect(prior([...unknown, { start: {}, says: "on" }])).toBeUndefined();
  });

  test("is to be what tasks that nobody saw would hear too: those of which the start is known count as if it were not", () => {
    const known = (says: string) => times(8, { start: { r_lamp: says }, says });
    expect(prior([...unknown, ...known("off")])).toBe("off");
    expect(prior([...unknown, ...known("on")])).toBeUndefined();
  });
});
