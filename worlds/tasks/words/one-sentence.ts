import { escapePattern } from "../../pattern.ts";

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
    if (i > 0 && own !== undefined && own === verb(acts[i - 1] as string)) return act.slice(own.length + 1);
    return i === 1 && acts.length === 2 ? ofIt(act, acts[0] as string) : act;
  });
  const comma = acts.length > 2 || acts.some((act) => /,| and /.test(act)) ? "," : "";
  return `${said.slice(0, -1).join(", ")}${comma} and ${said.at(-1)}`;
}

/** A wish about what the one before makes: "change the status of the task "A" to done" as "set its status to done". */
function ofIt(act: string, before: string): string {
  const [, kind = "", name] = /\bnew ([a-z]+) (?:titled |called )("[^"]*")/.exec(before) ?? [];
  const whole = `the ${kind} ${name}`;
  if (name === undefined || act.split(whole).length !== 2) return act;
  const part = new RegExp(`the ((?:[a-z]+ )*[a-z]+) of ${escapePattern(whole)}`);
  return part.test(act) ? act.replace(part, "its $1").replace(/^change /, "set ") : act.replace(whole, "it");
}
