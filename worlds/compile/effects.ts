import type { ToolDefinition } from "../bundle.ts";

const READS =
  /^(get|list|search|find|read|fetch|lookup|look|show|display|compare|convert|translate|measure|predict|forecast|query|describe|view|check|retrieve|load|count|calculate|compute|think|reason|is|has|can|who|what|which|where|estimate|preview|validate|verify|browse|inspect|status|summarize|open_nodes|ping|echo|whoami)(?![a-z])/;

/** Verbs after which what a name ends in says what is changed, not what is read. */
const WRITES =
  /^(add|append|apply|approve|archive|assign|cancel|change|clear|close|complete|create|delete|disable|edit|enable|insert|log|make|mark|modify|move|patch|post|put|remove|rename|replace|reset|resolve|restore|save|send|set|start|stop|submit|switch|toggle|unset|update|upsert|write)(?![a-z])/;

/** What a tool's name says of its effect, by its verb; a name that says nothing is a write, the careful reading. */
export function effectByName(tool: string): "read" | "write" {
  const last = tool.split(/[./:]/).at(-1) ?? tool;
  if (READS.test(last)) return "read";
  if (WRITES.test(last)) return "write";
  return /_(details|info|status|list|search|history)$/i.test(last) || /^(?!send|go|jump)[a-z]+_to_[a-z]+$/.test(last)
    ? "read"
    : "write";
}

/** More verbs of changing something. Some are nouns too, so a name that ends as a reading's does is one all the same. */
const MORE =
  "accept activate adjust allow attach authenticate authorize ban block book borrow buy charge confirm connect copy " +
  "deactivate decline decrease deny deposit detach dial dim discard disconnect dismiss dispatch drain drop " +
  "eject empty end engage enroll extend fill flag follow forward fund grant halt increase install invite " +
  "issue join kick leave lend lock login logout lower merge mount mute open order park pause pay pin place " +
  "play pour press publish purchase raise redeem refill refund register reject release renew reopen reply " +
  "reschedule reserve resize restart resume return retweet revoke ring rotate schedule sell share shift " +
  "shut snooze subscribe suspend swap tag terminate tip trade transfer trigger turn unblock undo unfollow " +
  "uninstall unlike unlink unlock unmute unpin unsubscribe upgrade upload withdraw";
const ACTS = new RegExp(
  `^(?:${MORE.replaceAll(" ", "|")})(?![a-z])|(?:_(?:log|sign)_?|(?:Log|Sign))(?:in|In|out|Out)$|(?:_a|A)uthenticate$`,
);

/** Whether a tool's name says that it changes something, by its verb. */
export const namedWriter = (tool: string): boolean => {
  const last = tool.split(/[./:]/).at(-1) ?? tool;
  return effectByName(tool) === "write" && (WRITES.test(last) || ACTS.test(last));
};

/** Whether a name's verb is one of those that also say that something is shown: to open a file, to press for an answer. */
export const isAmbiguous = (tool: string): boolean =>
  namedWriter(tool) && !WRITES.test(tool.split(/[./:]/).at(-1) ?? tool);

/** What a listing declares of a tool's effect, where it does. */
export function declaredEffect(tool: ToolDefinition | undefined): "read" | "write" | undefined {
  const hint = tool?.annotations?.readOnlyHint;
  return hint === undefined ? undefined : hint ? "read" : "write";
}
