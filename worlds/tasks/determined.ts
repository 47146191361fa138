import { wordsOf } from "../floor/leaves.ts";
import { isObject, type Json, type Scalar } from "../json.ts";
import { findFact, Reading } from "./checks/facts.ts";
import { fold, humanize, stems, tokens } from "./checks/words.ts";
import { factOf, inWords } from "./kinds.ts";
import type { Kit } from "./kit.ts";
import { leaves } from "./leaves.ts";
import type { FinishedTrial, Task } from "./schema.ts";
import { refOf } from "./script.ts";
import { after, parsePath, readPath } from "./select.ts";
import { userWords } from "./user/user-replies.ts";

/** Whether a text says a value in any of the ways a person writes it. */
export function textStates(text: Reading, value: Scalar | null, name: string): boolean {
  const has = (v: Scalar) => {
    const found = findFact(factOf(v, name), text);
    return found.said + found.denied > 0;
  };
  if (value === null || value === "") return /\b(?:none|nothing|empty|blank|no|without)\b/.test(text.folded);
  if (typeof value === "boolean") {
    const words = new Set(text.words.map((w) => w.text));
    return stems(name).some((stem) => stem.length > 2 && [...words].some((w) => w.startsWith(stem)));
  }
  if (has(value)) return true;
  if (typeof value !== "string") return false;
  if (
    new Reading(inWords(value, name)).folded !== "" &&
    findFact({ value: inWords(value, name), kind: "text" }, text).said > 0
  )
    return true;
  const phrase = tokens(fold(humanize(value))).map((t) => t.text);
  if (phrase.length === 0) return text.folded.includes(fold(value));
  const wanted = phrase.join(" ");
  return ` ${text.words.map((w) => w.text).join(" ")} `.includes(` ${wanted} `);
}

/** Words by which a request means each thing that fits it. */
const ALL = /\b(?:all|every|each)\b/;

/**
 * Whether an earlier result gives a value to one who knows the request alone: alone of its kind, or told apart by the
 * request; with others that are `given` in its place where they are all that a request for all fits.
 */
function follows(value: Scalar, results: readonly Json[], text: Reading, given: readonly unknown[] = []): boolean {
  for (const result of results) {
    const all = leaves(result, 200);
    for (const leaf of all) {
      if (leaf.value !== value) continue;
      const peers = new Set(all.filter((l) => l.generic === leaf.generic).map((l) => l.value));
      if (peers.size === 1) return true;
      const element = leaf.generic.slice(0, leaf.generic.indexOf("[*]") + 3);
      for (const item of readPath(result, element)) {
        const own = leaves(item);
        const place = own.find((l) => l.value === value);
        if (place === undefined) continue;
        const told = own.filter(
          (l) =>
            l.value !== null && l.value !== value && typeof l.value !== "boolean" && textStates(text, l.value, l.name),
        );
        const fits = readPath(result, element).filter((other) =>
          told.every((t) => leaves(other).some((l) => l.generic === t.generic && l.value === t.value)),
        );
        const isGiven = (other: Json) =>
          leaves(other).some((l) => l.generic === place.generic && given.includes(l.value));
        if (told.length > 0 && (fits.length === 1 || (ALL.test(text.folded) && fits.every(isGiven)))) return true;
      }
    }
  }
  return false;
}

/** Why a reference is not determined; undefined when it is. */
function refProblem(n: number, path: string, results: readonly Json[], text: Reading): string | undefined {
  const result = results[n - 1];
  if (result === undefined) return "refers to a result that is not there yet";
  let prefix = "";
  for (const step of parsePath(path)) {
    if (step.op === "at") {
      const [list] = readPath(result, prefix);
      if (Array.isArray(list) && list.length > 1 && new Set(list.map((x) => JSON.stringify(x))).size > 1)
        return "takes one of several list elements that nothing in the request tells apart";
      prefix += `[${step.index}]`;
    } else if (step.op === "where") {
      const at = `${prefix}[${step.field}${step.compare}${JSON.stringify(step.value)}]`;
      const fits = readPath(result, at);
      if (step.value !== null && !textStates(text, step.value, step.field))
        return "takes a list element by a value that the request does not say";
      if (step.compare === "=" && fits.length > 1) return "more than one element fits what the request says";
      prefix = at;
    } else if (step.op === "after") {
      const told = readPath(result, prefix).flatMap((told) => (typeof told === "string" ? wordsOf(told).words : []));
      const fits = new Set(told.filter(({ before }) => before === step.word).map(({ value }) => value));
      if (fits.size > 1) return "more than one word of a text fits what the request says";
      if (new Set(told.map(({ value }) => value)).size > 1 && !textStates(text, step.word, ""))
        return "takes one of several words of a text that nothing in the request tells apart";
      prefix = after(prefix, step.word);
    } else if (step.op === "each") prefix += "[*]";
    else prefix = prefix === "" ? step.key : `${prefix}.${step.key}`;
  }
  return undefined;
}

