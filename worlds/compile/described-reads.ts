import type { ToolDefinition } from "../bundle.ts";
import { canonicalJson } from "../digest.ts";
import { effectsOf } from "../floor/effects.ts";
import type { Json } from "../json.ts";
import { declaredEffect, effectByName, isAmbiguous, namedWriter } from "./effects.ts";
import type { Call, Session } from "./observations.ts";

/** Words before the verb of a description: "This tool gets …", "Allows you to list …", "Use this to find …". */
const BEFORE =
  /^(?:(?:this|the|a|an|use|used|it|to|you|user|users|can|will|allows?|lets?|for|tool|function|method|endpoint|api|operation)\s+)+/;

/**
 * A listing in which tools that their own description, or what was asked again around their calls, tells to be readings
 * are declared so. A tool whose name has a verb of changing, or that evidence shows to change an answer, is none; nor is one
 * that no answer about the same thing was read around: an act leaves what is said of other rows as it was.
 * Names such as `invoice` or `balance` say nothing, and taken for writes they leave no session a known state.
 */
export function describedReads(sessions: readonly Session[], tools: readonly ToolDefinition[]): ToolDefinition[] {
  const described = new Map(tools.map((tool) => [tool.name, effectByDescription(tool.description)]));
  // `open_notes` that "shows notes" may read, if its calls bear that out as well.
  const ambiguous = (tool: ToolDefinition) =>
    isAmbiguous(tool.name) && described.get(tool.name) === "read" && !saysChange(tool);
  const silent = (tool: ToolDefinition) =>
    declaredEffect(tool) === undefined &&
    effectByName(tool.name) === "write" &&
    (!namedWriter(tool.name) || ambiguous(tool));
  if (!tools.some(silent)) return [...tools];
  const saysRead = ({ name }: ToolDefinition) => described.get(name) === "read" || isPluralNoun(lastOf(name));
  const byWords = new Set(
    tools
      .filter((tool) => effectByName(tool.name) === "read" || (silent(tool) && !ambiguous(tool) && saysRead(tool)))
      .map(({ name }) => name),
  );
  const answers = sessions.map(({ calls }) => calls.map(({ ok, value }) => `${ok}\n${canonicalJson(value)}`));
  const seen = effectsOf(
    sessions,
    (s, c) => answers[s]?.[c] ?? "",
    (tool) => byWords.has(tool),
  );
  const stays = staysAround(sessions, answers, (tool) => byWords.has(tool));
  const told = tools.map((tool) => {
    const { name } = tool;
    const said = !ambiguous(tool) && (described.get(name) !== undefined || beginsAlike(tool));
    const reads = byWords.has(name) || (!said && seen.pure(name) && (stays.get(name) ?? 0) >= LEAST);
    if (!silent(tool) || !reads || seen.changes(name)) return tool;
    return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true } };
  });
  // Where nothing that was called may change anything, there is nothing to tell readings from.
  const called = new Set(sessions.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
  const mayWrite = (tool: ToolDefinition) => called.has(tool.name) && effectOf(tool) === "write";
  return told.some(mayWrite) ? told : [...tools];
}

/** What a listed tool does, as it is declared or else named. */
const effectOf = (tool: ToolDefinition) => declaredEffect(tool) ?? effectByName(tool.name);

/** So many answers that stayed tell a reading, as for effects of the floor. */
const LEAST = 3;

/**
 * How often what was asked again about the thing that a call of each tool was given was answered as before, or the same call
 * with more than an acknowledgement: an act that is repeated may say "done" twice. What a session of the same task asked
 * that had made the same calls, but for those of this tool, was asked again too.
 */
function staysAround(
  sessions: readonly Session[],
  answers: readonly (readonly string[])[],
  reads: (tool: string) => boolean,
): ReadonlyMap<string, number> {
  const stays = new Map<string, number>();
  const note = (name: string): unknown => stays.set(name, (stays.get(name) ?? 0) + 1);
  sessions.forEach(({ calls }, s) => {
    const last = new Map<string, number>();
    calls.forEach((call, j) => {
      const question = questionOf(call);
      const i = last.get(question);
      last.set(question, j);
      if (i === undefined || answers[s]?.[i] !== answers[s]?.[j]) return;
      const between = calls.slice(i + 1, j).filter((one) => one.ok && isAbout(one, call));
      for (const name of new Set([...between.map(({ tool }) => tool), ...(shows(call) ? [call.tool] : [])])) note(name);
    });
  });
  const silent = new Set(sessions.flatMap(({ calls }) => calls.map(({ tool }) => tool)).filter((tool) => !reads(tool)));
  for (const tool of silent) {
    const met = new Map<string, { readonly answer: string; readonly own: string }>();
    sessions.forEach(({ group, calls }, s) => {
      let [others, own] = ["", ""];
      const given: Call[] = [];
      calls.forEach((call, i) => {
        const answer = answers[s]?.[i] ?? "";
        if (call.tool !== tool) {
          const key = canonicalJson([group, others, questionOf(call)]);
          const before = met.get(key);
          if (!before) met.set(key, { answer, own });
          else if (before.own !== own && given.some((one) => isAbout(one, call))) {
            if (before.answer === answer) note(tool);
            else stays.set(tool, Number.NEGATIVE_INFINITY);
          }
        }
        if (!call.ok || reads(call.tool)) return;
        if (call.tool !== tool) others += `${questionOf(call)}\n`;
        else {
          own += `${questionOf(call)}\n`;
          given.push(call);
        }
      });
    });
  }
  return stays;
}

