import { isObject, type Json, type JsonObject } from "../json.ts";

/** Every text in a value, at any depth. */
export function* textsOf(value: Json): Generator<string> {
  if (typeof value === "string") {
    if (value !== "") yield value;
  } else if (Array.isArray(value)) for (const item of value) yield* textsOf(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* textsOf(item);
}

/** Whether arguments hold a text that nobody was shown: what they ask for is made up, or new. */
export function holdsUnseen(args: JsonObject, isShown: (text: string) => boolean): boolean {
  for (const text of textsOf(args)) if (!isShown(text)) return true;
  return false;
}

/** The texts that answers showed, each with who was shown it where that is one task, or one session of none. */
export class Shown {
  private readonly texts = new Map<string, string | undefined>();

  add(value: Json, task: string): void {
    for (const text of textsOf(value))
      this.texts.set(text, this.texts.has(text) && this.texts.get(text) !== task ? undefined : task);
  }

  /** Whether a text was shown to others than this task. */
  toOthers(text: string, task: string): boolean {
    return this.texts.has(text) && this.texts.get(text) !== task;
  }

  has(text: string): boolean {
    return this.texts.has(text);
  }

  all(): Iterable<string> {
    return this.texts.keys();
  }
}
