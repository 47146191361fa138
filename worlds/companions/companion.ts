import { equalJson, type Json, type JsonObject } from "../json.ts";
import { isErrorClass, NO_CHANGES } from "../replies.ts";
import type { WorldAnswer } from "../world-api.ts";

/** A world that makes the calls of another one too. */
export interface Follower {
  call(tool: string, args: JsonObject, by: "user"): WorldAnswer;
  /** Puts its newest call right: refused, it changed nothing; else nobody knows what it changed. */
  correct(refused: boolean): void;
  reset(): void;
}

/** A call with what it was answered in the end; `ok` is undefined where it was not. */
interface Answered {
  readonly tool: string;
  readonly args: JsonObject;
  readonly value: Json;
  readonly ok: boolean | undefined;
}

/**
 * Another way to explain the service, which goes along with a session. It is asked where the world's own behaviours have no
 * answer, and hears every answer that was given: where that is not its own, what the call may have changed is unknown to
 * it. Calls are made when something is asked, so a world that needs no other pays nothing.
 */
export class Companion {
  private readonly tools: ReadonlySet<string>;
  private readonly world: Follower;
  private readonly answered: Answered[] = [];
  private made = 0;
  private newest: WorldAnswer | undefined;

  /** `tools` are those that it answers for. */
  constructor(tools: ReadonlySet<string>, world: Follower) {
    this.tools = tools;
    this.world = world;
  }

  /** Its answer to the next call of the session, which is to be told what is answered; undefined where it has none. */
  answer(tool: string, args: JsonObject): WorldAnswer | undefined {
    if (!this.tools.has(tool)) return undefined;
    for (; this.made < this.answered.length; this.made++) {
      const { tool, args } = this.answered[this.made] as Answered;
      this.settle(this.world.call(tool, args, "user"), this.answered[this.made] as Answered);
    }
    this.newest = this.world.call(tool, args, "user");
    return this.newest.servedBy === "gap" ? undefined : { ...this.newest, changes: NO_CHANGES };
  }

  /** Tells the next call and its answer. */
  hear(call: Answered): void {
    this.answered.push(call);
    if (this.newest === undefined) return;
    this.settle(this.newest, call);
    this.newest = undefined;
    this.made++;
  }

  private settle(own: WorldAnswer, { value, ok }: Answered): void {
    const silent = own.servedBy === "gap";
    if (silent && ok !== false) return;
    const succeeded = !own.isError && !isErrorClass(own.answerClass);
    if (!silent && succeeded === ok && equalJson(own.value, value)) return;
    this.world.correct(ok === false);
  }

  /** Takes the newest call back. */
  undo(): void {
    this.answered.pop();
    if (this.made > this.answered.length) this.begin();
  }

  /** Back to the start of the session. */
  reset(): void {
    this.answered.length = 0;
    this.begin();
  }

  private begin(): void {
    this.world.reset();
    this.made = 0;
    this.newest = undefined;
  }
}
