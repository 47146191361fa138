import { z } from "zod";
import { Check, type Family } from "../../../worlds/tasks/schema.ts";

/** Every kind of check. */
export const CRITERIA: readonly Check["kind"][] = Check.options.map((option) => option.shape.kind.value);

/** What a success criterion is in this service: a kind of check. */
export const Criterion = z.enum(CRITERIA);
export type Criterion = z.infer<typeof Criterion>;

/** The families whose tasks carry a check of this kind, where rules write any. */
export const FAMILIES_OF: Readonly<Record<Criterion, readonly Family[]>> = {
  answer_includes: ["lookup", "multi_hop", "filter", "aggregate"],
  answer_excludes: ["lookup", "multi_hop", "filter", "aggregate"],
  answer_class: ["lookup", "no_data", "guarded_write"],
  asks: ["ambiguous"],
  state: ["write", "multi_write"],
  no_state_change: ["guarded_write", "no_data", "lookup"],
  calls_required: [],
  calls_forbidden: [],
  call_order: [],
  max_calls: [],
  judged: [],
};
