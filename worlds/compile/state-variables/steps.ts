import type { Step } from "../../behaviour/schema.ts";
import type { JsonObject } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import type { Call } from "../observations.ts";
import { byText, canon } from "../values.ts";
import { answerText } from "./answer-text.ts";
import type { Form, Slot } from "./answers.ts";
import type { Effect } from "./effects.ts";
import type { Event } from "./events.ts";
import { composedText, type Flag, flagText } from "./flag-sets.ts";
import { type Noted, noteStep, REMEMBERED, recallSteps } from "./memory-steps.ts";
import { type OwnRows, rowSteps } from "./own-rows.ts";
import { type Guard, guardedText } from "./rules/guards.ts";
import { featureText, firstOf, LONGEST, ruleText, type StateName } from "./rules/rule-text.ts";
import type { Rule } from "./rules/rules.ts";

/** The table that holds the readings of a session, in one row. */
export const READINGS = "readings";
export const READINGS_KEY = "of";
export const SESSION = "session";
/** What one tool does and says. */
export interface ToolModel {
  readonly tool: string;
  readonly forms: readonly Form[];
  readonly form: readonly Rule[];
  /** The registers that hold which form a reading tool answers in, by the arguments it is asked with. */
  readonly formIn: readonly Choice[];
  /** Per form its items: the register that holds it, where one does, and else how it follows. */
  readonly items: ReadonlyMap<string, readonly ResponsePart[]>;
  /** What decides which form a call that acts is answered in, where no rule tells it. */
  readonly guards: readonly Guard[];
  /** Registers that a call does not leave as they are; no rule for what nobody knows. */
  readonly changes: ReadonlyMap<string, readonly Rule[]>;
  /** The same of each form that it refuses in: a refusal may change something all the same. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>;
  readonly composites: ReadonlyMap<string, readonly Flag[]>;
  readonly calls: readonly Call[];
  /** The keyed rows that rules may look at. */
  readonly rows: OwnRows | undefined;
  /** What others of its group heard, and what of its own deeds is kept in mind. */
  readonly recall?: Recall | undefined;
}

/** How a tool's calls are remembered. */
export interface Recall extends Noted {
  /** Whether its questions are among those that sessions of a group answer alike. */
  readonly asked: boolean;
  /** Whether what it does is one of the deeds that they rest on. */
  readonly done: boolean;
}

/** What a call changes as it ended, by the rules of its tool; `others` where that is not a keyless one. */
export function changesBy(
  { call, answer }: Event,
  conduct: ToolModel | undefined,
  others?: ReadonlyMap<string, readonly Rule[]>,
): ReadonlyMap<string, readonly Rule[]> {
  const of = call.ok ? (conduct?.changes ?? others) : conduct?.refusals.get(answer?.form.id ?? "");
  return of ?? new Map();
}

interface ResponseText {
  readonly said: ResponsePart;
  readonly text: string;
}

/** A register with the arguments that ask for it. */
export interface Choice {
  readonly args: JsonObject;
  readonly register: string;
}

/** The register that holds a value of one call's answer; undefined where none does. */
export function variableOf({ register, choices }: ResponsePart, args: JsonObject): string | undefined {
  return register ?? choices.find((choice) => canon(choice.args) === canon(args))?.register;
}

function choiceText(choices: readonly Choice[]): string {
  const texts = choices.map(({ args, register }) => {
    const names = Object.keys(args).sort(byText);
    const test = names.map((name) => `${featureText(`args.${name}`)} == ${literal(String(args[name]))}`).join(" && ");
    return `${test === "" ? "size(args) == 0" : test} ? s.${register} : `;
  });
  const text = `(${texts.join("")}null)`;
  return text.length > LONGEST ? "null" : text;
}

/** One value of an answer. */
export interface ResponsePart {
  readonly label: string;
  readonly hole: number;
  readonly flag: Slot | undefined;
  readonly register: string | undefined;
  /** The registers of a tool whose arguments choose what is read, each with the arguments that choose it. */
  readonly choices: readonly Choice[];
  readonly effect: Effect | undefined;
  readonly rules: readonly Rule[];
  /** How it follows from the readings as the call leaves them, where reading tools show it so. */
  readonly after: readonly Rule[];
}

/** The steps of a keyless tool: what its call makes of the readings, then what it says. Effects stand where the answer is not known. */
export function stepsOf(toolModel: ToolModel): Step[] {
  const { doing, saying } = plainSteps(toolModel);
  const text = JSON.stringify([...doing, ...saying]);
  const later = /\ba\.\w/.test(text);
  const named = (steps: readonly Step[]): Step[] =>
    JSON.parse(renamed(renamed(JSON.stringify(steps), toolModel.composites, "s"), toolModel.composites, "a")) as Step[];
  return [
    ...(toolModel.recall?.asked ? recallSteps(toolModel.tool, toolModel.recall.named) : []),
    readingsAs("s"),
    ...rowSteps(toolModel.rows, text),
    ...flagSetSteps(toolModel.composites, text, "s"),
    ...named(doing),
    ...(later ? [readingsAs("a"), ...flagSetSteps(toolModel.composites, text, "a")] : []),
    ...named(saying),
  ];
}

