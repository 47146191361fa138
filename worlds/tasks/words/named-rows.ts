import type { JsonObject } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { moved } from "../acts/proof.ts";
import { scalarsOf } from "../acts/recorded.ts";
import { plural } from "../checks/words.ts";
import { changed } from "../draft.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import type { Script, Task } from "../schema.ts";
import { refOf } from "../script.ts";
import { type Description, describedByListing, describedByReading } from "./listings.ts";
import { noun } from "./phrases.ts";
import { foundByTitle } from "./titles.ts";
import { isUserCode } from "./user-codes.ts";

interface Described extends Description {
  readonly thing: string;
}

const described = new WeakMap<Kit, Map<string, Described | undefined>>();

/** How people speak of a row whose code they do not know; `users` knows which codes they say. Undefined where nothing tells it. */
export function describe(kit: Kit, users: Kit, key: string): Described | undefined {
  const known = described.get(kit) ?? new Map<string, Described | undefined>();
  described.set(kit, known);
  if (!known.has(key)) known.set(key, describeAnew(kit, users, key));
  return known.get(key);
}

function describeAnew(kit: Kit, users: Kit, key: string): Described | undefined {
  for (const { name, internal } of kit.bundle.tables) {
    const anchor = internal ? undefined : kit.anchors.get(name)?.find((one) => one.key === key);
    if (anchor === undefined) continue;
    const titled = foundByTitle(kit, anchor);
    const description = titled
      ? { words: titled.words, calls: [{ tool: titled.tool, args: titled.args }] }
      : (describedByReading(kit, anchor, (param) => isUserCode(users, param)) ?? describedByListing(kit, anchor));
    if (description) return { ...description, thing: noun(name) };
  }
  return undefined;
}

/** The codes in a task's words that no user says, each once. */
function unheardCodes(users: Kit, { request, turns, script }: Task): string[] {
  const said = [request, ...turns].join("\n");
  const codes = script.calls.flatMap(({ args }) =>
    scalarsOf(args as JsonObject).flatMap(({ name, value }) =>
      typeof value === "string" &&
      refOf(value) === undefined &&
      kindOf(value, name) === "id" &&
      said.includes(value) &&
      !isUserCode(users, name)
        ? [value]
        : [],
    ),
  );
  return [...new Set(codes)];
}

/** A text with other words in place of a thing's code and of what the thing is called; undefined where it does not stand there once. */
export function nameReplaced(
  text: string,
  code: string,
  thing: string,
  words: string | ((article: string, called: string) => string),
): string | undefined {
  const called = `(?:${escapePattern(plural(thing))}|${escapePattern(thing)})`;
  const pattern = new RegExp(
    `(:? ?)(?:(\\b(?:the|my) )?\\b(${called}) )?(?<![\\w-])${escapePattern(code)}(?![\\w-])(,| and)?`,
    "g",
  );
  if ([...text.matchAll(pattern)].length !== 1) return undefined;
  return text.replace(pattern, (_all, before: string, article = "the ", called = thing, next = "") => {
    const said = typeof words === "string" ? words : words(article, called);
    // "refuel: line L1 and gigabytes 2" is "refuel for the line with number 555: gigabytes 2".
    return before === ": " && next !== "" ? ` for ${said}:` : `${before}${said}${next}`;
  });
}

/** A script whose first calls are others. */
function after(calls: Script["calls"], script: Script): Script {
  const shift = calls.length;
  return {
    ...script,
    calls: [...calls, ...script.calls.map((call) => moved(call, (n) => n + shift))],
    answer: script.answer.replace(
      /\{((?:count |sum |min |max )?)\$(\d+)/g,
      (_all, of: string, n: string) => `{${of}$${Number(n) + shift}`,
    ),
  };
}

/**
 * A task whose words tell of each thing as people do who do not know its code, and whose script finds that code first;
 * the task as it is where users say its codes, or where nothing else tells of one of them.
 */
export function namedAsUsersDo(kit: Kit, task: Task, users: Kit): Task {
  if (task.family === "mined") return task;
  const calls: Script["calls"][number][] = [];
  let words = [task.request, ...task.turns];
  for (const code of unheardCodes(users, task)) {
    const description = describe(kit, users, code);
    if (description === undefined) return task;
    const told = words.map((text) =>
      text.includes(code)
        ? nameReplaced(text, code, description.thing, (article, called) => `${article}${called} ${description.words}`)
        : text,
    );
    if (told.includes(undefined)) return task;
    words = told as string[];
    for (const call of description.calls)
      if (!calls.some((other) => JSON.stringify(other) === JSON.stringify(call))) calls.push(call);
  }
  if (calls.length === 0) return task;
  const [request = "", ...turns] = words;
  const { alternatives } = task;
  return changed(task, {
    request,
    turns,
    script: after(calls, task.script),
    ...(alternatives && { alternatives: alternatives.map((script) => after(calls, script)) }),
  });
}
