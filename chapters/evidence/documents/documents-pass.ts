import { z } from "zod";
import { evidence, pass } from "../../models/pass.ts";
import { listedValues } from "./listed-values.ts";

interface DocumentInput {
  readonly fields: readonly { readonly field: string; readonly description: string }[];
  readonly text: string;
}

const Said = z.object({
  statements: z
    .array(
      z.object({
        field: z.string().max(64),
        value: z.string().trim().min(1).max(300),
        quote: z.string().min(1).max(1000),
      }),
    )
    .max(300),
});

/** Words of what is commanded, forbidden, limited or left to somebody; that a thing may be so and so is no rule. */
const RULE =
  /\b(?:must|shall|should|never|only|may not|can ?not|can't|do not|don't|does not need|has to|have to|needs? to|not allowed|not permitted|not \w+able|prohibited|requires?|required|at most|at least|no more than|no fewer than|up to \d+|always|unless|is allowed|are allowed|(?:is|are) (?:not )?entitled|(?:agent|user|customer|member|passenger|you)s? can|can be \w+ed)\b/i;
const MOST = 300;

/** Reads a document's fields, each with its passage. By rule: lists below field headings, and imperative sentences as policies. */
export const documentsPass = pass<DocumentInput, z.infer<typeof Said>>({
  name: "document_extraction",
  version: "document-extraction-1",
  output: Said,
  maxOutputTokens: 8000,
  prompt: ({ fields, text }) => ({
    system:
      "You read a document about a software agent's work and give what it says of given fields. A value is two to six plain words, but for a policy, which is its rule in one sentence. The quote is the passage that says it, copied word for word. Give only what stands there.",
    user: `Fields: ${JSON.stringify(fields)}\n${evidence(text)}`,
  }),
  check: ({ statements }, { fields, text }) => {
    const asked = new Set(fields.map(({ field }) => field));
    if (statements.some(({ field }) => !asked.has(field))) return "a field is given that was not asked for.";
    return statements.every(({ quote }) => text.includes(quote))
      ? undefined
      : "a quote does not stand in the document word for word.";
  },
  rule: ({ fields, text }) => {
    const asked = new Set(fields.map(({ field }) => field));
    const listed = [...listedValues(text)].map(([field, value, quote]) => ({
      field,
      value: value.slice(0, MOST),
      quote,
    }));
    const rules = sentences(text)
      .filter((sentence) => RULE.test(sentence))
      .map((sentence) => ({ field: "policy", value: sentence.replace(/\s+/g, " ").slice(0, MOST), quote: sentence }));
    const known = new Set<string>();
    const statements = [...listed, ...rules].filter(({ field, value }) => {
      const key = JSON.stringify([field, value.toLowerCase()]);
      if (!asked.has(field) || value === "" || known.has(key)) return false;
      known.add(key);
      return true;
    });
    return { statements: statements.slice(0, MOST).map((one) => ({ ...one, quote: one.quote.slice(0, 1000) })) };
  },
});

function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^\s*(?:[-*+>#]+|\d{1,3}[.)])\s+/, "").trim())
    .filter((sentence) => sentence.length > 10);
}