const questionOf = ({ tool, args }: Call): string => `${tool}\n${canonicalJson(args)}`;

/** Whether a call was given something that an answer shows, or that was asked about. */
function isAbout(one: Call, { args, value }: Call): boolean {
  const about = new Set([...scalars(args), ...scalars(value)]);
  return scalars(one.args).some((given) => about.has(given));
}

/** Texts and numbers of a value. */
function scalars(value: Json): (string | number)[] {
  if (typeof value === "string" || typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(scalars) : [];
}

/** Whether an answer holds fields with more than what the call was given. */
function shows({ ok, args, value }: Call): boolean {
  const given = new Set(scalars(args));
  return ok && typeof value === "object" && scalars(value).some((one) => !given.has(one));
}

/** A name that is a noun in the plural: `rooms`, `my_bookings`. */
const PLURAL = /^(?:(?:all|latest|my|open|recent|top)_)?[a-z]+[^aius]s$/;
/** Whether a name is a noun in the plural; `locks` and `updates` may as well be what the tool does. */
const isPluralNoun = (last: string): boolean => {
  return PLURAL.test(last) && !formsOf(last).slice(1).some(namedWriter);
};
/** A noun of which a description says what it is: "The schedule.", "A device, like lobby/light." */
const NOUN = /^(?:the|an?) (?!(?:tool|function|method|endpoint|api|operation)\b)/i;

const lastOf = (name: string): string => name.split(/[./:]/).at(-1) ?? name;

/** Whether name and description begin with one word ("finish_task: Finish a task."): an act that no list of verbs holds. */
function beginsAlike({ name, description = "" }: ToolDefinition): boolean {
  const last = lastOf(name);
  const first = /^[a-z]+|^[A-Z][a-z]*/.exec(last)?.[0].toLowerCase() ?? "";
  return (
    first !== "" &&
    first !== last.toLowerCase() &&
    !/[^s]s$/.test(first) &&
    sentencesOf(description).some((one) => one.startsWith(first))
  );
}

/** The sentences of a description from their verb on, in lower case. */
const sentencesOf = (description = ""): string[] =>
  description
    .split(/[.:;!?]\s+|\n/)
    .filter((sentence) => !NOUN.test(sentence.trim()))
    .map((sentence) => sentence.trim().toLowerCase().replace(BEFORE, ""));

/** Verbs of descriptions alone that say what is answered: as a tool's name some of them may do something. */
const SAYS = new Set(["determine", "explain", "give", "identify", "quote", "return", "say", "tell"]);

/** Whether a description has a verb of changing anywhere ("shows a letter and marks it as read", "whether it was opened"). */
const saysChange = ({ description = "" }: ToolDefinition): boolean =>
  (description.toLowerCase().match(/[a-z]+/g) ?? []).some((word) =>
    [...formsOf(word), word.replace(/d$/, ""), word.replace(/ed$/, "")].some(
      (form) => !SAYS.has(form) && namedWriter(form),
    ),
  );

/** A verb as it stands, and without the endings of the third person. */
const formsOf = (verb: string): string[] => [
  verb,
  verb.replace(/s$/, ""),
  verb.replace(/es$/, ""),
  verb.replace(/ies$/, "y"),
];

/** What the verb of the first sentence that begins with one says; undefined where none does. */
function effectByDescription(description: string | undefined): "read" | "write" | undefined {
  for (const words of sentencesOf(description)) {
    const verb = /^[a-z]+/.exec(words)?.[0] ?? "";
    for (const form of formsOf(verb)) {
      if (SAYS.has(form) || effectByName(form) === "read") return "read";
      if (namedWriter(form)) return "write";
    }
  }
  return undefined;
}
