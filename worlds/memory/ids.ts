import { isObject, type Json, type JsonObject, setOwn } from "../json.ts";

/**
 * Ids that a session was shown before an answer, those that the answer shows first, and moments that the session's clock
 * showed, between characters of private use.
 */
const known = (k: number): string => `\ue000${k}\ue000`;
const first = (k: number): string => `\ue001${k}\ue001`;
const MARK = /[\ue000-\ue002]/;
const WHOLE = /^([\ue000-\ue002])(\d+)\1$/;
const NAMED = /([\ue000-\ue002])(\d+)\1/g;

type Id = string | number;

/** How the k-th id of a session is written in an answer before which the session was shown so many. */
export const written = (k: number, before: number): string => (k < before ? known(k) : first(k - before));

/** Whether a text of a value is written as ids and moments are here. */
export const holdsMarks = (value: Json): boolean => MARK.test(JSON.stringify(value));

/** How the k-th moment is written that the clock of a session showed. */
export const writtenMoment = (k: number): string => `\ue002${k}\ue002`;

/** What a session was shown, by number. */
interface Shown {
  id(k: number): Id | undefined;
  moment(k: number): Id | undefined;
}

/** An answer on record in a session's own ids and moments; undefined where it names one that the session was not shown. */
export function inSessionIds(value: Json, session: Shown, made: (k: number) => Id): Json | undefined {
  let lost = false;
  const id = (mark: string, k: number): Id => {
    const found = mark === "\ue001" ? made(k) : mark === "\ue000" ? session.id(k) : session.moment(k);
    if (found === undefined) lost = true;
    return found ?? "";
  };
  const out = restored(value, id);
  return lost ? undefined : out;
}

function restored(value: Json, id: (mark: string, k: number) => Id): Json {
  if (typeof value === "string") {
    if (!MARK.test(value)) return value;
    const whole = WHOLE.exec(value);
    if (whole) return id(whole[1] as string, Number(whole[2]));
    return value.replace(NAMED, (_, mark: string, k: string) => String(id(mark, Number(k))));
  }
  if (Array.isArray(value)) return value.map((item) => restored(item, id));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, String(restored(key, id)), restored(item, id));
  return out;
}

/** A new id of the form of another: the letters before its first digit or mark stay, the rest is drawn. */
export function formOf(id: Id): { readonly prefix: string; readonly alphabet: string; readonly width: number } {
  const text = String(id);
  const prefix = /^.*[-_:/#.](?=[A-Za-z0-9]+$)/.exec(text)?.[0] ?? /^[A-Za-z]*(?=\d+$)/.exec(text)?.[0] ?? "";
  const rest = text.slice(prefix.length);
  const alphabet = /^\d+$/.test(rest) ? "n" : /^[0-9a-f]+$/.test(rest) ? "x" : /^[0-9A-Z]+$/.test(rest) ? "a" : "w";
  return { prefix, alphabet, width: Math.min(64, Math.max(1, rest.length)) };
}

/** How many of one form there are before one that is drawn is one of another session by no chance that counts. */
const MANY = 2 ** 40;

/** Whether there are so few ids of this one's form that it might be drawn again. */
export function isScarce(id: Id): boolean {
  const { alphabet, width } = formOf(id);
  return (alphabet === "n" ? 10 : alphabet === "x" ? 16 : 36) ** width < MANY;
}
