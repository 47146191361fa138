import { z } from "zod";
import { effectByName } from "../../../worlds/compile/effects.ts";
import { actOf } from "../../evidence/attributes/rule-attributes.ts";
import { listedValues } from "../../evidence/documents/listed-values.ts";
import { evidence, pass } from "../../models/pass.ts";

/** One record of a source as a reader sees it. */
export interface SourceRecord {
  readonly id: string;
  readonly text: string;
  /** Tools that were called, in order; of a trace. */
  readonly tools?: readonly string[];
}

interface ValuesInput {
  readonly axes: readonly { readonly field: string; readonly description: string }[];
  readonly records: readonly SourceRecord[];
}

const Said = z.object({
  values: z
    .array(
      z.object({
        field: z.string().max(64),
        value: z.string().trim().min(1).max(200),
        records: z.array(z.string().max(200)).max(1000),
        profile: z.record(z.string().min(1).max(100), z.string().max(2000)).optional(),
      }),
    )
    .max(500),
});
export type ReadValues = z.infer<typeof Said>;

/** Reads axis values from one source. By rule: a trace's last write (else first read) tool, a document's lists below axis headings. */
export const valuesPass = pass<ValuesInput, ReadValues>({
  name: "dimension_values",
  version: "dimension-values-1",
  output: Said,
  maxOutputTokens: 8000,
  prompt: ({ axes, records }) => ({
    system:
      "You read records of how people use a software agent, and name the values of given axes that they show. A value is two to six plain words, without names or ids of people. Cite for each value the ids of the records that show it. A persona's profile says who they are and how they ask, from the records alone.",
    user: `Axes: ${JSON.stringify(axes)}\n${evidence(JSON.stringify(records.map(({ id, text, tools }) => ({ id, text, tools }))))}`,
  }),
  rule: ({ axes, records }) => {
    const found = new Map<string, { field: string; value: string; records: Set<string> }>();
    const fields = new Set(axes.map(({ field }) => field));
    const add = (field: string, value: string, record: string) => {
      if (!fields.has(field) || value === "" || value.length > 200) return;
      const key = JSON.stringify([field, value]);
      const row = found.get(key) ?? { field, value, records: new Set<string>() };
      row.records.add(record);
      found.set(key, row);
    };
    for (const { id, text, tools } of records) {
      if (tools !== undefined) add("use_case", lastAct(tools), id);
      else for (const [field, value] of listedValues(text)) add(field, value, id);
    }
    return { values: [...found.values()].map((row) => ({ ...row, records: [...row.records] })) };
  },
});

function lastAct(tools: readonly string[]): string {
  return actOf(tools.findLast((tool) => effectByName(tool) === "write") ?? tools[0] ?? "");
}
