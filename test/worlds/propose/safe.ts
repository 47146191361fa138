import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { type CompileOptions, compile } from "../../../worlds/compile/index.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import type { Proposal } from "../../../worlds/propose/schema.ts";
import { random } from "../../../worlds/tasks/random.ts";

/** A safe with a dial, invented for these tests: its arithmetic is none that learners reach. */
export class Safe {
  private position = 0;
  private turns = 0;
  private open = false;

  call(tool: string, args: JsonObject): { result: Json; isError: boolean } {
    const said = (value: Json) => ({ result: JSON.stringify(value), isError: false });
    switch (tool) {
      case "turn_dial":
        this.position = (this.position * 3 + Number(args.clicks) * 7 + 5) % 101;
        this.turns++;
        return said({ position: this.position });
      case "get_dial":
        return said({ position: this.position, parity: this.position % 2 === 0 ? "even" : "odd", turns: this.turns });
      case "press_bolt":
        if (this.position % 2 !== 0) return { result: `The bolt is stuck at ${this.position}.`, isError: true };
        this.open = !this.open;
        return said({ open: this.open });
      case "get_bolt":
        return said({ open: this.open });
      case "get_toll":
        return said({ toll: ((Number(args.weight) * Number(args.weight)) % 97) + 3 });
      default:
        throw new Error(`no tool ${tool}`);
    }
  }
}

const tool = (name: string, description: string, properties: JsonObject = {}): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
});

export const SAFE_TOOLS: readonly ToolDefinition[] = [
  tool("turn_dial", "Turns the dial.", { clicks: { type: "integer" } }),
  tool("get_dial", "Where the dial stands."),
  tool("press_bolt", "Presses the bolt."),
  tool("get_bolt", "Whether the bolt is open."),
  tool("get_toll", "What a load pays.", { weight: { type: "integer" } }),
];

/** Sessions of the safe. `said` may change what a tool answers, as a hostile service would. */
export function safeTraces(
  n: number,
  seed: string,
  said: (result: Json, tool: string) => Json = (r) => r,
): ObservedTrace[] {
  return Array.from({ length: n }, (_, s) => {
    const draw = random(`${seed} ${s}`);
    const safe = new Safe();
    const calls = Array.from({ length: 10 }, () => {
      const name = draw.pick(["turn_dial", "turn_dial", "get_dial", "press_bolt", "get_bolt", "get_toll"]);
      const args: JsonObject =
        name === "turn_dial"
          ? { clicks: 1 + draw.below(400) }
          : name === "get_toll"
            ? { weight: 1 + draw.below(900) }
            : {};
      const { result, isError } = safe.call(name, args);
      return { tool: name, args, result: said(result, name), isError };
    });
    return { id: `${seed}.${String(s).padStart(4, "0")}`, startedAt: 1_700_000_000 + s, calls };
  });
}

export const compiledSafe = (traces: readonly ObservedTrace[], more: Partial<CompileOptions> = {}) =>
  compile(traces, { name: "safe", tools: SAFE_TOOLS, ...more });

const dial = 'lookup(p_safe, "it")';
const here = [{ column: "of", expr: '"it"' }];

/** The safe as a right program has it. */
export const RIGHT: Proposal = {
  v: 1,
  tables: [
    {
      name: "p_safe",
      key: ["of"],
      columns: ["position", "turns", "open"],
      start: [{ of: "it", position: 0, turns: 0, open: false }],
    },
  ],
  tools: [
    {
      name: "turn_dial",
      cases: [
        {
          steps: [
            {
              op: "update",
              table: "p_safe",
              key: here,
              set: [
                { path: "position", op: "=", expr: "(row.position * 3 + args.clicks * 7 + 5) % 101" },
                { path: "turns", op: "+=", expr: "1" },
              ],
              require: [],
            },
            { op: "answer", expr: '{"position": row.position}' },
          ],
        },
      ],
    },
    {
      name: "get_dial",
      lets: [{ name: "at", expr: `${dial}.position` }],
      cases: [
        {
          steps: [
            { op: "answer", expr: `{"position": at, "parity": at % 2 == 0 ? "even" : "odd", "turns": ${dial}.turns}` },
          ],
        },
      ],
    },
    {
      name: "press_bolt",
      lets: [{ name: "stands_at", expr: `${dial}.position` }],
      cases: [
        { when: "stands_at % 2 != 0", steps: [{ op: "refuse", template: "The bolt is stuck at {stands_at}." }] },
        {
          steps: [
            {
              op: "update",
              table: "p_safe",
              key: here,
              set: [{ path: "open", op: "=", expr: "!row.open" }],
              require: [],
            },
            { op: "answer", expr: `{"open": ${dial}.open}` },
          ],
        },
      ],
    },
    { name: "get_bolt", cases: [{ steps: [{ op: "answer", expr: `{"open": ${dial}.open}` }] }] },
    {
      name: "get_toll",
      cases: [{ steps: [{ op: "answer", expr: '{"toll": (args.weight * args.weight) % 97 + 3}' }] }],
    },
  ],
};

/** A proposal with one tool otherwise. */
export const withTool = (
  name: string,
  change: (tool: Proposal["tools"][number]) => Proposal["tools"][number],
): Proposal => ({
  ...RIGHT,
  tools: RIGHT.tools.map((one) => (one.name === name ? change(structuredClone(one)) : one)),
});

/** Sessions of the safe as a client records them. */
export const safeMessages = (traces: readonly ObservedTrace[]): unknown[] =>
  traces.map(({ id, startedAt, calls }) => ({
    session: id,
    created: startedAt,
    messages: [
      { role: "user", content: "Look after the safe." },
      ...calls.flatMap(({ tool: name, args, result, isError }, i) => [
        { role: "assistant", content: [{ type: "tool_use", id: `toolu_${i}`, name, input: args }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: `toolu_${i}`, content: result, ...(isError ? { is_error: true } : {}) },
          ],
        },
      ]),
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ],
  }));
