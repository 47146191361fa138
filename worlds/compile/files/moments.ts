import type { Json } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import { type Call, callsByTool, type Session } from "../observations.ts";
import { byText } from "../values.ts";
import { type Act, isTransfer, pathOf, type State, textAfter } from "./act.ts";
import type { Condition } from "./answers.ts";
import type { Seen } from "./endings.ts";
import { follow, type Reading, type Start } from "./follow.ts";
import { type Output, outputsOfArguments, outputsOfList, outputsOfText } from "./outputs.ts";
import { argument, CWD, HOME, NAME, rowText } from "./paths.ts";
import { nameOf, parentOf, ROOT, within } from "./tree.ts";

/** An argument of more values than these is no choice. */
const MOST_VALUES = 6;

/** Arguments by which an act names entries, in the order of their variables. */
export const namesIn = (act: Act): string[] =>
  act.op === "none" || act.op === "where"
    ? []
    : isTransfer(act)
      ? [act.from, act.to]
      : act.at === undefined
        ? []
        : [act.at];

/** Every call of the tools with what may be said of it and what held before it. */
export function momentsOf(
  sessions: readonly Session[],
  reading: Reading,
  starts: Map<string, Start>,
): Map<string, Seen[]> {
  const out = new Map<string, Seen[]>();
  const flags = new Map<string, string[]>();
  for (const [tool, calls] of callsByTool(sessions))
    flags.set(
      tool,
      [...new Set(calls.flatMap(({ args }) => Object.keys(args).filter((key) => typeof args[key] === "boolean")))].sort(
        byText,
      ),
    );
  follow(sessions, reading, starts, ({ call, state }) => {
    const act = reading.actOf.get(call.tool) ?? { op: "none" };
    const seen = out.get(call.tool) ?? [];
    seen.push({
      call,
      value: call.value,
      outputs: outputsAt(act, call, state, reading, flags.get(call.tool) ?? []),
      conditions: conditionsAt(act, call, state, flags.get(call.tool) ?? []),
    });
    out.set(call.tool, seen);
  });
  for (const [tool, seen] of out) {
    const asked = argumentConditions(
      seen.map(({ call }) => call),
      namesIn(reading.actOf.get(tool) ?? { op: "none" }),
    );
    out.set(
      tool,
      seen.map((one) => ({ ...one, conditions: [...asked.map((ask) => ask(one.call)), ...one.conditions] })),
    );
  }
  return out;
}

function outputsAt(
  act: Act,
  { args }: Call,
  state: State,
  { hides, marks }: Reading,
  flags: readonly string[],
): Output[] {
  const out = outputsOfArguments(args);
  const place = act.op === "enter" ? pathOf(args[act.at], state) : state.cwd;
  const at = act.op === "enter" ? "p1" : CWD;
  const full =
    place !== undefined && state.home !== undefined
      ? place === ROOT
        ? state.home
        : state.home === ROOT
          ? place
          : state.home + place
      : undefined;
  if (act.op === "where" || act.op === "enter") {
    const join = `(${at} == "/" ? ${HOME} : ${HOME} == "/" ? ${at} : ${HOME} + ${at})`;
    const name = place === undefined ? undefined : place === ROOT ? state.name : nameOf(place);
    out.push({ cel: join, value: full }, { cel: at, value: place });
    out.push({ cel: `(${at} == "/" ? ${NAME} : ${at}.split("/").last())`, value: name });
  }
  for (const [i, arg] of namesIn(act).entries()) {
    const path = pathOf(args[arg], state);
    const p = `p${i + 1}`;
    if (path !== undefined && path !== ROOT) out.push({ cel: `${p}.split("/").last()`, value: nameOf(path) });
    if (act.op === "read" || act.op === "write") {
      const entry = path === undefined ? {} : state.tree.get(path);
      const { [arg]: _, ...rest } = args;
      if (act.op === "write") out.push(...outputsOfText("said", textAfter(act, args, entry), rest));
      else out.push(...outputsOfText(`known(${rowText(p)}.text)`, entry.there === true ? entry.text : undefined, rest));
    }
  }
  if (act.op === "list") {
    const path = act.at === undefined ? state.cwd : pathOf(args[act.at], state);
    const flag = hides ? flags[0] : undefined;
    const dots = !hides || (flag !== undefined && args[flag] === true);
    const names =
      path === undefined
        ? undefined
        : state.tree.list(path, dots)?.map((one) => ({ name: nameOf(one), folder: state.tree.get(one).folder }));
    out.push(
      ...outputsOfList(
        act.at === undefined ? CWD : "p1",
        names,
        hides ? (flag === undefined ? "false" : `${argument(flag)} == true`) : undefined,
        marks,
      ),
    );
  }
  return out;
}

