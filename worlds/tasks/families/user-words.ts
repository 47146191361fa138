import type { Json } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { sameData } from "../checks/data.ts";
import { Reading } from "../checks/facts.ts";
import { singular, stems } from "../checks/words.ts";
import { textStates } from "../determined.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { leaves } from "../leaves.ts";
import type { FinishedTrial, Script } from "../schema.ts";
import { refOf } from "../script.ts";
import { sentencesOf, unframed } from "../words/corpus.ts";
import { argumentLabel } from "../words/phrases.ts";

/** A recorded session, and its calls as a script. */
interface SessionScript {
  readonly trace: ObservedTrace;
  readonly script: Script;
}

/** Several sessions of a task that give an argument alike had it from the task: so many. */
const ALIKE = 2;

/**
 * The scalars of a script, also those in lists of them, that all sessions gave to their tool's argument alike; a key is
 * none, since nobody is told one by a convention, and neither is a number under the name of one. Numbers only of
 * sessions that their source rewarded: what unrewarded ones agree on may be beside what was asked.
 */
export function agreedOn(script: Script, runs: readonly SessionScript[]): (string | number | boolean)[] {
  if (runs.length < ALIKE) return [];
  const isRewarded = runs.every(({ trace }) => (trace.reward ?? 0) >= 1);
  const agreed = script.calls.flatMap(({ tool, args }) =>
    Object.entries(args).flatMap(([name, value]) => {
      const scalars = (Array.isArray(value) ? value : [value]).filter(
        (one) => typeof one === "string" || typeof one === "number" || typeof one === "boolean",
      );
      if (scalars.length === 0 || scalars.length < (Array.isArray(value) ? value.length : 1)) return [];
      if (
        scalars.some(
          (one) =>
            refOf(one) || kindOf(one, name) === "id" || (typeof one === "number" && (!isRewarded || KEY.test(name))),
        )
      )
        return [];
      const alike = runs.every((run) => {
        const given = run.script.calls.filter((call) => call.tool === tool).map((call) => call.args[name]);
        return given.length > 0 && given.every((other) => sameData(other, value));
      });
      return alike ? scalars : [];
    }),
  );
  return [...new Set(agreed)].sort();
}

/** Names of arguments that hold a key, also where it is counted. */
const KEY = /(?:^|[^a-z])(?:id|key|no|number)s?$|Id$/i;

/** What joins a turn to those before it. */
const JOINING =
  /^(?:(?:and|next|then|also|at last|lastly|finally|furthermore|moreover|additionally|in addition|meanwhile|afterwards?|after that)\b,? +)+/i;
/** What a wish is for: "file a support ticket titled …" is for a support ticket. */
const WISHED =
  /^[a-z]+ (?:an?|the|my|our|this|that) ((?:[\p{L}-]+ ){0,3}?[\p{L}-]+)(?=[.,;:?!]|$| (?:to|titled|called|named|saying|for|with|from|in|on|at|that|about|by|and|as|regarding)\b)/iu;

/** Whether a turn wishes for things alone of which no tool of the service speaks: it was another service's. */
export function isOfAnotherService({ manual }: Pick<Kit, "manual">, turn: string): boolean {
  const things = sentencesOf(turn).flatMap((sentence) => {
    const read = unframed(sentence);
    return read?.speech === "want" ? (WISHED.exec(read.core)?.[1] ?? []) : [];
  });
  const isKnown = (thing: string) => manual.includes(singular(thing.toLowerCase().split(" ").at(-1) ?? ""));
  return things.length > 0 && !things.some(isKnown);
}

/**
 * A user's words without the turns that were another service's: those that no session of the task shows the agent to
 * have met and, where there are such, those that wish for what no tool speaks of. They begin as a conversation does.
 */