/** Whether an argument names a field of an earlier result in words that were said: "its list" is `list_name`. */
function isField(value: Scalar, results: readonly Json[], text: Reading): boolean {
  if (typeof value !== "string") return false;
  const all = tokens(fold(humanize(value))).map((token) => token.text);
  const words = all.length > 1 && all.at(-1) === "name" ? all.slice(0, -1) : all;
  const said = new Set(text.words.map((word) => word.text));
  return (
    words.length > 0 &&
    words.every((word) => said.has(word)) &&
    results.some((result) => leaves(result, 200).some((leaf) => leaf.name === value))
  );
}

/** Whether an earlier result names a value at all. */
function named(value: Scalar, results: readonly Json[]): boolean {
  return results.some((result) => leaves(result, 200).some((leaf) => leaf.value === value));
}

/**
 * Where a script's arguments do not follow from the request, its follow-up turns, what the user replies to the
 * reference, an earlier result, or what all recorded sessions of the task gave alike. Empty when all do. Where the
 * outcome is a change, a read may look at any row that an earlier result names: only the writes decide. A session
 * that its source rewarded picked rightly among what it had read.
 */
export function undetermined(kit: Kit, task: Task, right: FinishedTrial): string[] {
  const text = new Reading(userWords(task, right));
  const problems: string[] = [];
  const agreed = new Set<Scalar | null>(task.rests_on?.agreed);
  const reads = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "read" ? [name] : [])));
  task.script.calls.forEach((call, i) => {
    const looking = right.diff.length > 0 && (reads.has(call.tool) || task.rests_on?.rewarded === true);
    const results = right.calls.slice(0, i).map((c) => c.answer as Json);
    const params = kit.tools.find((t) => t.name === call.tool)?.params ?? [];
    const walk = (value: unknown, name: string, path: string) => {
      const ref = refOf(value);
      if (ref) {
        const problem = refProblem(ref.n, ref.path, results, text);
        if (problem) problems.push(`call ${i + 1} (${call.tool}), argument ${path}: ${problem}`);
        return;
      }
      if (Array.isArray(value)) {
        value.forEach((item, k) => {
          walk(item, name, `${path}[${k}]`);
        });
        return;
      }
      if (isObject(value)) {
        for (const [key, item] of Object.entries(value)) walk(item, key, `${path}.${key}`);
        return;
      }
      const scalar = value as Scalar | null;
      const param = params.find((p) => p.name === path);
      if (
        param?.values?.length === 1 ||
        (param && param.schema.default !== undefined && param.schema.default === value)
      )
        return;
      if (textStates(text, scalar, name) || agreed.has(scalar)) return;
      const given = task.script.calls.flatMap(({ tool, args }) => (tool === call.tool ? [args[path]] : []));
      if (
        scalar !== null &&
        scalar !== "" &&
        (follows(scalar, results, text, given) || (looking && named(scalar, results)) || isField(scalar, results, text))
      )
        return;
      if (
        param &&
        /^(?:summary|reason|note|notes|comment|message|description|explanation)$/.test(param.name) &&
        param.values === undefined
      )
        return;
      problems.push(
        `call ${i + 1} (${call.tool}), argument ${path}: follows from neither the request nor an earlier result`,
      );
    };
    for (const [name, value] of Object.entries(call.args)) walk(value, name, name);
  });
  return problems;
}
