import { describe, expect, it } from "vitest";
import { observe } from "../../../worlds/compile/observations.ts";
import { measureFidelity } from "../../../worlds/fidelity/index.ts";
import { type Acceptance, acceptProposal } from "../../../worlds/propose/accept.ts";
import { hiddenOf } from "../../../worlds/propose/hidden.ts";
import type { Proposal } from "../../../worlds/propose/schema.ts";
import { briefOf, tryProposal } from "../../../worlds/propose/shown.ts";
import { compiledSafe, RIGHT, SAFE_TOOLS, safeTraces, withTool } from "./safe.ts";

const traces = safeTraces(40, "seen");
const sessions = observe(traces);
const plain = compiledSafe(traces);
const accept = (proposal: unknown): Acceptance => acceptProposal(plain.bundle, plain.base, proposal, sessions);
const standing = ({ verdicts }: Acceptance) =>
  Object.fromEntries(verdicts.map(({ tool, standing }) => [tool, standing?.calls ?? 0]));
const observed = (name: string) => sessions.flatMap(({ calls }) => calls).filter(({ tool }) => tool === name);

/** A session in which the dial stands at an even place. */
const EVEN = 'lookup(p_safe, "it").position % 2 == 0';

describe("what is taken of a proposal", () => {
  it("is all of a right one, which then answers sessions that nobody saw", () => {
    const accepted = accept(RIGHT);
    expect(accepted.faults).toEqual([]);
    expect(accepted.cut).toEqual([]);
    expect(standing(accepted)).toEqual(Object.fromEntries(SAFE_TOOLS.map(({ name }) => [name, observed(name).length])));
    expect(accepted.verdicts[0]?.reason).toMatch(/^stands on \d+ calls of \d+ sessions, 0 against$/);
    const made = compiledSafe(traces, { proposal: { by: "m", program: RIGHT } });
    expect(made.report.proposed?.taken).toBe(true);
    expect(made.bundle.proposed?.by).toBe("m");
    const unseen = safeTraces(25, "unseen");
    const [before, after] = [plain, made].map((world) => measureFidelity(world, unseen, traces));
    expect(before?.identical_volatile).toBeLessThan(0.4 * 250);
    expect(after).toMatchObject({ calls: 250, identical_volatile: 250, wrong_answer: 0 });
  });

  it("is a tool but its wrong case, whose calls become gaps", () => {
    const wrong = withTool("turn_dial", (tool) => {
      const [only] = tool.cases;
      const steps = structuredClone(only?.steps ?? []);
      const [update] = steps;
      if (update?.op === "update" && update.set[0]) update.set[0].expr = "(row.position * 3 + args.clicks * 9) % 101";
      const answer = { op: "answer" as const, expr: `{"position": lookup(p_safe, "it").position}` };
      return {
        name: tool.name,
        cases: [
          { when: "args.clicks > 200", steps: [...steps.slice(0, -1), answer] },
          { steps: [...(only?.steps ?? []).slice(0, -1), answer] },
        ],
      };
    });
    const accepted = accept(wrong);
    expect(accepted.cut[0]).toMatch(/^case 1 of turn_dial: \d+ observed calls contradict what it leads to$/);
    const turns = observed("turn_dial");
    const low = turns.filter(({ args }) => Number(args.clicks) <= 200).length;
    const stood = standing(accepted);
    expect(stood.turn_dial).toBeGreaterThan(0);
    expect(stood.turn_dial).toBeLessThanOrEqual(low);
    expect(accepted.verdicts.find(({ tool }) => tool === "turn_dial")?.reason).toMatch(/1 case was cut$/);
    expect(stood.get_toll).toBe(observed("get_toll").length);
    // What rests on the calls of the case that was cut is not known, and nothing is wrong.
    const made = { bundle: accepted.bundle, base: accepted.base };
    const report = measureFidelity({ ...plain, ...made }, traces, traces);
    expect(report.wrong_answer).toBe(0);
    expect(report.not_served).toBeGreaterThan(0);
  });

  it("is no start that sessions contradict, and all that does not rest on it", () => {
    const [table] = structuredClone(RIGHT.tables);
    const start = [{ of: "it", position: 0, turns: 3, open: false }];
    const accepted = accept({ ...RIGHT, tables: [{ ...table, start }] });
    expect(accepted.cut.some((text) => text.startsWith("the start of p_safe.turns"))).toBe(true);
    expect(standing(accepted)).toMatchObject({
      turn_dial: observed("turn_dial").length,
      press_bolt: observed("press_bolt").length,
    });
  });

  it("is no list of calls that were seen, in whatever form", () => {
    const shown = [...new Map(observed("get_toll").map((call) => [Number(call.args.weight), call])).values()];
    const toll = ({ value }: (typeof shown)[number]) => Number((value as { toll: number }).toll);
    const chain = shown.map((call) => `args.weight == ${call.args.weight} ? ${toll(call)} : `).join("");
    const map = shown.map((call) => `"${call.args.weight}": ${toll(call)}`).join(", ");
    const rows = shown.map((call) => ({ weight: Number(call.args.weight), toll: toll(call) }));
    const [safe] = RIGHT.tables;
    const answering = (expr: string) =>
      withTool("get_toll", (tool) => ({ ...tool, cases: [{ steps: [{ op: "answer", expr }] }] }));
    const lists: Proposal[] = [
      answering(`{"toll": ${chain} not_served()}`),
      answering(`{"toll": known({${map}}[string(args.weight)])}`),
      {
        ...answering('{"toll": known(lookup(p_tolls, args.weight)).toll}'),
        tables: [
          safe as NonNullable<typeof safe>,
          { name: "p_tolls", key: ["weight"], columns: ["toll"], start: rows },
        ],
      },
    ];
    for (const list of lists) {
      const accepted = accept(list);
      expect(accepted.faults).toEqual([]);
      const said = accepted.verdicts.find(({ tool }) => tool === "get_toll");
      expect(said?.reason).toBe("not taken: it is a lookup table: it only restates the calls that it answers");
      expect(said?.standing).toBeUndefined();
      expect(standing(accepted).turn_dial).toBe(observed("turn_dial").length);
    }
  });

  it("is nothing that changes behind the back of what was there", () => {
    // The bolt's program alone: turns stay with what was there, and move the dial that the program rests on.
    const alone = { ...RIGHT, tools: RIGHT.tools.filter(({ name }) => name === "press_bolt" || name === "get_bolt") };
    const accepted = accept(alone);
    const report = measureFidelity({ ...plain, bundle: accepted.bundle, base: accepted.base }, traces, traces);
    expect(report.wrong_answer).toBe(0);
  });

  it("is nothing of what is no proposal, and says why", () => {
    expect(accept({ v: 2 }).faults.length).toBeGreaterThan(0);
    expect(accept("ignore the rules").faults.length).toBeGreaterThan(0);
    const unknown = accept({ ...RIGHT, tools: [{ name: "no_tool", cases: RIGHT.tools[3]?.cases }] });
    expect(unknown.faults).toEqual(['"no_tool" is no tool of the listing, or stands twice.']);
    const faulty = accept(
      withTool("get_bolt", (tool) => ({
        ...tool,
        cases: [{ when: "nothing.there", steps: tool.cases[0]?.steps ?? [] }],
      })),
    );
    expect(faulty.faults[0]).toMatch(/^get_bolt: at "nothing", a known name/);
    const open = withTool("press_bolt", (tool) => ({
      ...tool,
      cases: [{ when: EVEN, steps: [{ op: "list", table: "p_safe" }] }, ...tool.cases],
    }));
    expect(accept(open).faults).toContain(
      "press_bolt: with cases, read and list may not be used: answer lookup(…) or rows(…) instead.",
    );
    for (const made of [unknown, faulty]) expect(made.bundle.behaviours).toEqual(plain.bundle.behaviours);
  });

  it("is nothing where the sessions are too few to hold some out", () => {
    const few = compiledSafe(safeTraces(5, "few"), { proposal: { by: "m", program: RIGHT } });
    expect(few.report.proposed).toMatchObject({ taken: false, reason: expect.stringContaining("too few sessions") });
    expect(few.bundle).toEqual(compiledSafe(safeTraces(5, "few")).bundle);
  });
});

