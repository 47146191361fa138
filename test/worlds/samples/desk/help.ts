import { readFileSync } from "node:fs";

const at = (name: string) => new URL(`../../../../worlds/samples/desk/${name}`, import.meta.url);

/** A recorded call of the sample with what the desk answered. */
export interface RecordedCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly text: string;
  readonly isError: boolean;
}

export interface RecordedSession {
  readonly line: string;
  readonly task: string;
  readonly request: string;
  readonly reward: number;
  readonly calls: readonly RecordedCall[];
}

interface Block {
  readonly type: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly content: readonly { readonly text: string }[];
  readonly is_error?: boolean;
}

/** The committed recordings, calls paired with their answers. */
export function recordedSessions(): RecordedSession[] {
  const lines = readFileSync(at("traces.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const row = JSON.parse(line) as { task_id: string; reward: number; messages: { content: string | Block[] }[] };
    const blocks = row.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const calls: RecordedCall[] = [];
    for (const [i, block] of blocks.entries()) {
      if (block.type !== "tool_use") continue;
      const result = blocks[i + 1] as Block;
      calls.push({
        tool: block.name,
        args: block.input,
        text: result.content[0]?.text ?? "",
        isError: result.is_error === true,
      });
    }
    const [first] = row.messages;
    return { line, task: row.task_id, request: String(first?.content), reward: row.reward, calls };
  });
}

/** The committed tool listing. */
export function recordedTools(): unknown[] {
  return (JSON.parse(readFileSync(at("tools.json"), "utf8")) as { tools: unknown[] }).tools;
}
