import type { Json, JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { escapePattern } from "../../pattern.ts";
import { createWorld } from "../../world.ts";
import type { World } from "../../world-api.ts";
import { isCertain, succeeded } from "../acts/chain.ts";
import { numbersInText } from "../checks/numbers.ts";
import { type Draft, ref, says } from "../draft.ts";
import { askable, factOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { label, leaves } from "../leaves.ts";
import { lost } from "../losses.ts";
import type { Random } from "../random.ts";
import type { Check } from "../schema.ts";
import type { ToolView } from "../surface.ts";
import { enumerated, type Voice, wonder } from "../words/phrases.ts";
import { MOST_OTHERS } from "./questions.ts";

/** A call whose answer is one figure that its arguments alone decide. */
interface Computation extends Figure {
  readonly view: ToolView;
  readonly args: JsonObject;
  readonly question: string;
}

interface Figure {
  readonly value: number;
  /** Where it stands in the answer; undefined where that is a text. */
  readonly path: string | undefined;
  /** What a text says beside it and the arguments. */
  readonly words: string;
}

/** Calls of a tool that are tried. */
const MOST_CALLS = 60;
/** What is asked for is said with so many decimals at most: nobody writes out more. */
const MOST_DECIMALS = 4;
/** Figures that a request lists at most. */
const MOST_LISTED = 12;

/**
 * What users had computed, asked for as people put it: "what is the median of 3, 5 and 10". Only of tools that answer the
 * same where the world holds nothing, and only of figures that the user named: an agent's own sums are nobody's question.
 */
export function* computations(
  kit: Kit,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  let empty: World | undefined;
  const byTool = kit.tools.flatMap((view) => {
    if (view.effect !== "read") return [];
    const found = rng
      .fork(view.name)
      .shuffled(figuresFromUsers(traces, view.name))
      .slice(0, MOST_CALLS)
      .flatMap((args) => {
        const question = questionOf(view, args);
        if (question === undefined) return [];
        empty ??= emptied(kit);
        const figure = computedAnywhere(kit, empty, view.name, args);
        return figure ? [{ view, args, question, ...figure }] : [];
      });
    // "Increase of 5 %" and "Decrease of 5 %": the words decide, which no figure tells.
    if (new Set(found.map(({ words }) => words)).size > 1)
      return lost(kit, "computations", `${view.name} answers in other words`) ?? [];
    return found.length > 0 ? [found] : [];
  });
  const longest = Math.max(0, ...byTool.map(({ length }) => length));
  for (let i = 0; i < longest; i += 1)
    for (const found of byTool) {
      const one = found[i];
      const draft = one && draftOf(one, found, voices(), rng);
      if (draft) yield draft;
    }
}

/** The arguments of a tool's calls, each once, all of whose figures the user of the session had named. */
function figuresFromUsers(traces: readonly ObservedTrace[], tool: string): JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const { request = "", turns = [], calls } of traces) {
    const own = calls.filter((call) => call.tool === tool);
    if (own.length === 0) continue;
    const named = new Set(figuresIn([request, ...turns].join("\n")));
    for (const { args } of own) {
      const given = figuresIn(JSON.stringify(args));
      if (given.length > 0 && given.every((figure) => named.has(figure))) found.set(JSON.stringify(args), args);
    }
  }
  return [...found.keys()].sort().map((text) => found.get(text) as JsonObject);
}

const figuresIn = (text: string): number[] => (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);

/** A world of the same behaviour that holds no row. */
function emptied({ bundle, base }: Kit): World {
  const tables = Object.fromEntries(Object.keys(base.tables).map((name) => [name, {}]));
  return createWorld(bundle, { ...base, tables }, { seed: "emptied" });
}

