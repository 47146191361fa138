/** What a person fills in before a call that discards what cannot be had back. */
export const CONFIRM_SCHEMA: {
  readonly type: "object";
  readonly properties: Record<"confirm", { type: "boolean"; title: string; description: string }>;
  readonly required: string[];
} = {
  type: "object",
  properties: { confirm: { type: "boolean", title: "Do it", description: "Nothing is done where this is off." } },
  required: ["confirm"],
};

const REASON = "The person who was asked did not confirm; nothing was done. Do not call it again unless they ask.";

/** The answer of a call that was not confirmed. */
export const DECLINED = {
  content: [{ type: "text", text: JSON.stringify({ error: "conflict", reason: REASON }) }],
  isError: true,
} as const;

/** How much of the arguments a person is shown. */
const SHOWN = 300;

/** What a person is asked before a destructive call. */
export function confirmQuestion(name: string, title: string, args: unknown): string {
  const text = JSON.stringify(args) ?? "{}";
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `${title} (${name})? It discards what cannot be had back. Arguments: ${shown}`;
}

/** Whether an answer to the question is a yes. */
export function isConfirmed(answer: unknown): boolean {
  const { action, content } = Object(answer) as { action?: unknown; content?: unknown };
  return action === "accept" && (Object(content) as { confirm?: unknown }).confirm === true;
}
