import type { Step } from "../../behaviour/schema.ts";
import type { TableModel, ToolDefinition } from "../../bundle.ts";
import type { JsonObject } from "../../json.ts";
import { UNKNOWN_TEXT } from "../conditions/term.ts";
import { declaredEffect, effectByName } from "../effects.ts";
import type { FittedTool } from "../fit/fit-tool.ts";
import type { Call, Session } from "../observations.ts";
import { byText, canon } from "../values.ts";
import { actionOf, signatures } from "./actions.ts";
import type { Form, Item } from "./answers.ts";
import { effectOf, type Tracked } from "./effects.ts";
import { casesOf, estimateState } from "./estimate-state.ts";
import { type Events, FORM, findEvents, place, refusedAct, variableAt } from "./events.ts";
import { commonStates, type Setting, startStates } from "./knowledge.ts";
import { findLatentVariables, withLatentVariables } from "./latent-variables.ts";
import { findMemory } from "./memory.ts";
import { groupStart, memoryTables, noteStep, refusalSteps } from "./memory-steps.ts";
import { findOwnRows, type OwnRows, ownKeys } from "./own-rows.ts";
import { readOnlyTools } from "./read-only-tools.ts";
import { formsRest, linkedTables, movesUnder, type RowLinks } from "./row-links.ts";
import { crossValidated } from "./rules/cross-validate.ts";
import { featureNames, findRules, type Rule } from "./rules/rules.ts";
import { type Choice, READINGS, READINGS_KEY, type ResponsePart, SESSION, stepsOf, type ToolModel } from "./steps.ts";

/** Fits the tools of a thing without keys (a thermostat): its state variables, their initial values, what each tool does. */
export { findOwnRows, READINGS, SESSION };

/** What was fitted for tools without keys. */
export interface FittedVariables {
  readonly tables: readonly TableModel[];
  readonly rows: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  /** Rows that the sessions of a group alone start with, by group. */
  readonly starts: ReadonlyMap<string, Rows>;
  readonly tools: ReadonlyMap<string, FittedTool>;
  /** What calls of other tools do to the readings, as steps ahead of their own. */
  readonly sideEffects: ReadonlyMap<string, SideEffects>;
}

/** Steps ahead of a tool's own: where it is known what its calls do, and where nobody knows how they end, and so what they leave. */
export interface SideEffects {
  readonly known: readonly Step[];
  readonly unknown: readonly Step[];
}

type Rows = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** How often what stands is followed again without the rules that failed. */
const PROOFS = 4;
/** As many as a behaviour may have. */
const MAX_STEPS = 50;

/**
 * Fits tools that are asked without saying of what, and answer readings of one thing whose state every session finds
 * otherwise. A session's own readings are its state; what all sessions start with is the compiled state, and everything
 * else is unknown until a call sets it. Undefined where there are no such tools.
 */
