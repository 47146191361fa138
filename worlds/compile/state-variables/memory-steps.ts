import type { Step } from "../../behaviour/schema.ts";
import type { TableModel } from "../../bundle.ts";
import type { JsonObject } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import { byText } from "../values.ts";
import { type Signatures, tokenText } from "./actions.ts";
import type { Memory } from "./memory.ts";

/** What a session has done so far, and of which group it is. */
const DEEDS = "deeds";
/** What of it each question minds. */
const MINDED = "minded";
/** What sessions heard. */
const HEARD = "heard";
const KEY = "of";
const SESSION = "session";

/** The name of the answer that is remembered, null where none is. */
export const REMEMBERED = "m";

/** How deeds are noted. */
export interface Noted {
  readonly named: Signatures;
  /** How many of a session are kept. */
  readonly room: number;
}

type Row = readonly [key: string, row: JsonObject];

/** The tables that hold what sessions did and heard, with their rows. */
export function memoryTables(memory: Memory): {
  readonly tables: readonly TableModel[];
  readonly rows: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
} {
  const table = (name: string): TableModel => ({
    name,
    key: [KEY],
    internal: true,
    columns: [{ name: KEY, types: ["string"], present: 1 }],
  });
  const minded = [...memory.relevant].map(([of, { not, ordered }]): Row => [of, { of, not: [...not], ordered }]);
  const heard = [...memory.responses].map(([of, { ok, form, answer }]): Row => [of, { of, ok, form, answer }]);
  const sorted = (rows: readonly Row[]) => Object.fromEntries([...rows].sort(([a], [b]) => byText(a, b)));
  return {
    tables: [table(DEEDS), table(MINDED), table(HEARD)],
    rows: {
      [DEEDS]: { [SESSION]: { of: SESSION, group: null, done: [] } },
      [MINDED]: sorted(minded),
      [HEARD]: sorted(heard),
    },
  };
}

/** What the sessions of a group start with, for the table of deeds. */
export const groupStart = (group: number): Record<string, Record<string, JsonObject>> => ({
  [DEEDS]: { [SESSION]: { group: String(group) } },
});

/** Steps that name what a session of the same group heard that had done the same. */
export function recallSteps(tool: string, named: Signatures): Step[] {
  const let_ = (name: string, expr: string): Step => ({ op: "let", name, expr });
  return [
    let_("asked", tokenText(tool, named)),
    let_("mind", `lookup(${literal(MINDED)}, asked)`),
    let_("deeds", `lookup(${literal(DEEDS)}, ${literal(SESSION)})`),
    let_("rest", "(mind == null ? [] : deeds.done.filter(d, !(d.tool in mind.not) && !(d.token in mind.not)))"),
    let_("after", "rest.map(d, d.token)"),
    let_(
      REMEMBERED,
      `(mind == null || deeds.group == null || rest.exists(d, !d.sure) ? null : lookup(${literal(HEARD)}, ([asked, deeds.group] + (mind.ordered ? after : after.sort())).join("\\n")))`,
    ),
  ];
}

/** Steps that refuse a call as a session of the same group was refused that had done the same. */
export function refusalSteps(tool: string, named: Signatures): Step[] {
  const refused = `(${REMEMBERED} != null && !${REMEMBERED}.ok ? error(${REMEMBERED}.answer) : false)`;
  return [...recallSteps(tool, named), { op: "let", name: "barred", expr: refused }];
}

/** A deed that nobody knows, noted once for all that come after those there is room for: nothing is remembered any more. */
const ONE_MORE = '[{"tool": "", "token": "", "sure": false}]';

/**
 * A step that notes what a call did, and whether it is `sure` that it did; where its form tells that, unknown ones are
 * not, and those `refused` did not. A session that does far more than any that was observed notes no more.
 */
export function noteStep(
  tool: string,
  { named, room }: Noted,
  sure: boolean | { readonly refused: readonly string[] },
): Step {
  const known = typeof sure === "boolean" ? String(sure) : "form != null";
  const deed = `[{"tool": ${literal(tool)}, "token": ${tokenText(tool, named)}, "sure": ${known}}]`;
  const held = `size(lookup(${literal(DEEDS)}, ${literal(SESSION)}).done)`;
  const noted = `(${held} < ${room} ? ${deed} : (${held} == ${room} ? ${ONE_MORE} : []))`;
  const refused = typeof sure === "boolean" ? [] : sure.refused.map((id) => `form == ${literal(id)}`);
  return {
    op: "update",
    table: DEEDS,
    key: [{ column: KEY, expr: literal(SESSION) }],
    set: [{ path: "done", op: "+=", expr: refused.length > 0 ? `(${refused.join(" || ")} ? [] : ${noted})` : noted }],
    require: [],
  };
}