describe("what is shown", () => {
  it("is no hidden session, in any part", () => {
    const hidden = hiddenOf(sessions);
    expect(hidden.size).toBeGreaterThan(2);
    const { brief } = briefOf(traces, { name: "safe", tools: SAFE_TOOLS });
    expect(brief.wanted).toEqual(["get_bolt", "get_dial", "get_toll", "press_bolt", "turn_dial"]);
    expect(brief.sessions.length).toBeGreaterThanOrEqual(4);
    expect(brief.sessions.length).toBeLessThanOrEqual(6);
    expect(brief.counterexamples.length).toBeLessThanOrEqual(8);
    // Weights are drawn from many, so one that only a hidden session has tells of it.
    const weights = (of: Iterable<(typeof sessions)[number]>) =>
      new Set(
        [...of].flatMap(({ calls }) => calls.flatMap(({ args }) => (args.weight === undefined ? [] : [args.weight]))),
      );
    const shown = weights(sessions.filter((session) => !hidden.has(session)));
    const secret = [...weights(hidden)].filter((weight) => !shown.has(weight));
    expect(secret.length).toBeGreaterThan(2);
    const { today: _, ...evidence } = brief;
    for (const weight of secret) expect(JSON.stringify(evidence)).not.toContain(`"weight":${weight}}`);
  });

  it("comes with what a proposal misses", () => {
    const { plain: made, brief } = briefOf(traces, { name: "safe", tools: SAFE_TOOLS });
    const right = tryProposal(made, RIGHT, traces, brief.wanted);
    expect(right).toMatchObject({ faults: [], counterexamples: [] });
    expect(right.right).toBe(right.calls);
    const wrong = withTool("get_toll", (tool) => ({
      ...tool,
      cases: [{ steps: [{ op: "answer", expr: '{"toll": args.weight % 97}' }] }],
    }));
    const missed = tryProposal(made, wrong, traces, brief.wanted);
    expect(missed.right).toBeLessThan(right.right);
    expect(missed.counterexamples[0]).toMatchObject({ tool: "get_toll", answered: { toll: expect.any(Number) } });
    expect(missed.counterexamples.length).toBeLessThanOrEqual(8);
  });
});

it("stays the same whatever the order of the traces", () => {
  const proposal = { by: "m", program: RIGHT };
  const one = compiledSafe(traces.slice(0, 16), { proposal });
  const other = compiledSafe(traces.slice(0, 16).toReversed(), { proposal });
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
});
