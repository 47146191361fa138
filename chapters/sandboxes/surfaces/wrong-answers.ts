import { z } from "zod";
import type { FidelityRow } from "../../../worlds/fidelity/index.ts";

/** Calls of each tool that were not answered as observed and are kept to be looked at. */
const KEPT = 10;
/** Characters of an answer that are kept; a longer one is kept as the beginning of its text. */
const CHARS = 20_000;

/** How a call was not answered as observed. */
export const WrongVerdict = z.enum(["not_served", "wrong_success", "same_shape", "same_class", "different"]);

/**
 * Calls that a world did not answer as they were observed, by tool: the place of each in the evidence, so that what was
 * observed is read from the trace as long as that is stored, and what the world answered; null where it served nothing.
 */
export const WrongAnswers = z.record(
  z.string(),
  z.array(
    z.object({
      /** The trace, by the name that it is compiled under. */
      trace: z.string(),
      /** Place of the call in the trace, from 0. */
      call: z.number().int(),
      verdict: WrongVerdict,
      answered: z.unknown(),
    }),
  ),
);
export type WrongAnswers = z.infer<typeof WrongAnswers>;

/** What is kept of a measurement: the first wrong answers of each tool, wrong successes before all, then what was not served. */
export function wrongAnswers(rows: readonly FidelityRow[]): WrongAnswers {
  const order = ["wrong_success", "different", "same_class", "same_shape", "not_served"];
  const place = ({ verdict }: FidelityRow) => order.indexOf(verdict);
  const wrong = rows.filter((row) => place(row) >= 0).sort((a, b) => place(a) - place(b));
  const kept = [...Map.groupBy(wrong, ({ tool }) => tool)].map(([tool, own]) => [
    tool,
    own.slice(0, KEPT).map(({ trajectory, index, verdict, answered }) => {
      const text = JSON.stringify(answered);
      return {
        trace: trajectory,
        call: index,
        verdict,
        answered: text.length > CHARS ? text.slice(0, CHARS) : answered,
      };
    }),
  ]);
  return WrongAnswers.parse(Object.fromEntries(kept));
}