const readingsAs = (name: StateName): Step => ({
  op: "let",
  name,
  expr: `unknown_as_null(lookup(${literal(READINGS)}, ${literal(SESSION)}))`,
});

/** An expression, or what is remembered where anything is. */
const orRemembered = ({ recall }: ToolModel, part: "answer" | "form", text: string): string =>
  recall?.asked ? `(${REMEMBERED} != null ? ${REMEMBERED}.${part} : ${text})` : text;

function plainSteps(toolModel: ToolModel): { readonly doing: Step[]; readonly saying: Step[] } {
  const { forms, changes, refusals, recall } = toolModel;
  const [only] = forms;
  const doing: Step[] = [];
  const saying: Step[] = [];
  const several = forms.length > 1;
  if (several) doing.push({ op: "let", name: "form", expr: formText(toolModel) });
  const spoken = forms.map((form, f) => {
    const items: ResponseText[] = [];
    for (const [i, said] of (toolModel.items.get(form.id) ?? []).entries()) {
      const expr = responseText(said, marksOf(items, said));
      const name = `v${f}_${i}`;
      const plain = /^s\.\w+$/.test(expr);
      if (!plain) doing.push({ op: "let", name, expr });
      items.push({ said, text: plain ? expr : name });
    }
    return { form, items };
  });
  for (const [f, { form, items }] of spoken.entries()) {
    if (!form.refusal) continue;
    const text = orRemembered(toolModel, "answer", answerText(form, holes(items, "known"), toolModel.calls));
    const test = `form == ${literal(form.id)}`;
    if (!refusals.has(form.id))
      doing.push({
        op: "let",
        name: `refused_${f}`,
        expr: several ? `(${test} ? error(${text}) : false)` : `error(${text})`,
      });
    else {
      doing.push({ op: "let", name: `words_${f}`, expr: several ? `(${test} ? ${text} : null)` : text });
      saying.push({ op: "refuse", template: `{known(words_${f})}`, ...(several ? { when: test } : {}) });
    }
  }
  const shown = new Map(
    spoken.flatMap(({ form, items }) =>
      form.refusal
        ? []
        : items.flatMap(({ said, text }) => (said.register === undefined ? [] : [[said.register, text] as const])),
    ),
  );
  const moved = new Set([...changes.keys(), ...[...refusals.values()].flatMap((of) => [...of.keys()])]);
  const set = [...moved].sort(byText).map((register) => {
    const rules = changes.get(register);
    const done = rules
      ? firstOf([...rules.map((rule) => ruleText(rule)), shown.get(register) ?? "null"])
      : `s.${register}`;
    const value = [...refusals].reduce((rest, [form, of]) => {
      const refused = of.get(register);
      const text = refused ? firstOf(refused.map((rule) => ruleText(rule))) : `s.${register}`;
      return several ? `(form == ${literal(form)} ? ${text} : ${rest})` : text;
    }, done);
    // Whichever way it ends, what a success leaves and no refusal changes stays.
    const stays = ![...refusals.values()].some((of) => of.has(register)) && done.length < LONGEST / 4;
    const unmoved = stays ? `(${done} == s.${register} ? s.${register} : null)` : "null";
    return {
      path: register,
      op: "=" as const,
      // What no rule tells is null within these steps; in the state it is unknown.
      expr: `null_as_unknown(${several && value !== "null" ? `(form == null ? ${unmoved} : ${value})` : value})`,
    };
  });
  if (set.length > 0)
    doing.push({
      op: "update",
      table: READINGS,
      key: [{ column: READINGS_KEY, expr: literal(SESSION) }],
      set,
      require: [],
    });
  if (recall?.done) {
    const doubted = several && forms.some(({ refusal }) => refusal);
    doing.push(noteStep(toolModel.tool, recall, doubted ? { refused: [...refusals.keys()] } : true));
  }
  const texts = spoken
    .filter(({ form }) => !form.refusal)
    .map(({ form, items }) => ({
      form,
      text: answerText(form, holes(left(form, items, forms, saying), "told"), toolModel.calls),
    }));
  if (only && !several) {
    if (!only.refusal)
      saying.push({ op: "answer", expr: orRemembered(toolModel, "answer", texts[0]?.text ?? "told(null)") });
    return { doing, saying };
  }
  const choice = texts.reduceRight(
    (rest, { form, text }) => `form == ${literal(form.id)} ? ${text} : ${rest}`,
    "told(null)",
  );
  saying.push({ op: "answer", expr: orRemembered(toolModel, "answer", `(${choice})`) });
  return { doing, saying };
}

