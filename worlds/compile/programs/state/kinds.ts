import { getOwn, isObject, type Json, type JsonObject } from "../../../json.ts";
import type { Call, Session } from "../../observations.ts";
import { byText, isScalar } from "../../values.ts";

/** How one call ended, as far as its form goes: which fields it answers, or in which words. Calls of one kind do the same. */
export type Kind = string;

/** Kinds of text past which a tool's texts are content and not messages. */
const MESSAGES = 16;

const WORD = /[\p{L}\p{N}_]/u;

/** A number, with its sign where one stands apart. */
const NUMBER = /(?<=[\s(=:])-\d+(?:\.\d+)?|\d+(?:\.\d+)?/g;

/** A text with what its call was given in holes by name, and other numbers as marks: equal for equal messages. */
export const maskedText = (text: string, args: Readonly<Record<string, Json>>): string =>
  maskedTokens(text, args).masked;

/** The same, and the numbers that are marked. */
export function maskedTokens(
  text: string,
  args: Readonly<Record<string, Json>>,
): { masked: string; amounts: number[] } {
  const given = Object.entries(args)
    .filter((entry): entry is [string, string | number] => isScalar(entry[1]) && typeof entry[1] !== "boolean")
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([, value]) => value.length > 0)
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  let out = "";
  const amounts: number[] = [];
  let plain = "";
  const flush = (): void => {
    out += plain.replace(NUMBER, (number) => {
      amounts.push(Number(number));
      return "#";
    });
    plain = "";
  };
  for (let at = 0; at < text.length; ) {
    const found = given.find(
      ([, value]) =>
        text.startsWith(value, at) &&
        !(WORD.test(text[at - 1] ?? " ") && WORD.test(value[0] ?? " ")) &&
        !(WORD.test(text[at + value.length] ?? " ") && WORD.test(value.at(-1) ?? " ")) &&
        !withinNumber(text, at, value),
    );
    if (found) {
      flush();
      out += `{${found[0]}}`;
      at += found[1].length;
    } else {
      plain += text[at];
      at++;
    }
  }
  flush();
  return { masked: out, amounts };
}

/** Whether digits are a part of a longer number: the 320 in 320.50. */
const withinNumber = (text: string, at: number, value: string): boolean =>
  (/\d$/.test(value) && /^\.\d/.test(text.slice(at + value.length, at + value.length + 2))) ||
  (/^\d/.test(value) && /\d\.$/.test(text.slice(Math.max(0, at - 2), at)));

function maskedValue(value: Json, args: Readonly<Record<string, Json>>): string {
  if (typeof value === "string") return maskedText(value, args);
  if (Array.isArray(value)) return `[${value.map((item) => maskedValue(item, args)).join()}]`;
  if (!isObject(value)) return String(value);
  return `{${Object.keys(value)
    .map((name) => `${name}:${maskedValue(value[name] as Json, args)}`)
    .join()}}`;
}

function kindOf(call: Call, plainTexts: ReadonlySet<string>, said: (call: Call) => string): Kind {
  const { value } = call;
  if (!call.ok) return `error ${maskedValue(value, call.args)}`;
  if (Array.isArray(value)) return "list";
  if (isObject(value)) return `object ${Object.keys(value).sort().join()}${said(call)}`;
  return typeof value === "string" && !plainTexts.has(call.tool) ? `text ${maskedText(value, call.args)}` : "value";
}

/** Words from which a text is a message. */
const SENTENCE = 3;

/**
 * Fields whose texts are messages, by tool, where they end calls of one form in different words: few sentences, each
 * said several times, with what the call was given in them.
 */
function messagesOf(sessions: readonly Session[]): Map<string, readonly string[]> {
  const texts = new Map<string, Map<string, Map<string, number>>>();
  for (const { calls } of sessions)
    for (const { ok, tool, args, value } of calls) {
      if (!ok || !isObject(value)) continue;
      const fields = texts.get(tool) ?? new Map<string, Map<string, number>>();
      texts.set(tool, fields);
      for (const [name, text] of Object.entries(value)) {
        const of = fields.get(name) ?? new Map<string, number>();
        fields.set(name, of);
        const kind = typeof text === "string" && text.split(/\s+/).length >= SENTENCE ? maskedText(text, args) : "";
        of.set(kind, (of.get(kind) ?? 0) + 1);
      }
    }
  const out = new Map<string, readonly string[]>();
  for (const [tool, fields] of texts) {
    const names = [...fields]
      .filter(([, of]) => of.size > 1 && of.size <= MESSAGES / 2 && !of.has("") && [...of.values()].every((n) => n > 1))
      .map(([name]) => name)
      .sort(byText);
    if (names.length > 0) out.set(tool, names);
  }
  return out;
}

