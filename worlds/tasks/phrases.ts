import type { Json, JsonObject } from "../json.ts";
import { escapePattern } from "../pattern.ts";
import { saidAddress } from "./address.ts";
import { humanize, singular } from "./checks/words.ts";
import { spoken } from "./kinds.ts";
import { numbered } from "./leaves.ts";
import type { Random } from "./random.ts";
import type { ToolView } from "./surface.ts";

/** Who asks, and how. */
export interface Voice {
  readonly persona: string;
  readonly register: "plain" | "polite" | "terse" | "chatty";
}

const PERSONAS = ["returning customer", "first-time user", "busy professional", "careful planner"];
const REGISTERS = ["plain", "polite", "terse", "chatty"] as const;

/** The n-th voice: personas and registers go round so that each pair comes up. */
export function voiceOf(n: number): Voice {
  return {
    persona: PERSONAS[Math.floor(n / REGISTERS.length) % PERSONAS.length] as string,
    register: REGISTERS[n % REGISTERS.length] as Voice["register"],
  };
}

function capital(text: string): string {
  return text === "" ? text : (text[0] as string).toUpperCase() + text.slice(1);
}

/** A noun for a table's rows. */
export function noun(table: string): string {
  return humanize(table).split(" ").map(singular).join(" ");
}

/** A question for a piece of information, in a voice. `what` is a noun phrase such as "total of order #W1". */
export function ask(voice: Voice, what: string, rng: Random): string {
  switch (voice.register) {
    case "plain":
      return rng.pick([`What is the ${what}?`, `I'd like to know the ${what}.`]);
    case "polite":
      return rng.pick([
        `Hello! Could you please tell me the ${what}? Thank you.`,
        `Good morning, would you mind checking the ${what} for me, please?`,
      ]);
    case "terse":
      return rng.pick([`Need the ${what}.`, `${capital(what)}?`]);
    case "chatty":
      return rng.pick([
        `Hi there, I was going through my notes and can't make it out. Can you look up the ${what} for me?`,
        `Hey, quick question, hope you can help: what is the ${what}?`,
      ]);
  }
}

/** A question that is a sentence of its own, such as "which items of order #W1 cost more than $10.00". */
export function wonder(voice: Voice, question: string, rng: Random): string {
  switch (voice.register) {
    case "plain":
      return `${capital(question)}?`;
    case "polite":
      return rng.pick([
        `Hello! Could you please tell me: ${question}? Thank you.`,
        `Good morning. ${capital(question)}, please?`,
      ]);
    case "terse":
      return `${capital(question)}?`;
    case "chatty":
      return rng.pick([
        `Hi there, one thing I've been wondering about: ${question}?`,
        `Hey, quick question, hope you can help: ${question}?`,
      ]);
  }
}

/** A wish that something be done, in a voice. `act` is an imperative such as "cancel order #W1". */
export function want(voice: Voice, act: string, rng: Random): string {
  switch (voice.register) {
    case "plain":
      return rng.pick([`I'd like to ${act}.`, `Please ${act}.`]);
    case "polite":
      return rng.pick([
        `Hello! Could you please ${act}? Thank you very much.`,
        `Good afternoon, I would like to ${act}, please.`,
      ]);
    case "terse":
      return `${capital(act)}.`;
    case "chatty":
      return rng.pick([
        `Hi there, hope you're having a good day! I need to ${act}.`,
        `Hey, something came up on my side and I want to ${act}.`,
      ]);
  }
}

/** Several wishes as one request. */
export function wantAll(voice: Voice, acts: readonly string[], rng: Random): string {
  const [first = "", ...rest] = acts;
  return `${want(voice, first, rng)} ${rest.map((act) => rng.pick([`Also, please ${act}.`, `And then please ${act}.`])).join(" ")}`;
}

const IMPERATIVE = /^([A-Z]?[a-z]+) (.+)$/;

/** What a tool does as an imperative, from the first sentence of its description, else from its name. `who` names the row it acts on, and is put after its noun. */
export function imperative(view: ToolView, tableNoun: string, who: string): string {
  const first =
    (view.tool.description ?? "")
      .split(/(?<=[.!])\s|\n|\. /)[0]
      ?.replace(/[.!]$/, "")
      .trim() ?? "";
  const match = IMPERATIVE.exec(first);
  const verb = match?.[1]?.toLowerCase() ?? "";
  const usable =
    match &&
    first.split(" ").length <= 14 &&
    humanize(view.name)
      .split(" ")
      .some(
        (word) =>
          word === verb ||
          word.slice(0, 4) === verb.slice(0, 4) ||
          ["change", "modify", "update", "edit", "set"].includes(verb),
      );
  let act = usable ? first[0]?.toLowerCase() + first.slice(1) : humanize(view.name);
  act = act
    .replace(/\b(?:a|an) (?=customer|user|client|member|guest)/g, "the ")
    .replace(/\ba user's\b|\bthe user's\b|\ba customer's\b|\bthe customer's\b/g, "my")
    .replace(/\b(?:a|an)\b/g, "my");
  const at = new RegExp(`\\b${escapePattern(tableNoun)}s?\\b(?!')`).exec(act);
  if (at) return `${act.slice(0, at.index + at[0].length)} ${who}${act.slice(at.index + at[0].length)}`;
  return `${act} for ${tableNoun} ${who}`;
}

const TOWARDS = /^(?:change|modify|update|edit|set|correct|move|redirect|send|ship|deliver|forward)\b/i;

/** A wish with a call's arguments as a person would add them: "change the address to 6 Harbour Road, Clifton, 60215", "cancel order #W1, reason no longer needed". */
export function withArguments(
  act: string,
  args: JsonObject,
  words: Readonly<Record<string, string>>,
  skip: ReadonlySet<string>,
): string {
  const address = saidAddress(args, skip);
  const rest = Object.entries(args)
    .filter(([name]) => !skip.has(name) && !address?.names.has(name))
    .map(([name, value]) => `${argumentLabel(name)} ${words[name] ?? sayValue(value, name)}`);
  const whole = address === undefined ? act : `${act} ${TOWARDS.test(act) ? "to" : "at"} ${address.text}`;
  return [whole, ...rest].join(", ");
}

/** A parameter's name as a person would label it. */
export function argumentLabel(name: string): string {
  const words = numbered(humanize(name)).split(" ");
  const core = words.filter((w) => w !== "id" && w !== "ids");
  return (core.length > 0 ? core : words).join(" ");
}

/** Any argument value in a user's words; lists joined by "and", members named. */
export function sayValue(value: Json, name: string): string {
  if (Array.isArray(value)) return value.map((item) => sayValue(item, singular(name))).join(" and ");
  if (value === null) return "none";
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([key, item]) => `${argumentLabel(key)} ${sayValue(item, key)}`)
      .join(" ");
  }
  return value === "" ? "none" : spoken(value, name);
}