/** The figure that a call is answered for certain whatever the world holds, by a rule and not from memory. */
function computedAnywhere(kit: Kit, empty: World, tool: string, args: JsonObject): Figure | undefined {
  const answer = kit.fork().call(tool, args);
  const figure = figureOf(answer.value, args);
  if (!isCertain(answer) || !succeeded(answer) || answer.servedBy !== "behaviour" || answer.layer === "history")
    return lost(kit, "computations", `${tool} is not computed for certain`);
  if (figure === undefined) return lost(kit, "computations", `${tool} answers no single figure to ask for`);
  const text = JSON.stringify(answer.value);
  return [kit.otherwise(), empty.fork()].every((world) => JSON.stringify(world.call(tool, args).value) === text)
    ? figure
    : lost(kit, "computations", `${tool} is answered by more than its arguments`);
}

/** The only figure of an answer that is none of the arguments and that can be asked for. */
function figureOf(answer: Json, args: JsonObject): Figure | undefined {
  const given = new Set(figuresIn(JSON.stringify(args)));
  const inText = typeof answer === "string";
  const all = inText
    ? numbersInText(answer).flatMap(({ value }) => (given.has(Math.abs(value)) ? [] : [{ value, path: undefined }]))
    : leaves(answer);
  const [one, ...more] = all;
  if (one === undefined || more.length > 0 || typeof one.value !== "number" || !askable(one.value, ""))
    return undefined;
  if (Math.abs(one.value) > Number.MAX_SAFE_INTEGER || Number(one.value.toFixed(MOST_DECIMALS)) !== one.value)
    return undefined;
  const texts = Object.values(args)
    .filter((value) => typeof value === "string")
    .sort((a, b) => b.length - a.length);
  const words = inText
    ? texts.reduce((rest, text) => rest.replaceAll(text, ""), answer).replace(/[^\p{L}]+/gu, " ")
    : "";
  return { value: one.value, path: one.path, words: words.trim() };
}

const FIGURES = /^-?\d+(?:\.\d+)?$/;
const FORMULA = /^[\d\s.()+*/^-]*\d\s*[+*/^-]\s*\(?\d[\d\s.()+*/^-]*$/;
/** What a figure is that names a thing, or what is shown of a list. */
const NAMING = /(?:^|_)(?:ids?|number|no|code|key|index|page|limit|offset)$|(?:Id|Number|Code)$/;

/** An argument as it stands in a question: figures, or a formula of them; undefined for what is neither. */
function written(value: Json | undefined): string | undefined {
  if (Array.isArray(value)) {
    const all = value.map((item) => (typeof item === "number" ? written(item) : undefined));
    return value.length < 2 || value.length > MOST_LISTED || all.includes(undefined)
      ? undefined
      : enumerated(all as string[]);
  }
  if (typeof value === "number") return FIGURES.test(String(value)) ? String(value) : undefined;
  return typeof value === "string" && FORMULA.test(value) ? value : undefined;
}

/** What a tool computes of its arguments as a question, by the words of its listing; undefined where they do not say it all. */
export function questionOf({ name, tool, params }: ToolView, args: JsonObject): string | undefined {
  // What is left to a default is decided by nobody's words.
  if (params.length === 0 || params.some((param) => args[param.name] === undefined || NAMING.test(param.name)))
    return undefined;
  const converted = conversionOf(name, params, args);
  if (converted !== undefined) return converted;
  const values = params.map((param) => written(args[param.name]));
  if (values.includes(undefined)) return undefined;
  const sentence = ((tool.description ?? "").split(/\n|(?<=[a-z)])\.\s|\.$/)[0] ?? "")
    .replace(/^(?:calculates?|computes?|returns?|gets?|gives?|finds?)\s+(?=(?:the|an?)\s)/i, "")
    .trim();
  const said = filledIn(sentence, params, values as string[]) ?? ofAll(sentence, params, values as string[]);
  return said === undefined ? undefined : `what is ${said}`;
}