/** A word of a refusal that says how something is. */
const STATE = "~";
/** Refusals that differ in one word, from which that word says how something is. */
const STATES = 3;
/** What calls were given, words, and ids and addresses as one word each. */
const WORDS = /(\{\w+\}|[\p{L}\p{N}_#]+(?:[-.@][\p{L}\p{N}_#]+)*)/u;

/**
 * Kinds of refusals that differ in one word alone, which is a value of one field of answers or what the call was given
 * ("Cannot go from new to {status}", "from closed"), each with the kind that they are together.
 */
function stateRefusals(kinds: Iterable<Kind>, fields: readonly ReadonlySet<string>[]): Map<Kind, Kind> {
  const forms = new Map<Kind, Map<string, Kind>>();
  for (const kind of kinds) {
    const words = kind.split(WORDS);
    for (let at = 1; at < words.length; at += 2) {
      const word = words[at] as string;
      const form = words.with(at, STATE).join("");
      forms.set(form, (forms.get(form) ?? new Map<string, Kind>()).set(word, kind));
    }
  }
  const out = new Map<Kind, Kind>();
  for (const [form, of] of [...forms].sort(([a], [b]) => byText(a, b))) {
    const said = [...of.keys()].filter((word) => !/^\{\w+\}$/.test(word));
    if (of.size < STATES || said.length < STATES - 1 || !fields.some((has) => said.every((word) => has.has(word))))
      continue;
    for (const kind of of.values()) if (!out.has(kind)) out.set(kind, form);
  }
  return out;
}

/** What may be one word: an id, an address or a state. */
const ONE_WORD = /^\S{1,100}$/;

/** The words that fields of answers hold, by the field's name, their numbers masked. */
function fieldWords(sessions: readonly Session[]): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  const visit = (value: Json, name: string): void => {
    if (typeof value === "string") {
      if (ONE_WORD.test(value)) out.set(name, (out.get(name) ?? new Set()).add(value.replace(NUMBER, "#")));
    } else if (Array.isArray(value)) for (const one of value) visit(one, name);
    else if (isObject(value)) for (const [inner, of] of Object.entries(value)) visit(of, inner);
  };
  for (const { calls } of sessions) for (const { ok, value } of calls) if (ok && isObjects(value)) visit(value, "");
  return out;
}

const isObjects = (value: Json): boolean => typeof value === "object" && value !== null;

/** The kind of every call. Texts of a tool that says something else nearly every time are values and no messages. */
export class Kinds {
  private readonly plainTexts: ReadonlySet<string>;
  private readonly messages: ReadonlyMap<string, readonly string[]>;
  private readonly known = new Map<Call, Kind>();

  constructor(sessions: readonly Session[]) {
    const texts = new Map<string, Map<string, number>>();
    for (const { calls } of sessions)
      for (const call of calls)
        if (call.ok && typeof call.value === "string") {
          const of = texts.get(call.tool) ?? new Map<string, number>();
          const kind = maskedText(call.value, call.args);
          texts.set(call.tool, of.set(kind, (of.get(kind) ?? 0) + 1));
        }
    this.plainTexts = new Set(
      [...texts]
        .filter(([, of]) => of.size > MESSAGES || [...of.values()].filter((n) => n > 1).length * 2 < of.size)
        .map(([tool]) => tool),
    );
    this.messages = messagesOf(sessions);
    const fields = [...fieldWords(sessions).values()];
    const refused = sessions.flatMap(({ calls }) => calls.filter(({ ok }) => !ok));
    for (const of of Map.groupBy(refused, ({ tool }) => tool).values()) {
      const own = of.map((call): [Call, Kind] => [call, this.of(call)]);
      const together = stateRefusals(new Set(own.map(([, kind]) => kind)), fields);
      for (const [call, kind] of own) this.known.set(call, together.get(kind) ?? kind);
    }
  }

  /** The words of the messages that an answer holds, where its tool has others for another ending. */
  private said({ tool, args, value }: Call): string {
    const names = isObject(value) ? this.messages.get(tool) : undefined;
    return (names ?? [])
      .map((name) => getOwn(value as JsonObject, name))
      .map((text) => (typeof text === "string" ? ` ${maskedText(text, args)}` : ""))
      .join("");
  }

  of(call: Call): Kind {
    let kind = this.known.get(call);
    if (kind === undefined) {
      kind = kindOf(call, this.plainTexts, (one) => this.said(one));
      this.known.set(call, kind);
    }
    return kind;
  }

  /** A tool and how it ended: what effects are learnt of. */
  act(call: Call): string {
    return actOf(call.tool, this.of(call));
  }
}

export const actOf = (tool: string, kind: Kind): string => `${tool}\u001d${kind}`;

export const isRefusal = (act: string): boolean => act.split("\u001d")[1]?.startsWith("error ") === true;

export const toolOf = (act: string): string => act.split("\u001d")[0] as string;
