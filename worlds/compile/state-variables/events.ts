import type { Json, JsonObject } from "../../json.ts";
import type { Call, Session } from "../observations.ts";
import { idLike } from "../tables/entities.ts";
import { byText, canon, isScalar, scalarsOf } from "../values.ts";
import { type Answer, type Item, type Slot, takeApart } from "./answers.ts";
import { expanded, type Flag, findComposites, markLabel } from "./flag-sets.ts";
import type { OwnRows } from "./own-rows.ts";
import { findLinks, type RowLinks } from "./row-links.ts";
import { findGuards, type Guards, metBy } from "./rules/guards.ts";

/** A call as it bears on the readings of its session. */
export interface Event {
  readonly tool: string;
  /** The values of its arguments as one text; empty for a tool whose arguments name rows. */
  readonly args: string;
  readonly call: Call;
  /** Its answer taken apart, where it is one of a keyless tool. */
  readonly answer: Answer | undefined;
  /** What it did, as far as effects are told apart: its tool's name, or with its refusal's words. Undefined where none is looked for. */
  readonly act: string | undefined;
  /** What the keyed rows of its session were before it, by feature. */
  readonly rows: ReadonlyMap<string, string>;
  /** By its name or its listing it only reads. */
  readonly reads: boolean;
  /** Registers its answer shows, by name. */
  readonly shown: ReadonlyMap<string, string>;
  /** Registers of which how it ended tells what stood before it. */
  readonly met: ReadonlyMap<string, string>;
}

/**
 * A reading that another one hides at times: what a register shows when it shows one of some values (`among`), or any
 * but one (`but`). Behind what hides it, it stays.
 */
export interface LatentVariable {
  readonly of: string;
  readonly register: string;
  readonly among: ReadonlySet<string> | undefined;
  readonly but: string;
}

/** What keyless tools show of one thing that has no key: their calls in order, and which register each of their items is. */
export interface Events {
  readonly sessions: readonly (readonly Event[])[];
  readonly tools: ReadonlySet<string>;
  /** Register of a tool's item, by `tool\nlabel`. */
  readonly variables: ReadonlyMap<string, string>;
  /** Tools whose arguments choose what is read: every choice has readings of its own. */
  readonly choosing: ReadonlySet<string>;
  /** The arguments that choose a register, for those that are chosen. */
  readonly about: ReadonlyMap<string, JsonObject>;
  /** Registers that are several marks in one, with those marks' own registers. */
  readonly composites: ReadonlyMap<string, readonly Flag[]>;
  readonly guards: Guards;
  /** Which registers rest on keyed rows. */
  readonly links: RowLinks;
  /** Registers that others hide at times. */
  readonly latent: readonly LatentVariable[];
}

/** The most values that an argument of a keyless tool takes. */
const MAX_CHOICES = 16;
/** The share of two readings under one label that must agree for them to be one. */
const SAME = 0.95;

/** A tool that refuses in more words than this says other things in them than which refusal it is. */
const MAX_REFUSALS = 4;

/** The act of a tool that refuses in a form. */
export const refusedAct = (tool: string, form: string): string => `${tool}\n${form}`;

/** The key of a label within the answers of a tool. */
export const place = (tool: string, label: string): string => `${tool}\n${label}`;

/** The register of an item of a call's answer; undefined where it has none. */
export function variableAt(
  { variables, choosing }: Pick<Events, "variables" | "choosing">,
  { tool, args }: Pick<Event, "tool" | "args">,
  label: string,
): string | undefined {
  return variables.get(place(tool, choosing.has(tool) ? chosen(label, args) : label));
}

const chosen = (label: string, args: string): string => `${label} of ${args}`;