/** The values of a form as a call leaves them: what is not known ahead of it may follow from the readings after. */
function left(form: Form, items: readonly ResponseText[], forms: readonly Form[], steps: Step[]): ResponseText[] {
  const out: ResponseText[] = [];
  for (const [i, { said, text }] of items.entries()) {
    const marks = marksOf(out, said);
    const changed = marks.some((mark) => !items.includes(mark));
    const expr = firstOf([
      text,
      ...said.after.map((rule) => ruleText(rule, "a")),
      ...(changed ? [composed(marks)] : []),
    ]);
    if (expr === text) out.push({ said, text });
    else {
      const name = `w${forms.indexOf(form)}_${i}`;
      steps.push({ op: "let", name, expr });
      out.push({ said, text: name });
    }
  }
  return out;
}

/** The marks that share a whole's hole. */
const marksOf = (items: readonly ResponseText[], { hole, flag }: ResponsePart): ResponseText[] =>
  flag === undefined ? items.filter(({ said }) => said.hole === hole && said.flag !== undefined) : [];

const composed = (marks: readonly ResponseText[]): string =>
  composedText(marks.flatMap(({ text, said: { flag } }) => (flag ? [{ text, slot: flag }] : [])));

/** What fills each hole of a form. */
function holes(items: readonly ResponseText[], needed: "known" | "told"): string[] {
  const out: string[] = [];
  for (const { said, text } of items) if (said.flag === undefined) out[said.hole] = `${needed}(${text})`;
  return out;
}

const ofComposites = (composites: ToolModel["composites"]): string[] =>
  [...composites].flatMap(([whole, marks]) => [whole, ...marks.map(({ register }) => register)]);

/** Under what name a composite's reading is completed from its marks, or they from it. */
const completeName = (register: string, of: StateName): string => (of === "s" ? register : `after_${register}`);

const renamed = (text: string, composites: ToolModel["composites"], of: StateName): string =>
  ofComposites(composites).reduce(
    (out, register) => out.replaceAll(new RegExp(`\\b${of}\\.${register}\\b`, "g"), completeName(register, of)),
    text,
  );

/** Names for what a composite and its marks tell of each other, ahead of all that may look at them. */
function flagSetSteps(composites: ToolModel["composites"], used: string, of: StateName): Step[] {
  const steps: Step[] = [];
  const mentions = (register: string): boolean => new RegExp(`\\b${of}\\.${register}\\b`).test(used);
  for (const [whole, marks] of composites) {
    if (![whole, ...marks.map(({ register }) => register)].some(mentions)) continue;
    const text = composedText(marks.map(({ slot, register }) => ({ text: `${of}.${register}`, slot })));
    const name = completeName(whole, of);
    steps.push({ op: "let", name, expr: firstOf([`${of}.${whole}`, text]) });
    for (const { slot, register } of marks)
      if (mentions(register))
        steps.push({
          op: "let",
          name: completeName(register, of),
          expr: firstOf([`${of}.${register}`, flagText(name, slot)]),
        });
  }
  return steps;
}

/** The one form that is no refusal; undefined where there are several, or refusals that no guard tells of. */
function granted({ forms, guards }: Pick<ToolModel, "forms" | "guards">): string | undefined {
  const [only, ...more] = forms.filter(({ refusal }) => !refusal);
  return more.length === 0 && forms.length === guards.length + 1 ? only?.id : undefined;
}

function formText(toolModel: ToolModel): string {
  const { form, formIn, guards, recall } = toolModel;
  const held = formIn.length === 0 ? [] : [choiceText(formIn)];
  return firstOf([
    ...(recall?.asked ? [`(${REMEMBERED} == null ? null : ${REMEMBERED}.form)`] : []),
    ...held,
    ...form.map((rule) => ruleText(rule)),
    guardedText(guards, granted(toolModel), literal),
  ]);
}

function responseText(responsePart: ResponsePart, marks: readonly ResponseText[]): string {
  const held = responsePart.register === undefined ? undefined : responsePart.effect;
  return firstOf([
    ...(responsePart.choices.length > 0 ? [choiceText(responsePart.choices)] : []),
    ...(held === "keep" && responsePart.register !== undefined ? [`s.${responsePart.register}`] : []),
    ...(held === "keep" ? [] : (held ?? []).map((rule) => ruleText(rule))),
    ...responsePart.rules.map((rule) => ruleText(rule)),
    marks.length > 0 && responsePart.flag === undefined ? composed(marks) : "null",
  ]);
}
