import type { Json, JsonObject } from "../../json.ts";
import type { World } from "../../world-api.ts";
import { fold, humanize, singular, stems } from "../checks/words.ts";
import { leaves, nameScore } from "../leaves.ts";
import { contentWords, findInList, findValue } from "../rule/answers.ts";
import { argumentFrom, type Entities, entitiesOf, idNouns } from "../rule/entities.ts";
import type { FinishedTrial } from "../schema.ts";
import { type Param, paramsOf, type ToolView } from "../surface.ts";
import { playCall } from "../trial.ts";
import type { UserByRule } from "../user/reply.ts";

const READS =
  /^(?:get|find|search|list|look|lookup|fetch|query|read|show|check|calculate|count|view|retrieve|describe)/i;
const MOST_CALLS = 24;

function viewsOf(world: World): ToolView[] {
  return world.tools.map((tool) => {
    const hint = tool.annotations?.readOnlyHint;
    return {
      name: tool.name,
      tool,
      effect: (hint ?? READS.test(tool.name)) ? ("read" as const) : ("write" as const),
      params: paramsOf(tool.inputSchema as JsonObject),
    };
  });
}

/** One session of the rule agent on a world: what it called, and what it knows by then. */
class Session {
  readonly #world: World;
  readonly #tools: readonly ToolView[];
  readonly calls: FinishedTrial["calls"] = [];
  /** Where the calls for the wish at hand begin: what was read for another one says nothing of this one. */
  #since = 0;
  readonly #idf: ReadonlyMap<string, number>;
  readonly #nouns: ReadonlySet<string>;

