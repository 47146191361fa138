import type { BaseState, Bundle } from "../bundle.ts";
import type { Call, Session } from "../compile/observations.ts";
import { canonicalJson } from "../digest.ts";
import type { Floor, FloorSession } from "../floor/index.ts";
import { taskOf } from "../floor/index.ts";
import type { Json, JsonObject } from "../json.ts";
import { Starts } from "../starts.ts";
import type { World, WorldAnswer } from "../world-api.ts";

/** What a call was answered. */
export interface Served {
  readonly value: Json;
  readonly ok: boolean;
  readonly answerClass: string;
  /** What answered, where that is known. */
  readonly layer?: string;
  /** Promised share of right answers, 0..1, where one is promised. */
  readonly confidence?: number;
}

/** One session of something that answers calls. Undefined stands for a call that is not served. */
export interface Answerer {
  call(tool: string, args: JsonObject, by?: "user"): Served | undefined;
  /** Tells what the system answered the newest call, in the answerer's own ids. */
  hear?(tool: string, args: JsonObject, observed: Served): void;
  /** The best answer to a question whatever it is worth, before the call is made. */
  guess?(tool: string, args: JsonObject): Served | undefined;
}

/** Something that answers calls, by session. */
export interface Answering {
  start(session: Pick<Session, "id" | "group">): Answerer;
}

/** A world may carry these on an answer. */
type AnnotatedAnswer = WorldAnswer & { readonly layer?: string; readonly confidence?: number };
/** A world may hear what the system answered its newest call. */
type Hearing = World & { hear?(tool: string, args: JsonObject, observed: Pick<Served, "value" | "ok">): void };

export function succeeded(answer: Pick<WorldAnswer, "isError" | "answerClass">): boolean {
  return !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
}

/** A compiled world, each session on a fresh fork as its task starts. */
export class CompiledWorld implements Answering {
  private readonly starts: Starts;

  constructor(compiled: { readonly bundle: Bundle; readonly base: BaseState }) {
    this.starts = new Starts(compiled);
  }

  start({ group }: Pick<Session, "group">): Answerer {
    const world: Hearing = this.starts.fresh(group);
    const { hear } = world;
    return {
      call(tool, args, by) {
        const answer: AnnotatedAnswer = world.call(tool, args, by);
        if (answer.servedBy === "gap" || answer.answerClass === "error:not_served") return undefined;
        const { value, answerClass, servedBy, layer = servedBy, confidence } = answer;
        const ok = succeeded(answer);
        return { value, ok, answerClass, layer, ...(confidence === undefined ? {} : { confidence }) };
      },
      ...(hear === undefined ? {} : { hear: (tool, args, observed) => hear.call(world, tool, args, observed) }),
    };
  }
}

const questionOf = ({ tool, args }: Pick<Call, "tool" | "args">) => `${tool}\n${canonicalJson(args)}`;
const served = ({ value, ok, answerClass }: Call): Served => ({ value, ok, answerClass });

/** A plain recording: the last answer that training saw to the same question. */
export class Recording implements Answering {
  private readonly answers = new Map<string, Call>();

  constructor(train: readonly Session[]) {
    for (const { calls } of train) for (const call of calls) this.answers.set(questionOf(call), call);
  }

  held(call: Pick<Call, "tool" | "args">): Call | undefined {
    return this.answers.get(questionOf(call));
  }

  start(): Answerer {
    return {
      call: (tool, args) => {
        const held = this.held({ tool, args });
        return held && served(held);
      },
    };
  }
}

/** A recording that counts: the n-th time a session asks the same, what the newest session that asked so often was answered then. */
export class CountedRecording implements Answering {
  private readonly answers = new Map<string, Call[]>();

  constructor(train: readonly Session[]) {
    for (const { calls } of train) {
      const asked = new Map<string, number>();
      for (const call of calls) {
        const question = questionOf(call);
        const n = asked.get(question) ?? 0;
        asked.set(question, n + 1);
        const list = this.answers.get(question) ?? [];
        this.answers.set(question, list);
        list[n] = call;
      }
    }
  }

  start(): Answerer {
    const asked = new Map<string, number>();
    return {
      call: (tool, args) => {
        const question = questionOf({ tool, args });
        const n = asked.get(question) ?? 0;
        asked.set(question, n + 1);
        const list = this.answers.get(question);
        const held = list?.[Math.min(n, list.length - 1)];
        return held && served(held);
      },
    };
  }
}

/** The answer that training saw most often of each tool, whatever is asked. */
export class Constants implements Answering {
  private readonly best = new Map<string, Call>();

  constructor(train: readonly Session[]) {
    const counts = new Map<string, Map<string, number>>();
    const top = new Map<string, number>();
    for (const { calls } of train)
      for (const call of calls) {
        const own = counts.get(call.tool) ?? new Map<string, number>();
        counts.set(call.tool, own);
        const answer = `${call.ok}\n${canonicalJson(call.value)}`;
        const n = (own.get(answer) ?? 0) + 1;
        own.set(answer, n);
        if (n <= (top.get(call.tool) ?? 0)) continue;
        top.set(call.tool, n);
        this.best.set(call.tool, call);
      }
  }

  start(): Answerer {
    return {
      call: (tool) => {
        const best = this.best.get(tool);
        return best && served(best);
      },
    };
  }
}

/** The calibrated floor. */
export class FloorAnswering implements Answering {
  private readonly floor: Floor;

  constructor(floor: Floor) {
    this.floor = floor;
  }

  start(session: Pick<Session, "id" | "group">): Answerer {
    const follower: FloorSession = this.floor.session(taskOf(session));
    const told = (answer: ReturnType<FloorSession["answer"]>): Served | undefined => {
      if (answer === undefined) return undefined;
      const { value, ok, answerClass, level: layer, confidence } = answer;
      return { value, ok, answerClass, layer, confidence };
    };
    return {
      call: (tool, args) => {
        const answer = told(follower.answer({ tool, args }));
        follower.note({ tool, args }, answer);
        return answer;
      },
      guess: (tool, args) => told(follower.guess({ tool, args })),
    };
  }
}