export function fitStateVariables(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  listing: readonly ToolDefinition[],
  rows?: OwnRows,
): FittedVariables | undefined {
  const definitions = new Map(listing.map((tool) => [tool.name, tool]));
  const named = new Set(
    [...byTool.keys()].filter((tool) => (declaredEffect(definitions.get(tool)) ?? effectByName(tool)) === "read"),
  );
  const first = findEvents(sessions, byTool, named);
  const readers = new Set([...named, ...(first ? readOnlyTools(first, named) : [])]);
  const found = readers.size > named.size || rows ? findEvents(sessions, byTool, readers, rows) : first;
  if (!found) return undefined;
  const names = [...new Set(sessions.map(({ group }) => group))];
  const numbers = new Map(names.map((name, i) => [name, i]));
  const groups = sessions.map(({ group }) => numbers.get(group) as number);
  const plain = estimateState(found, groups, readers);
  const veils = findLatentVariables(found, plain);
  const events = veils.length > 0 ? withLatentVariables(found, veils) : found;
  const tracked = veils.length > 0 ? estimateState(events, groups, readers) : plain;
  if (tracked.lasting.size === 0) return undefined;
  const conduct = (tool: string, after: ReadonlyMap<string, readonly Rule[]>) =>
    [tool, { ...toolModelOf(tool, events, tracked, groups, byTool, after), rows }] as const;
  const looks = [...events.tools].filter((tool) => readers.has(tool)).map((tool) => conduct(tool, new Map()));
  const standing = standingRules(looks.map(([, look]) => look));
  const acts = [...events.tools].filter((tool) => !readers.has(tool)).map((tool) => conduct(tool, standing));
  const fitted = new Map([...looks, ...acts].sort(([a], [b]) => byText(a, b)));
  const others = [...byTool]
    .filter(([tool, calls]) => !events.tools.has(tool) && !tracked.reads.has(tool) && !alwaysRefused(calls))
    .map(([tool]) => tool);
  const common = commonStates(tracked);
  const rests = formsRest(
    looks.map(([, look]) => look),
    (tool) => events.variables.get(place(tool, FORM)),
  );
  let setting: Setting = {
    events,
    conducts: fitted,
    changes: new Map(others.map((tool) => [tool, changes(tool, tracked, events.links, rests)])),
    common,
    groups,
    tracked,
  };
  for (let round = 0; round < PROOFS; round++) setting = { ...setting, ...crossValidated(setting) };
  const { conducts: bare, changes: changesOf } = setting;
  const told = signatures(events.sessions);
  const memory = findMemory(events, groups, tracked, changesOf, told);
  const remembered = (tool: string): boolean =>
    memory !== undefined && (byTool.get(tool) ?? []).some((call) => memory.relevant.has(actionOf(call, told).token));
  const tools = new Map<string, FittedTool>();
  for (const [tool, conduct] of bare) {
    if (!matters(conduct)) continue;
    const recall = memory && {
      named: told,
      room: memory.room,
      asked: remembered(tool),
      done: memory.tools.has(tool),
    };
    const steps = stepsOf({ ...conduct, recall });
    if (steps.length > MAX_STEPS) continue;
    tools.set(tool, {
      behaviour: { v: 1, steps },
      effect: tracked.reads.has(tool) ? "read" : "write",
      how: "readings",
      whole: true,
    });
  }
  const sideEffects = new Map(
    [...changesOf].flatMap(([tool, of]) => {
      const step = stepsOf({
        tool,
        formIn: [],
        forms: [],
        form: [],
        guards: [],
        items: new Map(),
        changes: of,
        refusals: new Map(),
        composites: events.composites,
        calls: [],
        rows,
      });
      const ahead = of.size === 0 ? [] : step.slice(0, -1);
      const note = (sure: boolean) =>
        memory?.tools.has(tool) ? [noteStep(tool, { named: told, room: memory.room }, sure)] : [];
      const barred = remembered(tool) ? refusalSteps(tool, told) : [];
      const beside = {
        known: [...barred, ...ahead, ...note(true)],
        unknown: [...barred, ...ahead.flatMap(setUnknown), ...note(false)],
      };
      return beside.known.length === 0 ? [] : [[tool, beside] as const];
    }),
  );
  const kept = memory && memoryTables(memory);
  return {
    tables: [tableOf(tracked, rows), ...(kept?.tables ?? [])],
    rows: { [READINGS]: { [SESSION]: { ...rowOf(tracked, common), ...ownKeys(rows) } }, ...kept?.rows },
    starts: startsOf(names, startStates(names, tracked, common, rows), kept !== undefined),
    tools,
    sideEffects,
  };
}

/**
 * The tools that are asked without saying of what and do not always answer the same: what other tools show of keyed
 * rows is to be known before these are fitted.
 */
export function keylessTools(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
): ReadonlySet<string> {
  const found = findEvents(sessions, byTool, new Set())?.tools ?? [];
  return new Set([...found].filter((tool) => new Set(byTool.get(tool)?.map(({ value }) => canon(value))).size > 1));
}

/** Calls that must all have been refused for a tool to be one that is. */
const REFUSED = 5;

/** Whether nobody was ever granted what a tool does: it leaves everything as it is as far as anybody knows. */
const alwaysRefused = (calls: readonly Call[]): boolean => calls.length >= REFUSED && calls.every(({ ok }) => !ok);

/** How readings follow from other readings, whatever was called: by the reading tools that show them, first by name. */
function standingRules(looks: readonly ToolModel[]): Map<string, readonly Rule[]> {
  const out = new Map<string, readonly Rule[]>();
  for (const { items } of [...looks].sort((a, b) => byText(a.tool, b.tool)))
    for (const { register, rules } of [...items.values()].flat())
      if (register !== undefined && rules.length > 0 && !out.has(register)) out.set(register, rules);
  return out;
}

/** What sessions of each group start with: their readings, and which group they are of where that is kept in mind. */
function startsOf(
  names: readonly string[],
  readings: ReadonlyMap<string, JsonObject>,
  remembered: boolean,
): Map<string, Rows> {
  return new Map(
    names.flatMap((name, group) => {
      const own = readings.get(name);
      const rows: Rows = {
        ...(own ? { [READINGS]: { [SESSION]: own } } : {}),
        ...(remembered ? groupStart(group) : {}),
      };
      return Object.keys(rows).length === 0 ? [] : [[name, rows] as const];
    }),
  );
}

/** An update that leaves nothing known of what it would set. */
function setUnknown(step: Step): Step[] {
  return step.op === "update" ? [{ ...step, set: step.set.map((set) => ({ ...set, expr: UNKNOWN_TEXT })) }] : [];
}

/** A tool whose one answer never changes and that leaves every reading alone is none of the thing's. */
function matters({ forms, items, changes: of, refusals, calls }: ToolModel): boolean {
  const constant = new Set(calls.map(({ value }) => canon(value))).size === 1;
  return (
    of.size > 0 ||
    refusals.size > 0 ||
    !constant ||
    (forms.length === 1 && (items.get(forms[0]?.id ?? "") ?? []).some(({ register }) => register))
  );
}

