import { isObject, type JsonObject } from "../../../worlds/json.ts";
import { wordsOf } from "./builder.ts";
import { answersIn, callsIn, callsOf, ROLES } from "./messages.ts";
import { keyOf } from "./new-messages.ts";
import { isOwnId } from "./values.ts";

/** One request of a conversation with its reply, or several of which each repeats the one before. */
export interface MergedConversation<R> {
  readonly messages: readonly JsonObject[];
  /** What the first request and the ones after it say beside their messages. */
  readonly records: readonly R[];
  readonly place: number;
}

interface Open<R> extends MergedConversation<R> {
  readonly keys: readonly string[];
  readonly start: string;
  readonly size: number;
}

/** So much of conversations that may still grow is held, characters; the one untouched longest is told then. */
const MOST_HELD = 48 * 1024 * 1024;
/** Conversations that begin alike are compared with the newest of them. */
const MOST_ALIKE = 50;
/** A request that has no answer yet is the beginning of another only when so much of it is the same, characters. */
const LEAST_WORDS = 24;

/** Puts requests that repeat the conversation so far together to one conversation each. */
export class Growing<R> {
  /** By the order in which they were touched. */
  readonly #open = new Set<Open<R>>();
  readonly #alike = new Map<string, Open<R>[]>();
  #held = 0;

  /** The conversations that are told now since too many are open. */
  *add(messages: readonly JsonObject[], record: R, place: number, size: number): Generator<MergedConversation<R>> {
    const keys = messages.map(keyOf);
    const start = keys.find((key) => key.startsWith('["user"')) ?? keys[0] ?? "";
    if (this.#holds(start, keys, messages)) return;
    const before = this.#begun(start, keys, messages);
    const records = before ? [...before.records, record] : [record];
    if (before) this.#close(before);
    this.#keep({ messages, records, place: before?.place ?? place, keys, start, size });
    for (const oldest of this.#open) {
      if (this.#held <= MOST_HELD || this.#open.size === 1) return;
      this.#close(oldest);
      yield oldest;
    }
  }

  *end(): Generator<MergedConversation<R>> {
    yield* [...this.#open].sort((a, b) => a.place - b.place);
  }

  /** Whether an open conversation begins with all of this one: it was sent again, or comes after what grew of it. */
  #holds(start: string, keys: readonly string[], messages: readonly JsonObject[]): boolean {
    const alike = this.#alike.get(start) ?? [];
    return alike.some((open) => keys.every((key, i) => key === open.keys[i]) && goesOn({ messages }, open.messages));
  }

  /** The longest conversation that this one repeats. */
  #begun(start: string, keys: readonly string[], messages: readonly JsonObject[]): Open<R> | undefined {
    const found = (this.#alike.get(start) ?? []).filter(
      (open) => open.keys.every((key, i) => key === keys[i]) && goesOn(open, messages),
    );
    return found.sort((a, b) => b.keys.length - a.keys.length)[0];
  }

  #keep(open: Open<R>): void {
    this.#open.add(open);
    this.#held += open.size;
    this.#alike.set(open.start, [...(this.#alike.get(open.start) ?? []).slice(1 - MOST_ALIKE), open]);
  }

  #close(open: Open<R>): void {
    this.#open.delete(open);
    this.#held -= open.size;
    const rest = (this.#alike.get(open.start) ?? []).filter((each) => each !== open);
    if (rest.length > 0) this.#alike.set(open.start, rest);
    else this.#alike.delete(open.start);
  }
}

/** Whether what was said before is enough to be sure that a conversation which begins with it is the same one. */
function goesOn(
  { messages: before }: Pick<MergedConversation<unknown>, "messages">,
  now: readonly JsonObject[],
): boolean {
  const ids = before.flatMap((message) => idsOf(message));
  if (ids.some(isOwnId)) return true;
  // The same all through and nothing that is its own: another session that went the same way.
  if (before.length === now.length) return false;
  const asked = before.findIndex((message) => ROLES[String(message.role)] === "user");
  const answered = before.some((message, i) => i > asked && ROLES[String(message.role)] === "assistant");
  return answered || wordsIn(before).length >= LEAST_WORDS;
}

function idsOf(message: JsonObject): (string | undefined)[] {
  const content = message.content ?? message.parts ?? null;
  return [...callsOf(message), ...callsIn(content), ...answersIn(content)].map(({ id }) => id);
}

function wordsIn(messages: readonly JsonObject[]): string {
  const silent = { header: {}, lose() {}, refuse() {}, strip() {} };
  return messages
    .filter((message) => isObject(message) && ROLES[String(message.role)] === "user")
    .map((message) => wordsOf(message.content ?? message.parts, silent))
    .join("");
}
