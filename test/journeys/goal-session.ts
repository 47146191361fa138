import { NO_LIMIT_MS } from "../hangs.ts";
import type { TestMcp } from "../helpers/app.ts";

/** What a tool answered: refused or not, the body where it has one, and all text. */
export interface Reply {
  readonly refused: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many tools; a wrong name fails the goal.
  readonly body: any;
  readonly text: string;
}

/** A client that knows no more than `tools/list` of the core list: what is not listed it looks for by words, and counts each call. */
export class GoalSession {
  readonly transcript: string[] = [];
  readonly #mcp: TestMcp;
  readonly #listed: ReadonlySet<string>;
  readonly #found = new Map<string, string>();

  constructor(mcp: TestMcp, listed: ReadonlySet<string>) {
    this.#mcp = mcp;
    this.#listed = listed;
  }

  /** Calls the tool wanted: by itself where it is listed; else only if these words find it, as what was found says. */
  async use(tool: string, args: Record<string, unknown> = {}, words = ""): Promise<Reply> {
    if (this.#listed.has(tool)) return this.#call(tool, args);
    const { operations } = JSON.parse((await this.#call("find_operations", { query: words })).text) as {
      operations: { name: string; call: string; confirm?: string }[];
    };
    const found = operations.find(({ name }) => name === tool);
    if (!found) throw new Error(`"${words}" finds ${operations.map(({ name }) => name)}, not ${tool}`);
    this.#found.set(tool, found.call);
    const confirm = found.confirm === undefined ? {} : { confirm: found.confirm };
    return this.#call(found.call, { name: tool, arguments: args, ...confirm });
  }

  /** Calls a tool once more that a search found already. */
  async again(tool: string, args: Record<string, unknown>): Promise<Reply> {
    const call = this.#found.get(tool);
    return call === undefined ? this.#call(tool, args) : this.#call(call, { name: tool, arguments: args });
  }

  /** Puts back what a goal changed, for the goals after it. */
  async uncounted(tool: string, args: Record<string, unknown>): Promise<void> {
    const count = this.transcript.length;
    const call = this.#listed.has(tool) ? tool : "call_operation";
    await this.#call(call, call === tool ? args : { name: tool, arguments: args });
    this.transcript.length = count;
  }

  /** Whether the list has a search over all operations. */
  get searches(): boolean {
    return this.#listed.has("find_operations");
  }

  /** Asks until it has ended; counts as one call, however often it asks. */
  async until(
    tool: string,
    args: Record<string, unknown>,
    ended: (reply: Reply) => boolean,
    words?: string,
  ): Promise<Reply> {
    let reply = await this.use(tool, args, words);
    const count = this.transcript.length;
    while (!ended(reply)) {
      await new Promise((later) => setTimeout(later, 100));
      reply = await this.again(tool, args);
      this.transcript.length = count;
    }
    return reply;
  }

  async #call(name: string, args: Record<string, unknown>): Promise<Reply> {
    this.transcript.push(`${name} ${JSON.stringify(args)}`);
    const { content, structuredContent, isError } = await this.#mcp.client.callTool(
      { name, arguments: args },
      undefined,
      {
        timeout: NO_LIMIT_MS,
      },
    );
    const text = (content as { text?: string; resource?: { text?: string } }[])
      .map((part) => part.text ?? part.resource?.text ?? "")
      .join("\n");
    // The count is of calls: what a refusal said stands in the line of its own.
    if (isError) this.transcript[this.transcript.length - 1] += ` -> ${text}`;
    const body = isError ? undefined : bodyOf(structuredContent, text);
    return { refused: isError === true, body, text };
  }
}

function bodyOf(structured: unknown, text: string): unknown {
  if (structured !== undefined) return (structured as { body?: unknown }).body;
  try {
    return (JSON.parse(text) as { body?: unknown }).body;
  } catch {
    return undefined;
  }
}