/** A sentence that names each parameter, with the values in their places: "the remainder of a / b" as "the remainder of 17 / 5". */
function filledIn(sentence: string, params: ToolView["params"], values: readonly string[]): string | undefined {
  const place = (name: string) =>
    new RegExp(`(?:\\b(?:an?|the)\\s+(?:[a-z]+\\s+)?)?(?<![\\w$])${escapePattern(name)}(?!\\w)`, "g");
  const clause = sentence
    .split(/[,;]\s/)
    .reduce((before, part) => (params.every(({ name }) => place(name).test(before)) ? before : `${before}, ${part}`));
  if (!params.every(({ name }) => place(name).test(clause))) return undefined;
  const said = params.reduce((text, { name }, i) => text.replace(place(name), () => values[i] as string), clause);
  // What begins with a verb is no noun phrase, and a sign before a sign is written by nobody.
  if (!/^(?:the\b|[\d(-])/i.test(said) || /[-+*/^]\s*-/.test(said)) return undefined;
  return said.replace(/^The\b/, "the");
}

/** A noun phrase with all values behind it: "the median" as "the median of 3, 5 and 10". */
function ofAll(sentence: string, params: ToolView["params"], values: readonly string[]): string | undefined {
  const noun = sentence.replace(/^The\b/, "the");
  if (!noun.startsWith("the ")) return undefined;
  const two = /\btwo (?:values|numbers)\b/;
  if (params.length === 2 && two.test(noun)) return noun.replace(two, enumerated(values));
  if (params.length > 1 || params[0]?.type !== "array") return undefined;
  const of = /\b(?:of|for) (?:(?:an?|the) )?(?:(?:list|set|array|series|sequence) of )?(?:numbers|values)\b/;
  if (of.test(noun)) return noun.replace(of, `of ${values[0]}`);
  return /\b(?:of|in|for|from|by)\b/.test(noun) ? undefined : `${noun} of ${values[0]}`;
}

/** "How much is 5 mi in km" of what takes a figure and two units. */
function conversionOf(name: string, params: ToolView["params"], args: JsonObject): string | undefined {
  const unit = (word: string) =>
    params.find((param) => new RegExp(`^${word}(?:_?(?:unit|currency))?$`, "i").test(param.name))?.name;
  const [from, to] = [unit("from"), unit("to")];
  if (!/convert|conversion/i.test(name) || from === undefined || to === undefined || params.length !== 3)
    return undefined;
  const figure = params.find((param) => param.name !== from && param.name !== to)?.name ?? "";
  const [value, source, target] = [args[figure], args[from], args[to]];
  if (typeof value !== "number" || typeof source !== "string" || typeof target !== "string" || source === target)
    return undefined;
  return `how much is ${value} ${source} in ${target}`;
}

function draftOf(one: Computation, all: readonly Computation[], voice: Voice, rng: Random): Draft | undefined {
  const { view, args, question, value, path } = one;
  const fact = factOf(value, path ?? "");
  const request = wonder(voice, question, rng);
  if (says(request, fact)) return undefined;
  // A small round figure is said on the way, as a part of the sum.
  const others = [...new Set(all.map((other) => other.value))].filter(
    (other) =>
      other !== value &&
      (Math.abs(other) >= 100 || !Number.isInteger(other)) &&
      !says(request, factOf(other, "")) &&
      !says(String(value), factOf(other, "")),
  );
  const checks: Check[] = [
    { kind: "answer_includes", facts: [fact] },
    ...(others.length > 0
      ? [{ kind: "answer_excludes" as const, facts: others.slice(0, MOST_OTHERS).map((other) => factOf(other, "")) }]
      : []),
    { kind: "answer_class", class: "answered" },
    { kind: "no_state_change" },
  ];
  return {
    family: "lookup",
    operation: view.name,
    object: label(view.name),
    condition: "present",
    difficulty: "easy",
    useCase: `compute ${label(view.name)}`,
    words: "templated",
    voice,
    request,
    script: {
      calls: [{ tool: view.name, args }],
      answer: `It is ${path === undefined ? value : `{${ref(1, path)}}`}.`,
      class: "answered",
    },
    checks,
  };
}
