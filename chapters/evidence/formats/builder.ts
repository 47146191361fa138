import { answerClass, isPlainlyData, parseResult } from "../../../worlds/answers.ts";
import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { CanonicalTrace, TraceCall } from "../../records/evidence/evidence.ts";
import { finalAnswerClass } from "../traces/final-answer.ts";
import type { Reading } from "./format.ts";
import { defined, fromJson, list, object, text, writtenObject } from "./values.ts";

/** A tool call as a source tells it. `args` may be a JSON text. */
export interface CallMade {
  readonly tool: string;
  readonly args: unknown;
  readonly id?: string | undefined;
  readonly requestor?: "assistant" | "user" | undefined;
}

/** A tool's answer as a source tells it. `failed` is the source's own error flag. */
export interface CallAnswered {
  readonly id?: string | undefined;
  readonly tool?: string | undefined;
  readonly result: unknown;
  readonly failed?: boolean | undefined;
  readonly ms?: number | undefined;
}

/** What a trace says beside its turns and calls. */
export interface TraceFacts {
  readonly session: string;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly labels: Record<string, string>;
  readonly outcome?: CanonicalTrace["outcome"] | undefined;
  readonly usage?: CanonicalTrace["usage"] | undefined;
  readonly costUsd?: number | undefined;
  readonly tools?: CanonicalTrace["tools"] | undefined;
  /** Where the source names it; else the last assistant turn's text. */
  readonly finalAnswer?: string | undefined;
  /** What the program around the agent gave back: the answer where the turns show none. */
  readonly returned?: string | undefined;
}

type Turn = CanonicalTrace["turns"][number];

interface OpenCall {
  readonly made: CallMade;
  args: TraceCall["args"];
  /** The index of the turn that made it; -1 before the first. */
  readonly turn: number;
  answer: CallAnswered | undefined;
}

/** Puts one canonical trace together from turns, calls and answers in the order they happened. */
export class TraceBuilder {
  readonly #reading: Reading;
  readonly #turns: Turn[] = [];
  readonly #calls: OpenCall[] = [];
  /** The newest call of each id. */
  readonly #byId = new Map<string, OpenCall>();
  #lastCallTurn = -1;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** How many turns and calls there are so far. */
  get size(): number {
    return this.#turns.length + this.#calls.length;
  }

  turn(role: Turn["role"], words: string, at?: number | undefined): void {
    this.#turns.push(at === undefined ? { role, text: words } : { role, text: words, at });
  }

  /** A call by the turn before it. One that is told again before it is answered is one call; its fuller arguments count. */
  call(made: CallMade): void {
    const turn = this.#turns.length - 1;
    this.#lastCallTurn = turn;
    const args = this.#args(made.args);
    const known = made.id === undefined ? undefined : this.#byId.get(made.id);
    if (known && isRepeatedCall(known, made, args)) {
      if (isEmpty(known.args)) known.args = args;
      return;
    }
    const call: OpenCall = { made, args, turn, answer: undefined };
    this.#calls.push(call);
    if (made.id !== undefined) this.#byId.set(made.id, call);
  }

  /** The answer of the newest open call with that id, else of the oldest open call of that tool, else of the oldest open one. */
  answer(given: CallAnswered): void {
    const call = this.#openCall(given);
    if (call) call.answer = given;
    else if (isUnique(given.id) && this.#calls.some(({ made }) => made.id === given.id)) return;
    else this.#reading.lose("answer_without_call");
  }

  build(facts: TraceFacts): CanonicalTrace {
    const request = this.#turns.find((turn) => turn.role === "user")?.text ?? "";
    const final = facts.finalAnswer ?? this.#final() ?? facts.returned ?? null;
    return {
      v: 1,
      session: facts.session,
      ...defined({ started_at: facts.startedAt, ended_at: facts.endedAt }),
      request,
      turns: this.#turns,
      calls: this.#calls.map(finished),
      final_answer: final,
      final_answer_class: finalAnswerClass(final),
      ...defined({ usage: facts.usage, cost_usd: facts.costUsd }),
      labels: facts.labels,
      ...defined({ outcome: facts.outcome, tools: facts.tools }),
    };
  }

  /** The last assistant turn's words, unless it only made calls; what it gave a tool for final answers. */
  #final(): string | null {
    const at = this.#turns.findLastIndex(({ role }) => role === "assistant");
    const given = at <= this.#lastCallTurn ? givenAsArgument(this.#calls.at(-1)) : undefined;
    return given ?? (at === this.#lastCallTurn ? null : (text(this.#turns[at]?.text) ?? null));
  }

  #openCall(given: CallAnswered): OpenCall | undefined {
    if (given.id !== undefined) {
      const byId = this.#calls.findLast(({ made, answer }) => !answer && made.id === given.id);
      if (byId) return byId;
      if (this.#calls.some(({ made, answer }) => !answer && made.id !== undefined)) return undefined;
    }
    const open = this.#calls.filter((call) => !call.answer);
    return open.find(({ made }) => made.tool === given.tool) ?? (given.tool === undefined ? open[0] : undefined);
  }

  #args(given: unknown): Record<string, unknown> {
    const value = given === "" ? {} : fromJson(given);
    const args = writtenObject(value);
    if (args) return args;
    if (value === null || value === undefined) return {};
    this.#reading.lose("arguments_not_an_object");
    return { _unparsed: value };
  }
}

