import type { Json, JsonObject } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { humanize, singular, stems } from "../checks/words.ts";
import { inWords } from "../kinds.ts";
import { numbered } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Corpus, Speech } from "./corpus.ts";
import { asUsersSpeak, speaks } from "./known-speech.ts";
import { inOneSentence, isOrAre } from "./one-sentence.ts";

type Register = "plain" | "polite" | "terse" | "chatty";

/** Who asks, and how. */
export interface Voice {
  readonly persona: string;
  readonly register: Register;
  /** What this persona says before the request; where absent, what its name has words for, in a share of the requests. */
  readonly lead?: string | undefined;
  /** How the evidence's people speak, where it shows enough of them. */
  readonly corpus?: Corpus | undefined;
  /** Whether somebody chose the register, which the corpus's frames have to keep to. */
  readonly chosen?: boolean | undefined;
  /** What became of it: whose words the request is made of, and how they speak. */
  readonly told?: { words?: "mined" | "templated"; register?: Register };
}

/** Who asks, and what they say of themselves where they say anything. */
export const LEADS: Readonly<Record<string, readonly string[]>> = {
  "returning customer": ["It's me again."],
  "first-time user": ["I'm new to this."],
  "busy professional": ["I'm between meetings.", "I'm in a bit of a hurry."],
  "careful planner": ["I'm planning ahead."],
};
/** The personas that requests are voiced in. */
export const PERSONAS: readonly string[] = Object.keys(LEADS);
/** The registers that requests are phrased in. */
export const REGISTERS = ["plain", "polite", "terse", "chatty"] as const satisfies readonly Voice["register"][];

/** How many voices there are: each persona in each register. */
export const VOICES = PERSONAS.length * REGISTERS.length;

/** The n-th voice: personas and registers go round so that each pair comes up. */
export function voiceOf(n: number): Voice {
  return {
    persona: PERSONAS[Math.floor(n / REGISTERS.length) % PERSONAS.length] as string,
    register: REGISTERS[n % REGISTERS.length] as Voice["register"],
  };
}

/** A voice as a task keeps it: in the register that its request came to be said in. */
export function storedVoice({ persona, register, lead, told }: Voice): Pick<Voice, "persona" | "register" | "lead"> {
  return { persona, register: told?.register ?? register, ...(lead === undefined ? {} : { lead }) };
}

