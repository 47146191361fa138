import type { Step } from "../../behaviour/schema.ts";
import type { Json, JsonObject } from "../../json.ts";
import type { Call } from "../observations.ts";
import { literal, member } from "../term.ts";
import { at, byText, canon } from "../values.ts";
import type { Acts } from "./acts.ts";
import type { Form } from "./answers.ts";
import { composedText, type Mark, markText } from "./composites.ts";
import { applied, entryParts, type Rule } from "./rules.ts";
import { shiftText } from "./shifts.ts";
import type { Effect } from "./track.ts";

/** The table that holds the readings of a session, in one row. */
export const READINGS = "readings";
export const READINGS_KEY = "of";
export const SESSION = "session";
/** A longer expression does not fit the language. */
const LONGEST = 3600;
/** The most values of several kinds that one place of an object is told apart by. */
const MAX_DOMAIN = 40;

/** What one tool does and says. */
export interface Conduct {
  readonly tool: string;
  readonly forms: readonly Form[];
  readonly form: readonly Rule[];
  /** The registers that hold which form a reading tool answers in, by the arguments it is asked with. */
  readonly formIn: readonly Choice[];
  /** Per form its items: the register that holds it, where one does, and else how it follows. */
  readonly items: ReadonlyMap<string, readonly Said[]>;
  /** Registers that a call does not leave as they are; no rule for what nobody knows. */
  readonly changes: ReadonlyMap<string, readonly Rule[]>;
  readonly priors: ReadonlyMap<string, string>;
  readonly composites: ReadonlyMap<string, readonly Mark[]>;
  readonly calls: readonly Call[];
}

interface Spoken {
  readonly said: Said;
  readonly text: string;
}

/** A register with the arguments that ask for it. */
export interface Choice {
  readonly args: JsonObject;
  readonly register: string;
}

/** The register that holds a value of one call's answer; undefined where none does. */
export function heldIn({ register, choices }: Said, args: JsonObject): string | undefined {
  return register ?? choices.find((choice) => canon(choice.args) === canon(args))?.register;
}

function choiceText(choices: readonly Choice[]): string {
  const texts = choices.map(({ args, register }) => {
    const names = Object.keys(args).sort(byText);
    const test = names.map((name) => `${feature(`args.${name}`)} == ${literal(String(args[name]))}`).join(" && ");
    return `${test === "" ? "size(args) == 0" : test} ? s.${register} : `;
  });
  const text = `(${texts.join("")}null)`;
  return text.length > LONGEST ? "null" : text;
}

/** One value of an answer. */
export interface Said {
  readonly label: string;
  readonly hole: number;
  readonly mark: string | undefined;
  readonly register: string | undefined;
  /** The registers of a tool whose arguments choose what is read, each with the arguments that choose it. */
  readonly choices: readonly Choice[];
  readonly effect: Effect | undefined;
  readonly rules: readonly Rule[];
}

const feature = (name: string): string => {
  const arg = /^args\.(.*)$/s.exec(name)?.[1];
  if (arg === undefined) return `s.${name}`;
  const given = member("args", arg);
  return `(${given} == null ? "" : string(${given}))`;
};

/** A rule as an expression that is null where the rule does not tell. */
function ruleText(rule: Rule): string {
  if (rule.kind === "copy") return feature(rule.of);
  if (rule.kind === "shift") return shiftText(rule, feature);
  if (rule.kind === "acts") return actsText(rule);
  const { of, entries } = rule;
  if (of.length === 0) return literal(entries.get("") ?? null);
  const text = `${nested([...entries].map(([key, value]) => [entryParts(key), value] as const))}${of.map((name) => `.get(${feature(name)}, null)`).join("")}`;
  return text.length > LONGEST ? "null" : text;
}

/** What stands for a reading that a call leaves as it is. */
const KEPT = "\u0000";

function actsText({ own, of, entries, kept }: Acts): string {
  const all = [...entries, ...[...kept].map((key) => [key, KEPT] as const)];
  const map = nested(all.map(([key, value]) => [entryParts(key), value] as const));
  const told = `${map}${of.map((name) => `.get(${feature(name)}, null)`).join("")}`;
  const text = kept.size === 0 ? told : `(${told} == ${literal(KEPT)} ? ${feature(own)} : ${told})`;
  return text.length > LONGEST ? "null" : text;
}

