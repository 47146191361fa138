import { CONFIRM_SCHEMA, confirmQuestion, DECLINED, isConfirmed } from "../mcp/confirm.ts";
import type { RpcMessage } from "../mcp/rpc-headers.ts";

/** A tool as far as it says what it does. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

/**
 * Asks the person at a client before destructive calls, where the client said at its start that it can (elicitation of
 * 2025-06-18 and later). Later revisions carry the question in the answer, and are not asked here.
 */
export class Asks {
  readonly #write: (message: Record<string, unknown>) => void;
  readonly #tools: () => Promise<readonly ListedTool[]>;
  readonly #waiting = new Map<string, (answer: unknown) => void>();
  #can = false;
  #listed: Promise<readonly ListedTool[]> | undefined;
  #count = 0;

  constructor(write: (message: Record<string, unknown>) => void, tools: () => Promise<readonly ListedTool[]>) {
    this.#write = write;
    this.#tools = tools;
  }

  /** Takes note of what a client can; whether a message was the answer to a question. */
  take({ id, method, params, result }: RpcMessage): boolean {
    if (method === "initialize")
      this.#can = (Object(params?.capabilities) as { elicitation?: unknown }).elicitation !== undefined;
    const answered = method === undefined ? this.#waiting.get(String(id)) : undefined;
    answered?.(result);
    return answered !== undefined;
  }

  /** The answer of a call that its person did not confirm; undefined where it may go on. */
  async refusal({ method, params }: RpcMessage, signal: AbortSignal): Promise<object | undefined> {
    if (!this.#can || method !== "tools/call") return undefined;
    const { name, arguments: args } = params as { name?: unknown; arguments?: Record<string, unknown> };
    this.#listed ??= this.#tools().catch((error: Error) => {
      this.#listed = undefined;
      throw error;
    });
    const tool = (await this.#listed).find((each) => each.name === name);
    if (!tool || tool.annotations?.readOnlyHint || tool.annotations?.destructiveHint === false) return undefined;
    // Through this one anything is called: a destructive operation names itself once more.
    const through = tool.name === "call_operation";
    if (through && (args?.confirm === undefined || args.confirm !== args.name)) return undefined;
    const wanted = through ? String(args?.name) : tool.name;
    const question = confirmQuestion(wanted, tool.title ?? wanted, through ? args?.arguments : args);
    return isConfirmed(await this.#ask(question, signal)) ? undefined : DECLINED;
  }

  #ask(message: string, signal: AbortSignal): Promise<unknown> {
    this.#count += 1;
    const id = `ask-${this.#count}`;
    return new Promise((answered) => {
      const end = (answer: unknown) => {
        this.#waiting.delete(id);
        signal.removeEventListener("abort", gone);
        answered(answer);
      };
      const gone = () => end(undefined);
      signal.addEventListener("abort", gone);
      this.#waiting.set(id, end);
      this.#write({ id, method: "elicitation/create", params: { message, requestedSchema: CONFIRM_SCHEMA } });
    });
  }
}