function changes(
  tool: string,
  tracked: Tracked,
  links?: RowLinks,
  rests?: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, readonly Rule[]> {
  const out = new Map(
    [...tracked.lasting].sort(byText).flatMap((register) => {
      const effect = effectOf(tool, register, tracked) ?? [];
      if (effect !== "keep") return [[register, effect] as const];
      // What rests on a row is another when the row is: that it stayed in some sessions tells nothing of others.
      return links && movesUnder(links, tool, register) ? [[register, []] as const] : [];
    }),
  );
  // So is the form of an answer that follows from such readings.
  for (const [register, of] of links?.moved.has(tool) ? (rests ?? []) : [])
    if (!out.has(register) && [...of].some((reading) => out.has(reading))) out.set(register, []);
  return out;
}

function toolModelOf(
  tool: string,
  events: Events,
  tracked: Tracked,
  groups: readonly number[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  standing: ReadonlyMap<string, readonly Rule[]>,
): ToolModel {
  const forms = new Map<string, Form>();
  const shapes = new Map<string, readonly Item[]>();
  for (const session of events.sessions)
    for (const { tool: called, answer } of session)
      if (called === tool && answer && !forms.has(answer.form.id)) {
        forms.set(answer.form.id, answer.form);
        shapes.set(answer.form.id, answer.items);
      }
  const cases = (told: Parameters<typeof casesOf>[4]) => casesOf(events, tracked.known, groups, tool, told);
  const rule = (told: Parameters<typeof casesOf>[4]) => {
    const list = cases(told);
    const register = events.variables.get(place(tool, told === "form" ? FORM : told.label));
    return findRules(
      list,
      featureNames(list, events.composites, linkedTables(events.links, register)),
      undefined,
      new Set(groups).size,
    );
  };
  const rules = new Map<string, ReturnType<typeof rule>>();
  const items = new Map(
    [...shapes].map(([id, shown]) => [
      id,
      shown
        .filter(({ hole }) => hole >= 0)
        .map(({ label, hole, flag }): ResponsePart => {
          const register = events.choosing.has(tool) ? undefined : events.variables.get(place(tool, label));
          const choices = events.choosing.has(tool) ? choicesOf(events, tool, label, tracked) : [];
          const lasting = register !== undefined && tracked.lasting.has(register) && !forms.get(id)?.refusal;
          const several = register !== undefined && events.composites.has(register);
          if (!rules.has(label)) rules.set(label, several ? [] : rule({ label }));
          return {
            label,
            hole,
            flag,
            register: lasting ? register : undefined,
            choices: forms.get(id)?.refusal ? [] : choices,
            effect: lasting ? effectOf(tool, register, tracked) : choices.length > 0 ? "keep" : undefined,
            rules: forms.get(id)?.refusal ? constantRefusal(events, tool, id, label) : (rules.get(label) ?? []),
            after: lasting && effectOf(tool, register, tracked) !== "keep" ? (standing.get(register) ?? []) : [],
          };
        }),
    ]),
  );
  const formIn = choicesOf(events, tool, FORM, tracked);
  return {
    tool,
    formIn,
    forms: [...forms.values()].sort((a, b) => byText(a.id, b.id)),
    form: forms.size > 1 ? rule("form") : [],
    guards: events.guards.get(tool) ?? [],
    items,
    changes: changes(tool, tracked),
    refusals: new Map(
      [...forms.keys()].flatMap((id) => {
        const of = tracked.refusals.get(refusedAct(tool, id));
        return of ? [[id, of] as const] : [];
      }),
    ),
    composites: events.composites,
    calls: byTool.get(tool) ?? [],
    rows: undefined,
  };
}

/** The registers of a value that arguments choose. */
function choicesOf(events: Events, tool: string, label: string, { lasting }: Tracked): Choice[] {
  const out = new Map<string, Choice>();
  for (const session of events.sessions)
    for (const event of session) {
      const register = event.tool === tool ? variableAt(events, event, label) : undefined;
      if (register !== undefined && lasting.has(register)) out.set(event.args, { args: event.call.args, register });
    }
  return [...out].sort(([a], [b]) => byText(a, b)).map(([, choice]) => choice);
}

/** The words of a refusal's line, where they are always the same. */
function constantRefusal(events: Events, tool: string, form: string, label: string): Rule[] {
  const words = new Set<string>();
  for (const session of events.sessions)
    for (const { tool: called, answer } of session)
      if (called === tool && answer?.form.id === form)
        for (const item of answer.items) if (item.label === label) words.add(item.value);
  const [only] = words;
  return words.size === 1 && only !== undefined ? [{ kind: "table", of: [], entries: new Map([["", only]]) }] : [];
}

function tableOf({ lasting }: Tracked, rows: OwnRows | undefined): TableModel {
  return {
    name: READINGS,
    key: [READINGS_KEY],
    columns: [
      { name: READINGS_KEY, types: ["string"], format: "id", present: 1 },
      ...[...lasting, ...Object.keys(ownKeys(rows))]
        .sort(byText)
        .map((name) => ({ name, types: ["null" as const, "string" as const], present: 1 })),
    ],
  };
}

function rowOf({ lasting }: Tracked, common: ReadonlyMap<string, string>): JsonObject {
  const readings = [...lasting].sort(byText).map((register) => [register, common.get(register) ?? null] as const);
  return { [READINGS_KEY]: SESSION, ...Object.fromEntries(readings) };
}