  constructor(world: World) {
    this.#world = world;
    this.#tools = viewsOf(world);
    this.#nouns = idNouns(this.#tools);
    const counts = new Map<string, number>();
    for (const view of this.#tools)
      for (const word of new Set(this.#wordsOf(view))) counts.set(word, (counts.get(word) ?? 0) + 1);
    this.#idf = new Map([...counts].map(([word, n]) => [word, Math.log(1 + this.#tools.length / n)]));
  }

  #wordsOf(view: ToolView): string[] {
    const first = (view.tool.description ?? "").split(/(?<=[.!])\s|\n/)[0] ?? "";
    return [...stems(view.name), ...contentWords(first)];
  }

  #score(view: ToolView, asked: readonly string[]): number {
    const name = new Set(stems(view.name));
    const about = new Set(this.#wordsOf(view));
    let score = 0;
    for (const word of new Set(asked)) {
      const weight = this.#idf.get(word) ?? 0;
      if (about.has(word)) score += weight;
      if (name.has(word)) score += weight;
    }
    return score / Math.sqrt(about.size);
  }

  #call(view: ToolView, args: JsonObject): FinishedTrial["calls"][number] | undefined {
    const known = this.calls
      .slice(this.#since)
      .find((c) => c.tool === view.name && JSON.stringify(c.args) === JSON.stringify(args));
    if (known && view.effect === "read") return known;
    if (this.calls.length >= MOST_CALLS) return undefined;
    const call = playCall(this.#world, view.name, args);
    this.calls.push(call);
    return call;
  }

  get #results(): Json[] {
    return this.calls
      .slice(this.#since)
      .filter((c) => c.answer_class === "data" && !c.changed)
      .map((c) => c.answer as Json);
  }

  #fromResults(param: Param, text: string): unknown {
    const folded = fold(text);
    let best: { score: number; value: unknown } | undefined;
    for (const result of [...this.#results].reverse()) {
      const all = leaves(result);
      if (typeof result === "string" && /\bid\b/.test(humanize(param.name))) return result;
      for (const leaf of all) {
        if (leaf.value === null || (param.type === "string" && typeof leaf.value !== "string")) continue;
        let score = nameScore(param.name.replace(/s$/, ""), leaf.name);
        if (score < 2) continue;
        if (leaf.generic.includes("[*]")) {
          const prefix = leaf.path.replace(/(?:\.|^)[^.[\]]*$/, "");
          const near = all.filter(
            (l) => l.path.startsWith(prefix) && typeof l.value === "string" && l.value !== leaf.value,
          );
          const said = near.some((l) => folded.includes(fold(humanize(String(l.value)))) && String(l.value).length > 3);
          const peers = new Set(all.filter((l) => l.generic === leaf.generic).map((l) => l.value));
          if (!said && peers.size > 1) continue;
          score += said ? 1 : 0;
        }
        if (score > (best?.score ?? 1.5)) best = { score, value: leaf.value };
      }
    }
    return best?.value;
  }

  /** Arguments for a tool from the text and what was read; undefined parameters are named in `missing`. */
  #fill(view: ToolView, text: string, found: Entities): { args: JsonObject; missing: Param[] } {
    const args: JsonObject = {};
    const missing: Param[] = [];
    const used = new Set<string>();
    for (const param of view.params) {
      let value = argumentFrom(text, param, view, found, used, this.#nouns);
      if (value === undefined && param.required) value = this.#fromResults(param, text);
      if (value !== undefined && param.type === "array" && !Array.isArray(value)) value = [value];
      if (value === undefined) {
        if (param.required) missing.push(param);
        continue;
      }
      if (typeof value === "string") used.add(value);
      args[param.name] = value as Json;
    }
    return { args, missing };
  }

  /** Calls the reads that the text feeds, then those that their results feed, best named first. */
  gather(text: string, found: Entities, rounds: number, about: readonly string[]): void {
    for (let round = 0; round < rounds; round += 1) {
      const before = this.calls.length;
      const ranked = this.#tools
        .filter((t) => t.effect === "read" && t.params.some((p) => p.required))
        .map((view) => ({ view, score: this.#score(view, about) }))
        .sort((a, b) => b.score - a.score);
      for (const { view } of ranked) {
        const { args, missing } = this.#fill(view, text, found);
        if (
          missing.length > 0 ||
          this.calls
            .slice(this.#since)
            .some((c) => c.tool === view.name && JSON.stringify(c.args) === JSON.stringify(args))
        )
          continue;
        this.#call(view, args);
      }
      if (this.calls.length === before) break;
    }
  }

  /** Answers a question from what can be read. */
  answer(text: string, context: string): FinishedTrial["answers"][number] {
    const found = entitiesOf(context);
    this.gather(context, found, 3, contentWords(context));
    const results = this.#results;
    const listed = findInList(text, results);
    if (listed !== undefined)
      return { text: listed, class: listed === "There are none." ? "said_no_data" : "answered" };
    const value = findValue(text, results);
    if (value && !value.empty) return { text: value.text, class: "answered" };
    if (results.length === 0 && this.calls.length === 0)
      return { text: "Could you please tell me more: which id or name should I look up?", class: "none" };
    return { text: "I could not find any record of that.", class: "said_no_data" };
  }

  /** Carries out one wish, or says why not, or asks for what is missing. */
  act(text: string, context: string): FinishedTrial["answers"][number] {
    this.#since = this.calls.length;
    const asked = contentWords(text);
    const writes = this.#tools
      .filter((t) => t.effect === "write")
      .map((view) => ({ view, score: this.#score(view, asked) }));
    const [best] = writes.sort((a, b) => b.score - a.score);
    if (!best || best.score <= 0) return this.answer(text, context);
    const found = entitiesOf(text);
    let { args, missing } = this.#fill(best.view, text, found);
    if (missing.length > 0) {
      this.gather(text, found, 2, asked);
      ({ args, missing } = this.#fill(best.view, text, found));
    }
    const [open] = missing;
    if (open) {
      const words = humanize(open.name);
      return {
        text: `Which ${singular(words.replace(/ ids?$/, ""))} do you mean? Please tell me the ${words}.`,
        class: "none",
      };
    }
    const call = this.#call(best.view, args);
    if (!call || call.is_error || call.answer_class.startsWith("error:") || call.answer_class === "refused") {
      return { text: "I'm sorry, but I can't do that: the request was refused.", class: "refused" };
    }
    return { text: "Done: the change has been made as you asked.", class: "answered" };
  }
}

const QUESTION = /\?|^\s*(?:what|which|who|when|where|how|need the|i'd like to know)\b/i;
const WISH = /\b(?:i'd like to|i would like to|i want to|i need to|could you please|please|can you)\b/i;
const INQUIRY = /\b(?:tell me|know|look up|checking|what is|what do|which|need the)\b/i;

/** Whether a sentence asks to be told something rather than for something to be done. */
function asksToKnow(sentence: string): boolean {
  if (INQUIRY.test(sentence)) return true;
  return QUESTION.test(sentence) && !WISH.test(sentence);
}

/**
 * The `rule` harness: a keyless, deterministic agent that knows nothing of the surface but its listing. It reads ids,
 * dates and labelled values from the text, picks tools by shared words, chains lookups, and answers from the results.
 * What it asks `user` is answered, and it tries again with that.
 */
export function playRule(world: World, turns: readonly string[], user?: UserByRule): FinishedTrial {
  const session = new Session(world);
  const answers: FinishedTrial["answers"] = [];
  let context = "";
  const next = () => user?.reply(answers, session.calls.length);
  for (const turn of turns) {
    context = context === "" ? turn : `${context}\n${turn}`;
    if (asksToKnow(turn)) {
      answers.push(session.answer(turn, context));
      continue;
    }
    const parts = turn.split(/(?<=[.!?])\s+(?=(?:Also|And then|Then|In addition)\b)/);
    const said = parts.map((part) => session.act(parts.length > 1 ? part : turn, part));
    const worst = said.find((a) => a.class !== "answered") ?? said.at(-1);
    answers.push({ text: said.map((a) => a.text).join(" "), ...(worst?.class ? { class: worst.class } : {}) });
  }
  for (let reply = next(); reply !== undefined; reply = next()) {
    context = `${context}\n${reply}`;
    answers.push(asksToKnow(turns[0] ?? "") ? session.answer(context, context) : session.act(context, context));
  }
  return { calls: session.calls, answers, diff: world.diff(), ...user?.kept };
}