const FIGURED = /[\d@#"$]/;
/** Whether users say each plain word of a text; names and values are nobody's words. */
function inPeoplesWords(corpus: Corpus, text: string): boolean {
  return text
    .split(/[\s,:()]+/)
    .filter((word) => word.length > 2 && !FIGURED.test(word) && !/^[A-Z]/.test(word))
    .every((word) => corpus.says(word) || FUNCTION.has(word));
}
const FUNCTION = new Set(
  "the for with and from that who has have are there which all each since was were they".split(" "),
);

/** What is asked within a sentence that somebody wrote; undefined where nobody was heard to speak so, or of such things. */
function framed(voice: Voice, speech: Speech, core: string, rng: Random): string | undefined {
  const { corpus, told } = voice;
  if (told) told.words ??= "templated";
  if (!corpus?.enough || !told || told.words === "mined") return undefined;
  const frames = corpus.frames[speech].filter(({ register }) => !voice.chosen || register === voice.register);
  if (frames.length === 0) return undefined;
  const mined = inPeoplesWords(corpus, core);
  if (!mined && (voice.chosen || speaks(corpus, voice.register))) return undefined;
  const { head, tail, register } = rng.pick(frames);
  if (mined) told.words = "mined";
  told.register = register;
  return `${head}${core}${tail}`;
}

/** A request as its persona begins it: with its own words, else in a share of the chatty and polite ones with a word about themselves. */
function led(voice: Voice, request: string, rng: Random): string {
  if (voice.lead !== undefined) return begun(voice.lead, request);
  const leads = LEADS[voice.persona];
  if (leads === undefined || voice.register === "terse" || voice.register === "plain" || rng.next() > 0.4)
    return request;
  return begun(rng.pick(leads), request);
}

/** What is said between a greeting and a wish: a persona's own words stand in its place. */
const SMALL_TALK = {
  day: "hope you're having a good day! ",
  came: "something came up on my side and ",
  notes: "I was going through my notes and can't make it out. ",
  wonder: "one thing I've been wondering about: ",
  quick: "quick question, hope you can help: ",
};

/** A request without what it says before its wish. */
function withoutSmallTalk(request: string): string {
  const talk = Object.values(SMALL_TALK).find((said) => request.startsWith(said));
  return request.slice(talk?.length ?? 0);
}

function begun(lead: string, request: string): string {
  const greeting = /^(?:Hello!|Good (?:morning|afternoon)[.,]|Hi there,|Hey,) /.exec(request)?.[0];
  return greeting === undefined
    ? `${lead} ${request}`
    : `${greeting.trim().replace(/[.,]$/, "!")} ${lead} ${capital(withoutSmallTalk(request.slice(greeting.length)))}`;
}

function capital(text: string): string {
  return text === "" ? text : (text[0] as string).toUpperCase() + text.slice(1);
}

/** A noun for a table's rows; one that only a reading shows is called after it: of "get_stock_info" the stock. */
export function noun(table: string): string {
  const words = humanize(table).split(" ").map(singular).join(" ");
  return words
    .replace(/^(?:get|list|fetch|show|read|view|find|search) (?=.)/, "")
    .replace(/(?<=.) (?:info|information|detail)$/, "");
}

/** Why something was done, as people ask for it: of "cancel reason on order A" the reason for the cancellation of it. */
function reasonPhrase(what: string): string {
  return what
    .replace(/^reason (?:of|on) /, "reason for ")
    .replace(/^(?:cancel|cancellation) reason (?:of|on) /, "reason for the cancellation of ")
    .replace(/^(return|refund|delay|exchange) reason (?:of|on) /, "reason for the $1 of ");
}

/** A question for a piece of information, in a voice. `asking` is a noun phrase such as "total of order #W1". */
export function ask(voice: Voice, asking: string, rng: Random): string {
  const what = reasonPhrase(asking);
  const { core, named } = apart(asUsersWrite(voice, /^my\b/.test(what) ? what : `the ${what}`));
  return `${led(voice, framed(voice, "ask", core, rng) ?? asked(asUsersSpeak(voice, "plain"), core, rng), rng)}${named}`;
}

/** What is wanted, and who wants it as a sentence of its own: "my account (user id ann_1)" as "my account" and "My user id is ann_1." */
function apart(what: string): { readonly core: string; readonly named: string } {
  const [whole, account = "", who = ""] = /\b(my (?:account|(?:[a-z]+ ){0,3}[a-z]+)) \(([^()]*)\)/.exec(what) ?? [];
  const parts = who.split(" and ").map((part) => /^((?:[a-z]+ )+)((?:[^\sa-z]|[a-z]+[^\sa-z]).*)$/.exec(part));
  if (whole === undefined) return { core: what, named: "" };
  const core = what.replace(whole, account);
  if (who.startsWith("the ")) return { core, named: ` It is about ${who}.` };
  if (parts.includes(null)) return { core: what, named: "" };
  const called = (label = "") => (PEOPLE.has(label.trim()) ? `${label}id ` : label);
  const said = parts.map((part) => `my ${called(part?.[1])}is ${part?.[2]}`).join(" and ");
  return { core, named: ` ${capital(said)}.` };
}

/** A text with the words of a listing written as users write them: "onestop" as "one-stop" where they do. */
function asUsersWrite({ corpus }: Voice, text: string): string {
  if (!corpus?.enough) return text;
  return text.replace(/"[^"]*"|(?<![\w@.-])[a-z]{6,}(?![\w@.-]|\.\w)/g, (word) =>
    corpus.says(word) ? word : (corpus.hyphened(word) ?? word),
  );
}

/** What is one's own, a code, a quotation or a name. */
const NAMED = /\bmy\b|[\d"#@]|(?<=\S )\p{Lu}/u;

function asked(voice: Voice, what: string, rng: Random): string {
  switch (voice.register) {
    case "plain":
      return rng.pick([`What ${isOrAre(what)} ${what}?`, `I'd like to know ${what}.`]);
    case "polite":
      return rng.pick([
        `Hello! Could you please tell me ${what}? Thank you.`,
        `Good morning, would you mind checking ${what} for me, please?`,
      ]);
    case "terse":
      return rng.pick([`Need ${what}.`, `${capital(what.replace(/^the /, ""))}?`]);
    case "chatty": {
      const quick = `Hey, ${SMALL_TALK.quick}what ${isOrAre(what)} ${what}?`;
      const said = rng.pick([`Hi there, ${SMALL_TALK.notes}Can you look up ${what} for me?`, quick]);
      // Notes hold what is on a named thing, not how warm it is outside.
      return NAMED.test(what) ? said : quick;
    }
  }
}

/** A question that is a sentence of its own, such as "which items of order #W1 cost more than $10.00". */
export function wonder(voice: Voice, question: string, rng: Random): string {
  const { core, named } = apart(asUsersWrite(voice, question));
  // "which ones have …" stands in a sentence as it stands alone; "what do you get" does not.
  const inside = /^which (?:[\p{L}-]+ )+(?:on|for|of|in|with) .* (?:have|has|costs?) /u.test(core);
  const said = inside ? framed(voice, "wonder", core, rng) : plainly(voice, core);
  return `${led(voice, said ?? wondered(asUsersSpeak(voice, "plain"), core, rng), rng)}${named}`;
}

/** A question as it is asked by itself: people's words where they say them all. */
function plainly(voice: Voice, question: string): string | undefined {
  const { corpus, told } = voice;
  if (told) told.words ??= "templated";
  if (!corpus?.enough || !told || !inPeoplesWords(corpus, question)) return undefined;
  if (voice.chosen && voice.register !== "plain") return undefined;
  told.words = "mined";
  told.register = "plain";
  return `${capital(question)}?`;
}

function wondered(voice: Voice, question: string, rng: Random): string {
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
      return rng.pick([`Hi there, ${SMALL_TALK.wonder}${question}?`, `Hey, ${SMALL_TALK.quick}${question}?`]);
  }
}

