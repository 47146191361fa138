import { random } from "../random.ts";
import type { Task } from "../schema.ts";
import { unframed } from "./corpus.ts";
import { ask, PERSONAS, REGISTERS, storedVoice, THANKS, thankedLast, type Voice, want, wonder } from "./phrases.ts";

export { REGISTERS };

type Phrase = (voice: Voice, core: string, rng: ReturnType<typeof random>) => string;

/** The ways a request is phrased: as a question for something, as a question of its own, as a wish. */
const PHRASES: readonly Phrase[] = [ask, wonder, want];
/** Stands for the core while templates are made: no request holds it, and a figure names it, as some templates need. */
const CORE = "\u00011";
/** Enough draws to see each template of a register. */
const DRAWS = 160;

/** What begins a question of its own, where two phrases have the same frame. */
const QUESTION = /^(?:which|what|who|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|can|could)\b/i;

/** A wish in the form of a question: what it asks for is in its frame. */
const WISH = /^(?:can|could|would|will) you\b/;

interface Template {
  readonly phrase: Phrase;
  readonly head: string;
  readonly tail: string;
}

const made = new Map<string | undefined, Map<string, Template[]>>();
/** So many personas' words are kept as templates. */
const MOST_LEADS = 50;

/** Each register's templates as a persona with these words begins them, the most telling first, read off the phrase functions. */
function templates(lead: string | undefined): Map<string, Template[]> {
  const known = made.get(lead);
  if (known) return known;
  if (made.size > MOST_LEADS) made.clear();
  const read = new Map(
    REGISTERS.map((register) => {
      const found = new Map<string, Template>();
      for (const phrase of PHRASES)
        for (let i = 0; i < DRAWS; i++) {
          const persona = PERSONAS[i % PERSONAS.length] ?? "";
          const voice = { persona, register, ...(lead === undefined ? {} : { lead }) };
          const text = phrase(voice, CORE, random(`${register} ${i}`));
          const at = text.indexOf(CORE);
          if (at >= 0)
            found.set(`${PHRASES.indexOf(phrase)} ${text}`, {
              phrase,
              head: text.slice(0, at),
              tail: text.slice(at + CORE.length),
            });
        }
      return [
        register,
        [...found.values()].sort((a, b) => b.head.length + b.tail.length - a.head.length - a.tail.length),
      ];
    }),
  );
  made.set(lead, read);
  return read;
}

/** Where a request goes on after its first wish: those sentences are of no register. */
const REST = / (?=(?:Also, please|And then please|My) \S)/;

function readCore(said: string, { register, lead }: Task["voice"]): { phrase: Phrase; core: string } | undefined {
  for (const { phrase, head, tail } of templates(lead).get(register) ?? []) {
    if (!said.startsWith(head) || !said.endsWith(tail) || said.length <= head.length + tail.length) continue;
    const text = said.slice(head.length, said.length - tail.length);
    const begins = head === "" || (lead !== undefined && head.endsWith(`${lead} `));
    const core = begins || QUESTION.test(text) ? `${text[0]!.toLowerCase()}${text.slice(1)}` : text;
    if ((phrase === ask && QUESTION.test(core)) || (phrase === wonder && !QUESTION.test(core))) continue;
    if (WISH.test(core)) continue;
    return { phrase, core };
  }
  return readFrame(said, lead);
}

/** What is asked within a sentence of the evidence's people, and how: their frames end in words that are known. */
function readFrame(said: string, lead: string | undefined): { phrase: Phrase; core: string } | undefined {
  const plain = lead !== undefined && said.startsWith(`${lead} `) ? said.slice(lead.length + 1) : said;
  const read = unframed(plain);
  if (read !== undefined) {
    const phrase = { ask, wonder, want }[read.speech];
    return { phrase, core: read.core.replace(/^the /, "") };
  }
  const core = /^((?:Which|What|How) .+)\?$/.exec(plain)?.[1];
  return core === undefined ? undefined : { phrase: wonder, core: `${core[0]?.toLowerCase()}${core.slice(1)}` };
}

/**
 * The task's request in another voice, its script and checks untouched. Undefined where the request was not phrased by
 * rule (a user's own words, or a person's): nothing says which of its words could be others. Pure.
 */
export function revoiceTask(task: Task, voice: Voice, seed: string): Task | undefined {
  if (task.tier !== "deterministic" || task.family === "mined") return undefined;
  const at = task.request.search(REST);
  const more = at < 0 ? "" : task.request.slice(at);
  const thanks = THANKS.exec(more)?.[0] ?? "";
  const rest = more.slice(0, more.length - thanks.length);
  const first = `${task.request.slice(0, task.request.length - more.length)}${thanks}`;
  const read = readCore(first, task.voice);
  if (!read) return undefined;
  const request = thankedLast(read.phrase(voice, read.core, random(`revoice ${seed} ${task.id}`)), rest);
  // A bare question is one of more registers than one.
  const same = request === task.request;
  if (same && voice.register === task.voice.register) return undefined;
  // Words that are others are a rule's now.
  const words = same || task.cell.words === undefined ? {} : { words: "templated" };
  const cell = { ...task.cell, persona: voice.persona, register: voice.register, ...words };
  return { ...task, cell, voice: storedVoice(voice), request };
}
