import { claimsSuccess } from "../checks/answer-class.ts";
import { claimsDone } from "../checks/claims.ts";
import { findFact, Reading } from "../checks/facts.ts";
import { humanize } from "../checks/words.ts";
import { factOf, inWords } from "../kinds.ts";
import type { FinishedTrial, SimulatedUser, Task, UserFact } from "../schema.ts";
import { fitOf, isBare, nameWords, type Questions, questionsOf, type Wanted } from "./questions.ts";

type Answer = FinishedTrial["answers"][number];
/** What of a task its user goes by. */
export type Asking = Pick<Task, "request" | "turns" | "user">;
export type UserReply = NonNullable<FinishedTrial["said"]>[number];

const UNKNOWN = "I'm sorry, I don't know that.";
const NO_PREFERENCE = "I have no preference there, you decide.";
const YES = "Yes, please go ahead.";
const NO = "No, please don't do that.";
/** Confirmations and questions asked twice that a user answers beside one question for each fact. */
const BESIDE_FACTS = 4;
/** Letters and digits together, or a number of several digits: what names a row. */
const NAMES = /#?(?=[\p{L}\d_-]*\d)[\p{L}\d_-]{3,}/gu;

/** How many replies a user gives before it goes. */
export function mostReplies(user: SimulatedUser): number {
  return user.most ?? user.knows.length + (user.adds?.length ?? 0) + BESIDE_FACTS;
}

/** How a user tells a fact. */
export function tells({ names, value, says }: UserFact): string {
  if (says !== undefined) return says;
  const name = names[0] ?? "";
  return typeof value === "boolean" ? `${name}: ${value ? "yes" : "no"}.` : `The ${humanize(name)} is ${value}.`;
}

/** Whether a text says a fact of the user's, in any way that people write it. */
export function says(text: string, fact: UserFact): boolean {
  const { names, value } = fact;
  // A bare yes is said of anything.
  if (typeof value === "boolean") return text.includes(tells(fact));
  const reading = new Reading(text);
  const name = names[0] ?? "";
  const found = findFact({ ...factOf(value, name), aliases: [inWords(value, name)] }, reading);
  return found.said + found.denied > 0;
}

/** The words of each name of a fact: a user is asked by hundreds of wrong trials of a review. */
const namesOf = new WeakMap<UserFact, readonly (readonly string[])[]>();

function namesIn(fact: UserFact): readonly (readonly string[])[] {
  let names = namesOf.get(fact);
  if (names === undefined) {
    names = fact.names.map(nameWords);
    namesOf.set(fact, names);
  }
  return names;
}

/** The facts asked for by name: for each thing those that fit it best, and only the first where a bare "number" fits several. */
function factsByName(user: SimulatedUser, wanted: readonly Wanted[]): UserFact[] {
  const found = new Set<UserFact>();
  for (const thing of wanted) {
    const scores = user.knows.map((fact) => Math.max(...namesIn(fact).map((name) => fitOf(name, thing))));
    const best = Math.max(0, ...scores);
    const fitting = user.knows.filter((_, i) => best > 0 && scores[i] === best);
    for (const fact of best < 1 && isBare(thing) ? fitting.slice(0, 1) : fitting) found.add(fact);
  }
  return user.knows.filter((fact) => found.has(fact));
}

/** Whether a sentence that yes or no answers is about a fact that is one of them: "Is it a gift?" */
function answersYesOrNo(fact: UserFact, { whether }: Questions): boolean {
  if (typeof fact.value !== "boolean") return false;
  return whether.some((words) =>
    namesIn(fact).some((name) => name.length > 0 && name.every((word) => words.includes(word))),
  );
}

const shapeOf = (text: string) => text.replace(/\p{L}/gu, "a").replace(/\d/g, "9");

/** Facts that a text contradicts: it names others of their kind, which the request does not, and not them. */
function contradicted(user: SimulatedUser, text: string, request = ""): UserFact[] {
  const wished = new Set(request.match(NAMES));
  const named = (text.match(NAMES) ?? []).filter((one) => !wished.has(one));
  return user.knows.filter((fact) => {
    const value = String(fact.value);
    return /\d/.test(value) && !says(text, fact) && named.some((one) => shapeOf(one) === shapeOf(value));
  });
}

/** Whether an answer asks whether what the request says is right: "Is the new zip code 75284?", and for nothing else. */
function repeatsRequest(user: SimulatedUser, text: string, request: string, { wanted }: Questions): boolean {
  const question = text.match(/[^.?!\n]*\?/g)?.at(-1) ?? "";
  const wished = new Set(request.match(NAMES));
  const named = question.match(NAMES) ?? [];
  if (named.length === 0 || !named.every((one) => wished.has(one)) || /\b(?:what|which|who|when|how)\b/i.test(question))
    return false;
  return factsByName(user, wanted).every(({ value }) => named.some((one) => shapeOf(one) === shapeOf(String(value))));
}