/** A wish that something be done, in a voice. `act` is an imperative such as "cancel order #W1". */
export function want(voice: Voice, act: string, rng: Random): string {
  const { core, named } = apart(asUsersWrite(voice, act));
  const said = framed(voice, "want", core, rng) ?? wanted(asUsersSpeak(voice, "terse"), core, rng);
  return `${led(voice, said, rng)}${named}`;
}

function wanted(voice: Voice, act: string, rng: Random): string {
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
      return rng.pick([`Hi there, ${SMALL_TALK.day}I need to ${act}.`, `Hey, ${SMALL_TALK.came}I want to ${act}.`]);
  }
}

/** Words that carry no condition of their own in a wish. */
const CARRYING = new Set(
  "please i would like want need to could can you kindly my the this for me help with number id go ahead and".split(
    " ",
  ),
);

/** A sentence written for a call of a tool, with these values in place of theirs; undefined where there is none or it says more. */
export function sentenceFor(
  voice: Voice,
  tool: string,
  told: Readonly<Record<string, string>> | undefined,
  rng: Random,
): string | undefined {
  const { corpus } = voice;
  if (!corpus?.enough || told === undefined || voice.chosen || !voice.told) return undefined;
  const [verb = ""] = humanize(tool).split(" ");
  const own = new Set([...stems(tool), verb]);
  const fitting = corpus.sentences.filter(
    ({ tool: of, params, texts }) =>
      of === tool &&
      params.length === Object.keys(told).length &&
      params.every((param) => Object.hasOwn(told, param)) &&
      new RegExp(`\\b${escapePattern(verb)}`, "i").test(texts.join(" ")) &&
      texts
        .join(" ")
        .toLowerCase()
        .split(/[^\p{L}']+/u)
        .every((word) => word === "" || CARRYING.has(word) || own.has(singular(word))),
  );
  if (fitting.length === 0 || rng.next() < 0.5) return undefined;
  const { texts, params } = rng.pick(fitting);
  voice.told.words = "mined";
  voice.told.register = /\bplease\b/i.test(texts[0] ?? "") ? "polite" : "plain";
  const said = texts.map((text, i) => `${text}${told[params[i] ?? ""] ?? ""}`).join("");
  return led(voice, said.replace(/\bgo ahead and /i, ""), rng);
}

/** Several wishes as one request: short ones in one sentence, as people join them, others in sentences of their own. */
export function wantAll(voice: Voice, acts: readonly string[], rng: Random): string {
  const [first = "", ...others] = acts;
  const parts = others.map((act) => apart(asUsersWrite(voice, act)));
  const rest = parts.map(({ core }) => core);
  const { corpus } = voice;
  if (corpus?.enough && !rest.every((act) => inPeoplesWords(corpus, act)))
    return wantAll({ ...voice, corpus: undefined }, acts, rng);
  const one = parts.some(({ named }) => named !== "") ? undefined : inOneSentence(acts);
  if (one !== undefined) return want(voice, one, rng);
  const said = parts.map(({ core, named }, i) => {
    const last = i > 0 && i === parts.length - 1;
    return ` ${last ? "Finally" : i > 0 ? "Then" : "Also"}, please ${core}.${named}`;
  });
  return thankedLast(want(voice, first, rng), said.join(""));
}

/** The thanks that end a request. */
export const THANKS = / Thank you(?: very much)?\.$/;

/** A request that goes on after its first wish: who thanks does so when all is said. */
export function thankedLast(first: string, rest: string): string {
  const thanks = THANKS.exec(first)?.[0] ?? "";
  return `${first.slice(0, first.length - thanks.length)}${rest}${thanks}`;
}

/** Rows that are the person who asks. */
export const PEOPLE: ReadonlySet<string> = new Set(["user", "customer", "client", "member", "guest", "account"]);

/** "a, b and c". */
export function enumerated(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** The arguments that name something, as a person says them: "name Mia Lopez and zip 97201". */
export function sayArguments(args: JsonObject): string {
  const named = namePartsOf(args);
  const rest = Object.entries(args).filter(([name]) => !named?.names.has(name));
  return enumerated([
    ...(named ? [`name ${named.text}`] : []),
    ...rest.map(([name, value]) => `${argumentLabel(name)} ${sayValue(value, name)}`),
  ]);
}

/** A first and last name among arguments, as it is written. */
export function namePartsOf(
  args: JsonObject,
): { readonly text: string; readonly names: ReadonlySet<string> } | undefined {
  const part = (pattern: RegExp) =>
    Object.keys(args).find((name) => pattern.test(name) && typeof args[name] === "string");
  const [first, last] = [part(/^(?:first|given)_?name$/i), part(/^(?:last|family)_?name$|^surname$/i)];
  if (first === undefined || last === undefined) return undefined;
  return { text: `${args[first]} ${args[last]}`, names: new Set([first, last]) };
}

/** A thing by its members: what it is called first, a date with "on", the others by their labels. */
export function sayMembers(thing: JsonObject, noun: readonly string[]): string {
  const name = namePartsOf(thing);
  const kind = noun.join(" ");
  const said = Object.entries(thing).flatMap(([key, value]) => {
    if (name?.names.has(key)) return [];
    const own = stems(key);
    if (typeof value !== "object" && own[0] === noun.at(-1) && own.length > 1)
      return [{ rank: 0, text: `${kind} ${sayValue(value, key)}` }];
    if (/^(?:dob|date_of_birth|birth_?date)$/i.test(key)) return [{ rank: 2, text: `born ${sayValue(value, key)}` }];
    if (/^(?:date|day)$/i.test(key)) return [{ rank: 2, text: `on ${sayValue(value, key)}` }];
    return [{ rank: 3, text: `${argumentLabel(key)} ${sayValue(value, key)}` }];
  });
  const parts = [...(name ? [{ rank: 0, text: `${kind} ${name.text}` }] : []), ...said].sort((a, b) => a.rank - b.rank);
  return parts.map(({ text }) => text).join(" ");
}

/** A row as the person who is it speaks of it: "my account (user id ann_1)"; else as it is named. */
export function mine(voice: Voice, table: string, who: string): string {
  if (!PEOPLE.has(noun(table)) || !voice.corpus?.enough || !voice.corpus.says("my")) return who;
  const plain = who.replace(new RegExp(`^the ${escapePattern(noun(table))} with `), "");
  return `my account (${plain.startsWith(`${noun(table)} `) ? plain.replace(" ", " id ") : plain})`;
}

/**
 * Whether a person who is the row would not ask for this of it: the own name or day of birth, or what no user was
 * heard to ask for; `direct` where the person is named by what the tool takes.
 */
export function unasked(voice: Voice, table: string, label: string, direct = false): boolean {
  const { corpus } = voice;
  if (corpus === undefined || mine(voice, table, "") === "") return false;
  return (
    /\b(?:name|birth|born|user|username)\b/.test(label) ||
    !label.split(" ").every((word) => (direct ? corpus.says(word) : corpus.asks(word)))
  );
}

/** Whether people know what a field's words mean: an abbreviation is a word where users say it. */
export function isClear({ corpus }: Voice, words: string): boolean {
  return words
    .split(/[^\p{L}]+/u)
    .every((word) => word === "" || word.length > 2 || /[A-Z]/.test(word) || SHORT.has(word) || corpus?.says(word));
}
const SHORT = new Set(
  "a ac am an as at by cc do go hr id if in is it me my no of on or pc pm so to tv uk up us we".split(" "),
);

/** A parameter's name as a person would label it. */
export function argumentLabel(name: string): string {
  const words = numbered(humanize(name)).split(" ");
  const core = words.filter((w) => w !== "id" && w !== "ids");
  return (core.length > 0 ? core : words).join(" ");
}

/** Any argument value in a user's words; lists joined by "and", members named. */
export function sayValue(value: Json, name: string): string {
  if (Array.isArray(value)) return enumerated(value.map((item) => sayValue(item, singular(name))));
  if (value === null) return "none";
  if (typeof value === "object") return sayMembers(value, stems(name));
  return value === "" ? "none" : inWords(value, name);
}
