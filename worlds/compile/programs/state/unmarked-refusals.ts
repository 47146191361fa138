import { isObject, type Json } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { canon } from "../../values.ts";
import { maskedText } from "./kinds.ts";

/** Words in which services say that they did not do what they were asked to. */
const REFUSING =
  /^error\b|\b(?:not|no|nobody|nothing|none|never|cannot|only|already|invalid|must|unknown|missing|fail(?:ed|s|ure)?|den(?:y|ied)|blocked|unable|insufficient|exceed\w*|too|at (?:least|most))\b|n't\b/i;
/** Whether a text has words in which services refuse; some that do what they are asked have them too. */
export const readsAsRefusal = (text: string): boolean => REFUSING.test(text);
/** Share of the messages of one form that have such words: others of it are refusals too ("Card 12 is blocked."). */
const MOSTLY = 0.5;

/** Answers of one tool with the same fields. */
interface Form {
  /** The one field that holds a message; undefined where none or several do. */
  readonly field: string | undefined;
  readonly messages: Set<string>;
  readonly constants: Map<string, string>;
  plain: boolean;
}

const fieldsOf = (value: Json): string => (isObject(value) ? Object.keys(value).sort().join() : "");

/** The field under which a message is looked at that stands in a list alone. */
const ALONE = "[]";

/** An answer as an object with its message: of a list, its one entry. */
function shownOf(value: Json): Json {
  const [entry, ...more] = Array.isArray(value) ? value : [];
  if (entry === undefined || more.length > 0) return value;
  if (isMessage(entry)) return { [ALONE]: entry };
  return isObject(entry) && Object.values(entry).every(isMessage) ? { [ALONE]: Object.values(entry).join(" ") } : value;
}

const isMessage = (value: Json | undefined): value is string => typeof value === "string" && value.trim().includes(" ");

/** Whether a call succeeded by the protocol, and yet its answer is a message that it refuses in. */
type Refuses = (call: Call) => boolean;

/**
 * Finds refusals that nothing marks: `{"message": "Room 4 does not exist."}` of a tool that answers `{"room": 4, "beds": 2}`
 * otherwise. Their form holds one message and beside it the same values always; most messages of that form refuse in words;
 * and no other answer of the tool has the field. A tool that answers nothing else may say all that it does so.
 * A message may be all that a list holds (`["Sign in first."]`), of a tool that answers objects otherwise.
 */
export function unmarkedRefusals(sessions: readonly Session[]): Refuses {
  const tools = new Map<string, Map<string, Form>>();
  for (const { calls } of sessions)
    for (const { tool, ok, value: whole, args } of calls) {
      if (!ok) continue;
      const value = shownOf(whole);
      const forms = tools.get(tool) ?? new Map<string, Form>();
      tools.set(tool, forms);
      const fields = fieldsOf(value);
      const texts = isObject(value) ? Object.keys(value).filter((name) => isMessage(value[name])) : [];
      const form = forms.get(fields) ?? {
        field: texts.length === 1 ? texts[0] : undefined,
        messages: new Set(),
        constants: new Map(),
        plain: false,
      };
      forms.set(fields, form);
      if (!isObject(value) || form.field === undefined || !isMessage(value[form.field])) form.plain = true;
      else
        for (const [name, held] of Object.entries(value))
          if (name === form.field) form.messages.add(maskedText(held as string, args));
          else if ((form.constants.get(name) ?? canon(held)) !== canon(held)) form.plain = true;
          else form.constants.set(name, canon(held));
    }
  const candidates = [...tools].flatMap(([tool, forms]) =>
    [...forms].flatMap(([fields, form]) => {
      const { field, plain } = form;
      const others = [...forms.keys()].filter((other) => other !== fields);
      if (plain || field === undefined || others.length === 0) return [];
      // A list with one entry is what a tool that answers lists shows of it.
      if (field === ALONE && others.includes("")) return [];
      return others.some((other) => other.split(",").includes(field)) ? [] : [{ tool, fields, form }];
    }),
  );
  const messages = new Map<string, Set<string>>();
  for (const { fields, form } of candidates)
    messages.set(fields, new Set([...(messages.get(fields) ?? []), ...form.messages]));
  const refusing = ([, texts]: readonly [string, ReadonlySet<string>]): boolean =>
    [...texts].filter((text) => REFUSING.test(text)).length >= texts.size * MOSTLY;
  const forms = new Set([...messages].filter(refusing).map(([fields]) => fields));
  const found = new Set(
    candidates.filter(({ fields }) => forms.has(fields)).map(({ tool, fields }) => `${tool}\n${fields}`),
  );
  return ({ tool, ok, value }) => ok && found.has(`${tool}\n${fieldsOf(shownOf(value))}`);
}

/** Sentences that refuse, in which several calls end of tools whose other texts were read as records; other tools end in them too. */
function refusingTexts(sessions: readonly Session[], read: ReadonlySet<string>): Refuses {
  const isText = ({ ok, value }: Call): boolean => ok && isMessage(value);
  const sentence = ({ value, args }: Call): string => maskedText(value as string, args);
  const texts = sessions.flatMap(({ calls }) => calls.filter((call) => read.has(call.tool) && isText(call)));
  const found = new Set(
    [...Map.groupBy(texts, sentence)]
      .filter(([text, of]) => of.length > 1 && REFUSING.test(text))
      .map(([text]) => text),
  );
  return (call) => found.size > 0 && isText(call) && found.has(sentence(call));
}

/**
 * The same sessions with such refusals as refusals, each marked as one that the protocol calls a success; and with those
 * that are sentences of tools whose other texts were read as records.
 */
export function withRefusals(sessions: readonly Session[], read: ReadonlySet<string>): readonly Session[] {
  const unmarked = unmarkedRefusals(sessions);
  const inWords = refusingTexts(sessions, read);
  const refuses: Refuses = (call) => unmarked(call) || inWords(call);
  if (!sessions.some(({ calls }) => calls.some(refuses))) return sessions;
  return sessions.map((session) => ({
    ...session,
    calls: session.calls.map((call) =>
      refuses(call) ? { ...call, ok: false, answerClass: "error:failed", unmarked: true as const } : call,
    ),
  }));
}