/** Whether a tool names no row: no arguments, or a choice among few values. */
function isKeyless(calls: readonly Call[], told: ReadonlySet<Json>): boolean {
  const values = new Map<string, Set<Json>>();
  for (const { args } of calls)
    for (const [name, value] of Object.entries(args)) {
      if (!isScalar(value)) return false;
      values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  return [...values].every(
    ([name, of]) => of.size <= MAX_CHOICES && (idLike(name, [...of]) < 2 || ![...of].some((value) => told.has(value))),
  );
}

/** The item that says which of its forms an answer of a reading tool has. */
export const FORM = "form";

/** Adds to the answers of a tool that has several forms which of them each is: that too is a reading. */
function tellForms(calls: readonly Call[], answers: Map<Call, Answer>): void {
  const forms = new Set(calls.flatMap((call) => answers.get(call)?.form.id ?? []));
  for (const call of forms.size > 1 ? calls : []) {
    const answer = answers.get(call);
    if (!answer || answer.form.refusal) continue;
    answers.set(call, { ...answer, items: [...answer.items, { label: FORM, value: answer.form.id, hole: -1 }] });
  }
}

/** Whether a tool is asked with one of several choices of arguments. */
function chooses(calls: readonly Call[]): boolean {
  const asked = new Set(calls.map(({ args }) => canon(args)));
  return asked.size > 1 && asked.size <= MAX_CHOICES;
}

const NO_ROWS: ReadonlyMap<string, string> = new Map();

/** The calls of every session as events; undefined where fewer than two keyless tools answer the same question differently. */
export function findEvents(
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  reads: ReadonlySet<string>,
  rows?: OwnRows,
): Events | undefined {
  const answers = new Map<Call, Answer>();
  const tools = new Set<string>();
  const scalars = new Set(
    sessions.flatMap((session) => session.calls.flatMap((call) => (call.ok ? [...scalarsOf(call.value)] : []))),
  );
  let varying = 0;
  for (const [tool, calls] of byTool) {
    if (!isKeyless(calls, scalars)) continue;
    const whole = new Set(calls.flatMap(({ ok, value }) => (ok ? [] : [canon(value)]))).size <= MAX_REFUSALS;
    const parts = calls.map((call) => takeApart(call.value, call.ok, whole));
    if (parts.some((part) => part === undefined) || new Set(parts.map((part) => part?.form.id)).size > MAX_FORMS)
      continue;
    tools.add(tool);
    calls.forEach((call, i) => void answers.set(call, parts[i] as Answer));
    const told = new Map<string, Set<string>>();
    for (const { args, value } of calls) told.set(canon(args), (told.get(canon(args)) ?? new Set()).add(canon(value)));
    if ([...told.values()].some((of) => of.size > 1)) varying++;
  }
  if (varying < 2) return undefined;
  const composites = findComposites(answers.values());
  const choosing = new Set([...tools].filter((tool) => reads.has(tool) && chooses(byTool.get(tool) ?? [])));
  for (const [call, answer] of answers) if (!choosing.has(call.tool)) answers.set(call, expanded(answer, composites));
  for (const tool of tools) if (reads.has(tool)) tellForms(byTool.get(tool) ?? [], answers);
  const variables = unified(sessions, answers, reads, choosing);
  const about = new Map<string, JsonObject>();
  for (const [call, { items }] of answers)
    for (const { label } of choosing.has(call.tool) ? items : []) {
      const register = variableAt({ variables, choosing }, { tool: call.tool, args: canon(call.args) }, label);
      if (register !== undefined) about.set(register, call.args);
    }
  const guards = findGuards(new Map([...byTool].filter(([tool]) => tools.has(tool) && !reads.has(tool))), answers);
  const events = sessions.map(({ calls }) =>
    calls.map((call): Event => {
      const answer = answers.get(call);
      const shown = answer && !answer.form.refusal ? answer.items : [];
      return {
        tool: call.tool,
        args: answer ? canon(call.args) : "",
        call,
        answer,
        act: call.ok ? call.tool : answer && !reads.has(call.tool) ? refusedAct(call.tool, answer.form.id) : undefined,
        rows: rows?.before.get(call) ?? NO_ROWS,
        reads: reads.has(call.tool),
        met: metBy(guards.get(call.tool) ?? [], call, answer),
        shown: new Map(
          shown.flatMap(({ label, value }) => {
            const register = variableAt({ variables, choosing }, { tool: call.tool, args: canon(call.args) }, label);
            return register === undefined ? [] : [[register, value] as const];
          }),
        ),
      };
    }),
  );
  const wholes = composedOf(variables, composites);
  return {
    tools,
    variables,
    choosing,
    about,
    guards,
    links: findLinks({
      sessions: events,
      tools,
      variables,
      composites: wholes,
      formed: new Set([...tools].filter((tool) => variables.has(place(tool, FORM)))),
    }),
    latent: [],
    composites: wholes,
    sessions: events,
  };
}

function composedOf(
  registers: ReadonlyMap<string, string>,
  composites: ReadonlyMap<string, readonly Slot[]>,
): Map<string, readonly Flag[]> {
  const out = new Map<string, readonly Flag[]>();
  for (const [where, register] of registers) {
    const [tool, label] = where.split("\n") as [string, string];
    const marks = composites.get(label)?.flatMap((slot, i): Flag[] => {
      const own = registers.get(place(tool, markLabel(label, i)));
      return own === undefined ? [] : [{ slot, register: own }];
    });
    if (marks && marks.length === composites.get(label)?.length) out.set(register, marks);
  }
  return out;
}

/** More forms than this are no forms. */
const MAX_FORMS = 12;

/** One register per item of a tool, and one for the items of several tools under one label where they agree side by side. */
function unified(
  sessions: readonly Session[],
  answers: ReadonlyMap<Call, Answer>,
  reads: ReadonlySet<string>,
  choosing: ReadonlySet<string>,
): Map<string, string> {
  const agreement = new Map<string, [same: number, n: number]>();
  const places = new Set<string>();
  for (const { calls } of sessions) {
    const last = new Map<string, Map<string, { readonly tool: string; readonly value: string }>>();
    for (const call of calls) {
      const answer = answers.get(call);
      if (!reads.has(call.tool)) last.clear();
      for (const item of answer && !answer.form.refusal ? answer.items : []) {
        const { value } = item;
        const label = choosing.has(call.tool) ? chosen(item.label, canon(call.args)) : item.label;
        const here = place(call.tool, label);
        places.add(here);
        const name = label === item.label ? itemName(answer as Answer, item) : label;
        const seen = last.get(name) ?? new Map<string, { tool: string; value: string }>();
        for (const [other, before] of seen) {
          if (before.tool === call.tool) continue;
          const pair = [other, here].sort(byText).join("\u0000");
          const [same, n] = agreement.get(pair) ?? [0, 0];
          agreement.set(pair, [same + (before.value === value ? 1 : 0), n + 1]);
        }
        last.set(name, seen.set(here, { tool: call.tool, value }));
      }
    }
  }
  const parent = new Map<string, string>();
  const root = (of: string): string => {
    const up = parent.get(of);
    return up === undefined ? of : root(up);
  };
  for (const [pair, [same, n]] of [...agreement].sort(([a], [b]) => byText(a, b))) {
    const [a, b] = pair.split("\u0000").map(root) as [string, string];
    if (n >= 2 && same >= n * SAME && a !== b) parent.set(b, a);
  }
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const out = new Map<string, string>();
  for (const each of [...places].sort(byText)) {
    const of = root(each);
    if (!names.has(of)) {
      const [tool, label] = of.split("\n") as [string, string];
      const stem = slug(/^line \d+$/.test(label) ? `${tool} ${label}` : label);
      let name = stem;
      for (let n = 2; taken.has(name); n++) name = `${stem}_${n}`;
      taken.add(name);
      names.set(of, name);
    }
    out.set(each, names.get(of) as string);
  }
  return out;
}

/** What an item goes by where tools say the same: its label, or the words around it where that only says which sentence it is. */
function itemName({ form }: Answer, { label, hole, flag }: Item): string {
  const placed = /^line \d+(?:\.\d+)?( number \d+)?$/.exec(label);
  if (!placed || flag !== undefined) return label;
  if (placed[1] === undefined) return "a sentence";
  const [before = "", after = ""] = [form.texts?.[hole]?.split("\n").at(-1), form.texts?.[hole + 1]?.split("\n")[0]];
  return `${before.trim()}\u0000${after.trim()}`;
}

function slug(label: string): string {
  const words = label.toLowerCase().match(/[a-z0-9]+/g) ?? ["value"];
  return `r_${words.join("_").slice(0, 40)}`;
}
