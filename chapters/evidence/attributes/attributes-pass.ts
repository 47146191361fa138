import { z } from "zod";
import { evidence, pass } from "../../models/pass.ts";
import { AttributeValue } from "../../records/evidence/attribute.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { aboutByRule } from "./rule-attributes.ts";

/** A trace as a reader sees it. */
export interface TraceToRead {
  /** Its place in the record, as text. */
  readonly id: string;
  readonly trace: CanonicalTrace;
}

interface AttributesInput {
  readonly fields: readonly { readonly field: string; readonly description: string }[];
  readonly traces: readonly TraceToRead[];
}

const Said = z.object({
  traces: z
    .array(
      z.object({
        id: z.string().max(20),
        values: z
          .array(z.object({ field: z.string().max(64), value: AttributeValue, cite: z.string().max(40) }))
          .max(50),
      }),
    )
    .max(50),
});

/** Characters of one turn, result and trace that are shown. */
const TURN_CHARS = 600;
const CALL_CHARS = 200;
const PARTS = 40;

/** Reads traces field by field. By rule: the use case by its tools, the register by its form, the data by what calls found. */
export const attributesPass = pass<AttributesInput, z.infer<typeof Said>>({
  name: "evidence_attributes",
  version: "evidence-attributes-1",
  output: Said,
  maxOutputTokens: 4000,
  prompt: ({ fields, traces }) => ({
    system:
      "You read sessions of a software agent and give, for each, the value of given fields. A value is one to six plain words that many sessions share, without names or ids of people or things. Use the same words for the same thing. Leave a field out where the session does not show it. Cite for each value the one turn or call that shows it, as `turns.N` or `calls.N`.",
    user: `Fields: ${JSON.stringify(fields)}\n${evidence(JSON.stringify(traces.map(shownTrace)))}`,
  }),
  check: (answer, { fields, traces }) => {
    const known = new Map(traces.map(({ id, trace }) => [id, trace]));
    const asked = new Set(fields.map(({ field }) => field));
    for (const { id, values } of answer.traces) {
      const trace = known.get(id);
      if (!trace) return "an id is given that no session has.";
      for (const { field, cite } of values) {
        if (!asked.has(field)) return "a field is given that was not asked for.";
        if (!stands(trace, cite)) return "a cite names a turn or call that the session does not have.";
      }
    }
    return undefined;
  },
  rule: ({ fields, traces }) => {
    const asked = new Set(fields.map(({ field }) => field));
    return {
      traces: traces.map(({ id, trace }) => ({
        id,
        values: aboutByRule(trace).filter(({ field }) => asked.has(field)),
      })),
    };
  },
});

function shownTrace({ id, trace }: TraceToRead) {
  return {
    id,
    turns: trace.turns
      .slice(0, PARTS)
      .flatMap(({ role, text }, i) =>
        role === "system" || role === "tool" ? [] : [{ cite: `turns.${i}`, role, text: text.slice(0, TURN_CHARS) }],
      ),
    calls: trace.calls.slice(0, PARTS).map(({ tool, args, answer_class }, i) => ({
      cite: `calls.${i}`,
      tool,
      args: JSON.stringify(args).slice(0, CALL_CHARS),
      answer_class,
    })),
  };
}

function stands({ turns, calls }: CanonicalTrace, cite: string): boolean {
  const [, part, place] = /^(turns|calls)\.(\d{1,6})$/.exec(cite) ?? [];
  return Number(place) < (part === "turns" ? turns.length : part === "calls" ? calls.length : 0);
}