export function userWordsTo(
  kit: Pick<Kit, "manual">,
  trace: ObservedTrace,
  runs: readonly SessionScript[],
  isShared: boolean,
): { readonly words: string[]; readonly omitted: string } {
  const wordsOf = ({ request = "", turns = [] }: ObservedTrace) => [request, ...turns];
  const heeded = new Set(
    runs.flatMap((run) => wordsOf(run.trace).filter((_, i) => run.trace.unanswered?.includes(i) !== true)),
  );
  const words = wordsOf(trace);
  const isOwn = (text: string, i: number) => heeded.has(text) && !(isShared && i > 0 && isOfAnotherService(kit, text));
  const [kept = [], out = []] = [true, false].map((own) => words.filter((text, i) => isOwn(text, i) === own));
  const [first, ...rest] = kept;
  const joined = first === undefined || first === words[0] ? "" : (JOINING.exec(first)?.[0] ?? "");
  const begun =
    joined === "" ? first : `${first?.charAt(joined.length).toUpperCase()}${first?.slice(joined.length + 1)}`;
  return { words: begun === undefined ? [] : [begun, ...rest], omitted: out.join("\n") };
}

/** Whether a request that was no session's first turn goes on from what the agent did before: "Once you've reached out to them, …". */
export function pointsAtOmitted(request: string, { request: first = "" }: ObservedTrace): boolean {
  return (
    request !== first && /\b(?:once|after|now that|since) you(?:'ve| have)\b/i.test(request.replace(/\u2019/g, "'"))
  );
}

/** Texts of so many words are prose. */
const PROSE_WORDS = 3;

/** Whether the prose of a script's calls is said in what is left of a conversation: nobody can know what a left-out turn said. */
export function proseIsStated(calls: Script["calls"], words: readonly string[]): boolean {
  const text = new Reading(words.join("\n"));
  const isProse = (value: unknown): value is string =>
    typeof value === "string" && refOf(value) === undefined && value.trim().split(/\s+/).length >= PROSE_WORDS;
  return calls.every(({ args }) =>
    Object.entries(args).every(([name, value]) => !isProse(value) || textStates(text, value, name)),
  );
}

/** Words that only name things by their codes, as "tickets" does in "tickets 102 and 105": what keys are keys of, before a code. */
function namingWords({ tools }: Pick<Kit, "tools">, text: Reading): ReadonlySet<string> {
  const keys = new Set(
    tools.flatMap(({ params }) => params.flatMap(({ name }) => (KEY.test(name) ? stems(argumentLabel(name)) : []))),
  );
  const { words } = text;
  return new Set(
    words.flatMap(({ text: word }, i) => {
      const before = singular(words[i - 1]?.text ?? "");
      return /\d/.test(word) && keys.has(before) ? [before] : [];
    }),
  );
}

/**
 * Whether words speak of every change that calls make: by a value that the call is given, or by a word of its tool's
 * name; or it is of what another of them made. What only names the thing ("look after case 5004") asks for no change of it.
 */
export function speaksOf(kit: Kit, made: FinishedTrial["calls"], words: readonly string[]): boolean {
  const text = new Reading(words.join("\n"));
  const naming = namingWords(kit, text);
  const said = text.words.map((word) => word.text).filter((word) => !naming.has(singular(word)));
  const writes = made.filter(({ tool }) => kit.bundle.behaviours[tool]?.effect === "write");
  return writes.every(({ tool, args }, i) => {
    const before = writes.slice(0, i).flatMap(({ answer }) => leaves(answer as Json, 200).map(({ value }) => value));
    const values = Object.values(args);
    // What was just made is spoken of in many ways: "revoke that transaction".
    if (values.length > 0 && values.every((value) => before.includes(value as Json & string))) return true;
    const given = Object.entries(args).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((one) =>
        (typeof one === "string" || typeof one === "number" || typeof one === "boolean") && textStates(text, one, name)
          ? [{ name, value: one }]
          : [],
      ),
    );
    const keys = given.filter(({ name, value }) => kindOf(value, name) === "id" || KEY.test(name));
    if (given.length > keys.length) return true;
    const things = new Set(keys.flatMap(({ name }) => stems(argumentLabel(name))));
    return stems(tool.split(/[./:]/).at(-1) ?? tool).some(
      (stem) =>
        stem.length > 2 &&
        !things.has(stem) &&
        said.some((word) => word.startsWith(stem) || (stem.length > 3 && word.includes(stem))),
    );
  });
}