function nested(entries: readonly (readonly [readonly string[], string])[]): string {
  const heads = [...new Set(entries.map(([[head]]) => head as string))].sort(byText);
  const parts = heads.map((head) => {
    const below = entries.filter(([[first]]) => first === head);
    const leaf = below[0]?.[0].length === 1;
    const value = leaf ? literal(below[0]?.[1] ?? null) : nested(below.map(([[, ...rest], of]) => [rest, of] as const));
    return `${literal(head)}: ${value}`;
  });
  return `{${parts.join(", ")}}`;
}

/** The first of some expressions that is not null. */
function firstOf(texts: readonly string[]): string {
  const known = texts.filter((text, i) => text !== "null" && texts.indexOf(text) === i);
  const [first, ...rest] = known;
  if (first === undefined) return "null";
  if (rest.length === 0) return first;
  const joined = `(${first} != null ? ${first} : ${firstOf(rest)})`;
  return joined.length > LONGEST ? first : joined;
}

/** Under what name a tool's prior for one of its values is kept. */
export const priorOf = (form: string, label: string): string => `${form}\n${label}`;
export const FORM_PRIOR = "form";

/** The steps of a keyless tool: what its call makes of the readings, then what it says. Where the answer is not known the effects stand all the same. */
export function stepsOf(conduct: Conduct): Step[] {
  const [state, ...steps] = plainSteps(conduct) as [Step, ...Step[]];
  const composed = [...conduct.composites].flatMap(([whole, marks]) => [
    whole,
    ...marks.map(({ register }) => register),
  ]);
  const named = composed.reduce(
    (text, register) => text.replaceAll(new RegExp(`\\bs\\.${register}\\b`, "g"), register),
    JSON.stringify(steps),
  );
  return [state, ...readingSteps(conduct.composites, named), ...(JSON.parse(named) as Step[])];
}

function plainSteps(conduct: Conduct): Step[] {
  const { forms, changes } = conduct;
  const [only] = forms;
  const steps: Step[] = [{ op: "let", name: "s", expr: `lookup(${literal(READINGS)}, ${literal(SESSION)})` }];
  const several = forms.length > 1;
  if (several)
    steps.push({
      op: "let",
      name: "form",
      expr: formText(conduct),
    });
  const spoken = forms.map((form, f) => {
    const items: Spoken[] = [];
    for (const [i, said] of (conduct.items.get(form.id) ?? []).entries()) {
      const marks = items.filter((other) => other.said.hole === said.hole && other.said.mark !== undefined);
      const expr = saidText(said, conduct, form, marks);
      const name = `v${f}_${i}`;
      if (!/^s\.\w+$/.test(expr)) steps.push({ op: "let", name, expr });
      items.push({ said, text: /^s\.\w+$/.test(expr) ? expr : name });
    }
    return { form, items };
  });
  for (const [f, { form, items }] of spoken.entries()) {
    if (!form.refusal) continue;
    const text = answerText(form, holes(items, "known"), conduct.calls);
    steps.push({
      op: "let",
      name: `refused_${f}`,
      expr: several ? `(form == ${literal(form.id)} ? error(${text}) : false)` : `error(${text})`,
    });
  }
  const shown = new Map(
    spoken.flatMap(({ form, items }) =>
      form.refusal
        ? []
        : items.flatMap(({ said, text }) => (said.register === undefined ? [] : [[said.register, text] as const])),
    ),
  );
  const set = [...changes]
    .sort(([a], [b]) => byText(a, b))
    .map(([register, rules]) => {
      const value = firstOf([...rules.map(ruleText), shown.get(register) ?? "null"]);
      return {
        path: register,
        op: "=" as const,
        expr: several && value !== "null" ? `(form == null ? null : ${value})` : value,
      };
    });
  if (set.length > 0)
    steps.push({
      op: "update",
      table: READINGS,
      key: [{ column: READINGS_KEY, expr: literal(SESSION) }],
      set,
      require: [],
    });
  const answers = spoken.filter(({ form }) => !form.refusal);
  const texts = answers.map(({ form, items }) => ({
    form,
    text: answerText(form, holes(items, "told"), conduct.calls),
  }));
  if (only && !several)
    return only.refusal ? steps : [...steps, { op: "answer", expr: texts[0]?.text ?? "told(null)" }];
  const choice = texts.reduceRight(
    (rest, { form, text }) => `form == ${literal(form.id)} ? ${text} : ${rest}`,
    "told(null)",
  );
  return [...steps, { op: "answer", expr: `(${choice})` }];
}

/** What fills each hole of a form. */
function holes(items: readonly Spoken[], needed: "known" | "told"): string[] {
  const out: string[] = [];
  for (const { said, text } of items) if (said.mark === undefined) out[said.hole] = `${needed}(${text})`;
  return out;
}