/** Tools by which frameworks let a model give its final answer. */
const FINAL_TOOL = /^final_?(?:result|answer|response|output)$/i;
const ANSWER_KEY = /^(?:answer|response|text|message|comment|content|output|result|summary)$/i;
/** What frameworks answer such a call with, where they answer it. */
const NOTHING: ReadonlySet<unknown> = new Set([undefined, null, "", "null", "None", "Final result processed."]);

/** The words of a final answer that was given as the arguments of a call of which nothing came. */
function givenAsArgument(call: OpenCall | undefined): string | undefined {
  if (!call || !FINAL_TOOL.test(call.made.tool) || !NOTHING.has(call.answer?.result)) return undefined;
  const [only] = Object.values(call.args);
  const given = (Object.keys(call.args).length === 1 && object(only)) || call.args;
  const said = Object.entries(given).filter((entry): entry is [string, string] => text(entry[1]) !== undefined);
  const named = said.find(([key]) => ANSWER_KEY.test(key)) ?? (said.length === 1 ? said[0] : undefined);
  return named?.[1];
}

/** Ids that the provider's service makes; those of others are made by models, which use one again for another call. */
function isUnique(id: string | undefined): boolean {
  return id?.startsWith("toolu_") === true || id?.startsWith("srvtoolu_") === true;
}

function isRepeatedCall(known: OpenCall, made: CallMade, args: TraceCall["args"]): boolean {
  if (known.made.tool !== made.tool) return false;
  if (isUnique(made.id)) return true;
  return (
    !known.answer && made.id !== "" && (isEmpty(known.args) || JSON.stringify(known.args) === JSON.stringify(args))
  );
}

function isEmpty(args: TraceCall["args"]): boolean {
  return Object.keys(args).length === 0;
}

function finished({ made, args, turn, answer }: OpenCall): TraceCall {
  const result = answer?.result ?? null;
  const failed = answer?.failed === true;
  const pending = answer === undefined;
  const plain = !failed && !pending && isPlainlyData(result as Json);
  const parsed = plain ? undefined : parseResult(result as Json);
  const call = (made.id === undefined ? {} : { span: made.id }) as TraceCall;
  if (made.requestor !== undefined) call.requestor = made.requestor;
  call.tool = made.tool;
  call.args = args;
  call.result = result;
  call.is_error = failed || parsed?.flagged === true;
  if (turn >= 0) call.turn = turn;
  if (answer?.ms !== undefined) call.ms = answer.ms;
  call.answer_class = parsed ? answerClass(parsed, failed, { pending }) : "data";
  return call;
}

const OMITTED: Readonly<Record<string, string>> = {
  image: "image",
  image_url: "image",
  input_image: "image",
  audio: "audio",
  input_audio: "audio",
  file: "file",
  document: "file",
  blob: "file",
  uri: "file",
  thinking: "reasoning",
  redacted_thinking: "reasoning",
  reasoning: "reasoning",
};

/** The words of a message's content: a string, or a list of parts. What is not words is counted; tool parts are the caller's. */
export function wordsOf(content: unknown, reading: Reading): string {
  if (typeof content === "string") return content;
  const words: string[] = [];
  for (const part of list(content)) {
    if (typeof part === "string") words.push(part);
    const block = object(part);
    if (!block || isToolPart(block)) continue;
    const said = OMITTED[String(block.type)]
      ? undefined
      : (text(block.text) ?? text(block.content) ?? text(block.refusal));
    if (said !== undefined) words.push(said);
    else if (block.text !== "" && block.content !== "") reading.lose(`part_${OMITTED[String(block.type)] ?? "other"}`);
  }
  return words.join("\n");
}

const TOOL_PARTS = new Set([
  "tool_use",
  "tool_result",
  "tool_call",
  "tool_call_response",
  "function_call",
  "function_call_output",
  "tool-call",
  "tool-result",
]);

function isToolPart(part: JsonObject): boolean {
  return typeof part.type === "string" && TOOL_PARTS.has(part.type);
}
