import { isObject, type Json, type JsonObject, setOwn } from "../json.ts";

/** Ids that a session was shown before an answer, and those that the answer shows first, between characters of private use. */
const known = (k: number): string => `\ue000${k}\ue000`;
const first = (k: number): string => `\ue001${k}\ue001`;
const WHOLE = /^(?:\ue000(\d+)\ue000|\ue001(\d+)\ue001)$/;
const NAMED = /\ue000(\d+)\ue000|\ue001(\d+)\ue001/g;

type Id = string | number;

/** How the k-th id of a session is written in an answer before which the session was shown so many. */
export const written = (k: number, before: number): string => (k < before ? known(k) : first(k - before));

/** An answer on record in a session's own ids; undefined where it names one that the session was not shown. */
export function inSessionIds(
  value: Json,
  own: (k: number) => Id | undefined,
  made: (k: number) => Id,
): Json | undefined {
  let lost = false;
  const id = (old: string | undefined, fresh: string | undefined): Id => {
    const found = old === undefined ? made(Number(fresh)) : own(Number(old));
    if (found === undefined) lost = true;
    return found ?? "";
  };
  const out = restored(value, id);
  return lost ? undefined : out;
}

function restored(value: Json, id: (old: string | undefined, fresh: string | undefined) => Id): Json {
  if (typeof value === "string") {
    if (!value.includes("\ue000") && !value.includes("\ue001")) return value;
    const whole = WHOLE.exec(value);
    if (whole) return id(whole[1], whole[2]);
    return value.replace(NAMED, (_, old?: string, fresh?: string) => String(id(old, fresh)));
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