function conditionsAt(act: Act, { args }: Call, state: State, flags: readonly string[]): Condition[] {
  const out: Condition[] = [];
  const names = namesIn(act);
  for (const [i, arg] of names.entries()) {
    const given = args[arg];
    const path = pathOf(given, state);
    const { there, folder } = path === undefined ? {} : state.tree.get(path);
    const [p, t] = [`p${i + 1}`, `t${i + 1}`];
    const row = rowText(p);
    const kind = there === false ? false : there === undefined ? undefined : folder;
    const text = typeof given === "string" ? given : "";
    out.push({
      cel: `(${argument(arg)} == ".." && ${CWD} == "/")`,
      value: state.cwd === undefined ? undefined : text === ".." && state.cwd === ROOT,
    });
    out.push({ cel: `${argument(arg)}.contains("/")`, value: text.includes("/") });
    out.push({ cel: `!${t}`, value: there === undefined ? undefined : !there }, { cel: t, value: there });
    out.push({ cel: `(${t} && ${row}.folder == true)`, value: kind });
    out.push({
      cel: `(${t} && ${row}.folder == false)`,
      value: there === false ? false : kind === undefined ? undefined : !kind,
    });
    out.push({ cel: `!(${t} && ${row}.folder == true)`, value: kind === undefined ? undefined : !kind });
    const held = path === undefined || kind !== true ? undefined : holds(state, path);
    const full = kind === false ? false : held;
    const cel = `(${t} && rows("entries").exists(r, r.folder_path == ${p} && r.there))`;
    out.push({ cel, value: full });
    for (const key of flags)
      out.push({ cel: `(${cel} && ${argument(key)} != true)`, value: args[key] === true ? false : full });
  }
  if (names.length === 2) {
    const [from, to] = names.map((arg) => pathOf(args[arg], state)) as [string | undefined, string | undefined];
    const target = from === undefined || to === undefined || from === ROOT ? undefined : within(to, nameOf(from));
    out.push({ cel: `t3`, value: target === undefined ? undefined : state.tree.get(target).there });
    const parent = to === undefined || to === ROOT ? undefined : state.tree.get(parentOf(to));
    out.push({ cel: `!t4`, value: parent?.there === undefined ? undefined : !parent.there });
  }
  return out;
}

/** Conditions on the arguments alone: those that may be left out, flags, and those of few values. */
function argumentConditions(calls: readonly Call[], names: readonly string[]): ((call: Call) => Condition)[] {
  const keys = [...new Set(calls.flatMap(({ args }) => Object.keys(args)))].sort(byText);
  return keys.flatMap((key) => {
    const arg = argument(key);
    const given = calls.flatMap(({ args }) => (Object.hasOwn(args, key) ? [args[key] as Json] : []));
    const values = [...new Set(given)];
    const out: ((call: Call) => Condition)[] = [];
    if (given.length < calls.length)
      out.push(({ args }) => ({ cel: `${arg} == null`, value: (args[key] ?? null) === null }));
    if (values.includes(true)) out.push(({ args }) => ({ cel: `${arg} == true`, value: args[key] === true }));
    const few = values.filter((value) => typeof value === "string");
    if (!names.includes(key) && few.length <= MOST_VALUES && few.length * 3 <= given.length)
      for (const one of few) out.push(({ args }) => ({ cel: `${arg} == ${literal(one)}`, value: args[key] === one }));
    return out;
  });
}

/** Whether a folder holds anything; undefined where that is not known. */
function holds(state: State, path: string): boolean | undefined {
  for (const [inner, { there }] of state.tree.entries)
    if (inner !== ROOT && parentOf(inner) === path && there === true) return true;
  return state.tree.list(path, true) === undefined ? undefined : false;
}