/** Names for what a composite and its marks tell of each other, ahead of all that may look at them. */
function readingSteps(composites: Conduct["composites"], used: string): Step[] {
  const steps: Step[] = [];
  for (const [whole, marks] of composites) {
    if (![whole, ...marks.map(({ register }) => register)].some((register) => mentions(used, register))) continue;
    const composed = composedText(marks.map(({ mark, register }) => ({ mark, text: `s.${register}` })));
    steps.push({ op: "let", name: whole, expr: firstOf([`s.${whole}`, composed]) });
    for (const { mark, register } of marks)
      if (mentions(used, register))
        steps.push({ op: "let", name: register, expr: firstOf([`s.${register}`, markText(whole, mark)]) });
  }
  return steps;
}

const mentions = (used: string, register: string): boolean => new RegExp(`\\b${register}\\b`).test(used);

/** The form that a call would be answered in by what is known before it; undefined where that does not tell. */
export function formOf(
  { forms, form, formIn }: Conduct,
  features: ReadonlyMap<string, string>,
  args: JsonObject,
): string | undefined {
  if (forms.length === 1) return forms[0]?.id;
  const register = formIn.find((choice) => canon(choice.args) === canon(args))?.register;
  return (register === undefined ? undefined : features.get(register)) ?? applied(form, features);
}

function formText({ form, formIn, priors }: Conduct): string {
  const prior = priors.get(FORM_PRIOR);
  const held = formIn.length === 0 ? [] : [choiceText(formIn)];
  return firstOf([...held, ...form.map(ruleText), prior === undefined ? "null" : literal(prior)]);
}

function saidText(said: Said, { priors }: Conduct, form: Form, marks: readonly Spoken[]): string {
  const held = said.register === undefined ? undefined : said.effect;
  const prior = priors.get(priorOf(form.id, said.label));
  return firstOf([
    ...(said.choices.length > 0 ? [choiceText(said.choices)] : []),
    ...(held === "keep" && said.register !== undefined ? [`s.${said.register}`] : []),
    ...(held === "keep" ? [] : (held ?? []).map(ruleText)),
    ...said.rules.map(ruleText),
    marks.length > 0 && said.mark === undefined
      ? composedText(marks.map(({ said: { mark = "" }, text }) => ({ mark, text })))
      : prior === undefined
        ? "null"
        : literal(prior),
  ]);
}

function answerText(form: Form, values: readonly string[], calls: readonly Call[]): string {
  if (form.paths) return objectText(form.paths, values, calls);
  const texts = form.texts ?? [];
  const parts = texts.flatMap((text, i) => [
    ...(text === "" ? [] : [literal(text)]),
    ...(values[i] === undefined ? [] : [values[i] as string]),
  ]);
  return parts.join(" + ") || '""';
}

/** An object with its values where they stand. */
function objectText(
  paths: readonly (readonly string[])[],
  values: readonly string[],
  calls: readonly Call[],
  depth = 0,
): string {
  const fields = [...new Set(paths.map((path) => path[depth] as string))];
  const parts = fields.map((field) => {
    const below = paths.flatMap((path, i) => (path[depth] === field ? [{ path, value: values[i] as string }] : []));
    const leaf = below[0]?.path.length === depth + 1 ? below[0] : undefined;
    const text = leaf
      ? typed(leaf.path, leaf.value, calls)
      : objectText(
          below.map(({ path }) => path),
          below.map(({ value }) => value),
          calls,
          depth + 1,
        );
    return `${literal(field)}: ${text}`;
  });
  return `{${parts.join(", ")}}`;
}

/** What stands at a place of an object as it was observed: a text, a number, a truth value, or one of few values of several kinds. */
function typed(path: readonly string[], value: string, calls: readonly Call[]): string {
  const seen = new Map<string, Json>();
  for (const call of calls) {
    const leaf = call.ok ? at(call.value, path) : undefined;
    if (leaf !== undefined) seen.set(JSON.stringify(leaf), leaf);
  }
  const all = [...seen.values()];
  if (all.every((each) => typeof each === "number")) return `double(${value})`;
  if (all.every((each) => typeof each === "boolean")) return `bool(${value})`;
  if (all.every((each) => typeof each === "string" && JSON.stringify(each) === `"${each}"`))
    return `${value}.split("\\"")[1]`;
  const domain = [...seen].sort(([a], [b]) => byText(a, b)).slice(0, MAX_DOMAIN);
  return `told({${domain.map(([text, each]) => `${literal(text)}: [${literal(each)}]`).join(", ")}}.get(${value}))[0]`;
}
