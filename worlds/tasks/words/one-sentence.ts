import { escapePattern } from "../../pattern.ts";
import { singular } from "../checks/words.ts";

/** Characters of wishes that fit into one sentence. */
const ONE_SENTENCE = 160;

/** Wishes joined by "and", without a verb that the one before has too; undefined where they are too long for it. */
export function inOneSentence(acts: readonly string[]): string | undefined {
  if (
    acts.length > 3 ||
    acts.join(" ").length > ONE_SENTENCE ||
    acts.some((act) => /\n|:(?!\d)|;|[.!?]["\u201d]?$/.test(act))
  )
    return undefined;
  const verb = (act: string) => /^\S+(?= (?:the|an?|my) )/.exec(act)?.[0];
  const said = acts.map((act, i) => {
    const own = verb(act);
    const again = i === 1 && acts.length === 2 ? toTheSame(act, acts[0] as string) : undefined;
    if (again !== undefined) return again;
    if (i > 0 && own !== undefined && own === verb(acts[i - 1] as string)) return act.slice(own.length + 1);
    return i === 1 && acts.length === 2 ? ofIt(act, acts[0] as string) : act;
  });
  const comma = acts.length > 2 || acts.some((act) => /,| and /.test(act)) ? "," : "";
  return `${said.slice(0, -1).join(", ")}${comma} and ${said.at(-1)}`;
}

/**
 * What else is done to a thing that both wishes name by its code: "forward the mail m-1 to Ann" and "move the mail m-1 to
 * the trash" are "... and move it to the trash". Undefined where they name no such thing.
 */
function toTheSame(act: string, before: string): string | undefined {
  const parts = (wish: string) => /^([a-z]+) (the [a-z]+ [\w#.-]*\d[\w#.-]*)(?![\w.-]*\d)( .+)?$/.exec(wish) ?? [];
  const [[, first, thing], [, verb, same, rest = ""]] = [parts(before), parts(act)];
  if (thing === undefined || thing !== same || act.split(thing).length !== 2) return undefined;
  return verb === first && /^ (?:to|from|for|with|on|in) /.test(rest) ? rest.trim() : `${verb} it${rest}`;
}

/** A wish about what the one before makes: "change the status of the task "A" to done" as "set its status to done". */
function ofIt(act: string, before: string): string {
  const [, kind = "", name] = /\bnew ([a-z]+) (?:titled |called )("[^"]*")/.exec(before) ?? [];
  const whole = `the ${kind} ${name}`;
  if (name === undefined || act.split(whole).length !== 2) return act;
  const part = new RegExp(`the ((?:[a-z]+ )*[a-z]+) of ${escapePattern(whole)}`);
  return part.test(act) ? act.replace(part, "its $1").replace(/^change /, "set ") : act.replace(whole, "it");
}

/** Questions in one breath; of the same of two things as one: "which files are there for project A and for project B". */
export function joinQuestions(questions: readonly string[]): string {
  const [first = "", second = ""] = questions;
  const same = /^which .+? are there (?=for )/.exec(first)?.[0];
  return questions.length === 2 && same !== undefined && second.startsWith(same)
    ? `${first} and ${second.slice(same.length)}`
    : questions.join(", and ");
}

/** "is the rating for recipe R", "are the tags for recipe R". */
export function isOrAre(what: string): string {
  const head =
    what
      .split(/ (?:of|for|in|on|from|with|between|at) /)[0]
      ?.split(" ")
      .at(-1) ?? "";
  return singular(head) === head ? "is" : "are";
}
