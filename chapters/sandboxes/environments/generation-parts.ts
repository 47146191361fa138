import { Family } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { countOf } from "../../count-of.ts";
import { badField, conflict, unprocessable } from "../../errors.ts";
import { CRITERIA, type Criterion, FAMILIES_OF } from "../tasks/criterion-families.ts";
import type { TaskPart } from "../tasks/write-tasks.ts";

/** What of a generation decides of which kinds its tasks are. */
export interface PartsInput {
  readonly tasks: number;
  readonly criteria?: readonly Criterion[] | undefined;
  readonly criteria_only?: boolean | undefined;
  readonly history?: boolean | undefined;
  readonly kind_floor?: number | undefined;
  readonly selection?: { readonly family?: readonly Family[] | undefined } | undefined;
}

/** The families that a generation writes. */
const familiesOf = ({ selection }: PartsInput): readonly Family[] => selection?.family ?? Family.options;

/**
 * What is written before the rest: so many tasks of each family as the floor says, then tasks of the criteria (all of
 * them where nothing else is wanted, else half), then tasks that recorded sessions tell where those come first.
 */
export function partsOf(input: PartsInput): TaskPart[] {
  const { tasks, criteria = [], kind_floor: floor = 0 } = input;
  const floors = floor === 0 ? [] : familiesOf(input).map((family): TaskPart => ({ families: [family], count: floor }));
  const ofCriteria = criteria.map((kind): TaskPart => {
    const share = Math.ceil((input.criteria_only === true ? tasks : tasks / 2) / criteria.length);
    return { families: withinFamilies(FAMILIES_OF[kind], input), kinds: [kind], count: share };
  });
  const recorded = input.history === true ? [{ families: ["mined" as const], count: Math.ceil(tasks / 2) }] : [];
  return [...floors, ...ofCriteria, ...recorded];
}

function withinFamilies(families: readonly Family[], { selection }: PartsInput): readonly Family[] {
  return selection?.family === undefined ? families : families.filter((family) => selection.family?.includes(family));
}

/** The kinds of checks among the words that a caller gives; what is none, and what no rule writes, is refused. */
export function criteriaOf(given: readonly string[], input: Pick<PartsInput, "selection" | "tasks">): Criterion[] {
  return [...new Set(given)].map((word, i) => {
    const kind = CRITERIA.find((one) => one === word);
    if (kind === undefined)
      throw badField(`criteria.${i}`, `is no criterion: they are the kinds of checks, ${CRITERIA.join(", ")}`);
    if (FAMILIES_OF[kind].length === 0)
      throw badField(`criteria.${i}`, "is a check that rules write no task with; add tasks of your own");
    if (withinFamilies(FAMILIES_OF[kind], input).length === 0)
      throw badField(
        `criteria.${i}`,
        `is carried by ${FAMILIES_OF[kind].join(", ")}, and selection.family names none of them`,
      );
    return kind;
  });
}

/** Refuses what cannot be done of a request, with what would do. */
export function checkParts(
  request: PartsInput & { readonly web?: boolean | undefined; readonly sessions: number },
): void {
  const { tasks, kind_floor: floor = 0 } = request;
  if (request.web === true)
    throw unprocessable(
      "The service reads no web pages: its worlds answer as the evidence shows. Send pages as documents (evidence_post) and leave web out.",
    );
  if (request.criteria_only === true && (request.criteria ?? []).length === 0)
    throw badField("criteria_only", "needs criteria: name the kinds of checks");
  const families = familiesOf(request);
  const all = floor * families.length;
  if (request.selection?.family !== undefined && all > tasks)
    throw badField(
      "kind_floor",
      `${floor} of ${countOf(families.length, "family", "families")} are ${countOf(all, "task")}, more than ${tasks}: raise tasks or name fewer families`,
    );
  if (request.history === true && request.sessions === 0)
    throw conflict("The surface has no recorded session to write tasks from; send traces, or leave history out.", {
      by: "evidence_post",
    });
}

/** Where the traces stand that a generation is to write tasks like. */
export async function exemplarsOf(ctx: Ctx, ids: readonly string[], evidence: readonly string[]) {
  const places = new Map<string, number[]>();
  for (const [i, id] of ids.entries()) {
    const row = await ctx.store.traces.get(id);
    if (!row) throw badField(`exemplars.${i}`, "is no trace of this org; evidence_match finds traces");
    if (!evidence.includes(row.evidence))
      throw badField(`exemplars.${i}`, "is no trace that this version of the surface was compiled from");
    places.set(row.evidence, [...(places.get(row.evidence) ?? []), row.position]);
  }
  return [...places].map(([record, positions]) => ({ evidence: record, positions }));
}