/** What a user says of choices that it is shown: what it knows of them, in the order of its facts, what it has not said first. */
function choice(user: SimulatedUser, answer: string, before: ReadonlySet<string>): string | undefined {
  const shown = user.knows.filter((fact) => typeof fact.value !== "boolean" && says(answer, fact));
  const meant = shown.find((fact) => !before.has(tells(fact))) ?? shown[0] ?? contradicted(user, answer)[0];
  return meant && tells(meant);
}

/** What a user says of what it knows to an answer that asks for it; `before` is what it has said in earlier replies. */
function told(
  user: SimulatedUser,
  answer: string,
  asked: Questions,
  before: ReadonlySet<string>,
): readonly string[] | undefined {
  const named = factsByName(user, asked.wanted);
  const facts = user.knows.filter((fact) => named.includes(fact) || answersYesOrNo(fact, asked));
  // One sentence may tell several facts: nobody says it twice in a breath.
  if (facts.length > 0) return [...new Set(facts.map(tells))];
  const [first] = user.knows;
  const said =
    asked.open && first
      ? (choice(user, answer, before) ?? tells(first))
      : asked.choices.length > 0
        ? (choice(user, asked.choices.join(" "), before) ?? choice(user, answer, before))
        : undefined;
  return said === undefined ? undefined : [said];
}

/** Whether an answer asks for no more than whether to go on: a yes or a no is all that it waits for. */
function onlyConfirms({ wanted, open, confirmations }: Questions): boolean {
  return confirmations.length > 0 && wanted.length === 0 && !open;
}

/** What a user says who has nothing more to say of itself; undefined where it goes. */
function last(
  user: SimulatedUser,
  request: string,
  { text, class: own }: Answer,
  asked: Questions,
): string | undefined {
  // An agent's own word that it asks counts where its words do not show what.
  if (!asked.any) return own === "none" && text.trim() !== "" ? UNKNOWN : undefined;
  // What is offered after the deed was not asked for.
  if (claimsSuccess(text) || claimsDone(new Reading(text).folded, { request, calls: [] })) return undefined;
  if (asked.confirmations.length > 0) {
    const [other] = contradicted(user, text, request);
    if (other) return `No. ${tells(other)}`;
    return user.confirms === false ? NO : YES;
  }
  if (asked.greets) return request;
  return asked.choices.length > 0 ? NO_PREFERENCE : UNKNOWN;
}

/**
 * What a task's user says to the newest of the agent's answers, once its fixed turns were said; undefined when it has
 * gone: nobody asked it anything, or it has replied as often as it does. Deterministic: the same answers are replied to alike.
 */
export function userReply({ request, turns, user }: Asking, answers: readonly Answer[]): string | undefined {
  const heard = answers.slice(turns.length);
  const newest = heard.at(-1);
  if (user === undefined || newest === undefined || heard.length > mostReplies(user)) return undefined;
  const before = new Set<string>();
  const adds = user.adds ?? [];
  let added = 0;
  for (const { text } of heard.slice(0, -1)) {
    const asked = questionsOf(text);
    const known = told(user, text, asked, before);
    if (known === undefined && !onlyConfirms(asked)) added += 1;
    for (const one of known ?? []) before.add(one);
  }
  const asked = questionsOf(newest.text);
  const known = told(user, newest.text, asked, before);
  if (repeatsRequest(user, newest.text, request, asked)) return user.confirms === false ? NO : YES;
  if (known !== undefined) return known.join(" ");
  // Who is asked whether to go on says so before anything of its own.
  return (onlyConfirms(asked) ? undefined : adds[added]) ?? last(user, request, newest, asked) ?? adds[added];
}

/** The user's side of a trial by rule, as it is recorded. */
export class UserByRule {
  readonly said: UserReply[] = [];
  readonly #task: Asking;

  constructor(task: Asking) {
    this.#task = task;
  }

  /** The reply to the newest answer, noted; `calls` is how many were made by now. */
  reply(answers: readonly Answer[], calls: number): string | undefined {
    const text = userReply(this.#task, answers);
    if (text !== undefined) this.said.push({ text, calls, tier: "deterministic" });
    return text;
  }

  /** What a finished trial keeps of it: nothing where nobody replies. */
  get kept(): Pick<FinishedTrial, "said"> {
    return this.#task.user === undefined ? {} : { said: this.said };
  }
}
