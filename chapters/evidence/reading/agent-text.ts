import type { AgentIndicators } from "./agent-indicators.ts";

/** So much of a text is looked at, from its start. */
const MOST_TEXT = 2 * 1024 * 1024;
/** From this share of structure on a text is data and no prose that quotes some; less is needed of one without headings. */
const MOSTLY = 0.6;
const WITHOUT_HEADINGS = 0.3;

// Names and values may stand in quotes of any kind, escaped once or more, as JSON, YAML and prints of objects have them.
const Q = `[\\\\"'\`]{0,5}`;
const COLON = `${Q}\\s{0,4}[:=]\\s{0,4}${Q}`;
const own = (names: string, values: string) =>
  new RegExp(`(?<![\\w-])(?:${names})${COLON}(?:${values})(?![\\w-])`, "gi");
/** A name with a value on its line, or a list below it: in a schema it has neither. */
const named = (names: string, value: string) =>
  new RegExp(`(?<![\\w-])(?:${names})${Q}[ \\t]{0,4}[:=](?:[ \\t]{0,4}${Q}${value}|\\s*\\n\\s*- )`, "gi");

const AGENT = [
  own("role|from", "assistant|tool|model|ai|gpt|function"),
  own("type", "assistant|ai|gpt"),
  own("source", "agent|assistant"),
];
const USER = [own("role|from|type|source", "user|human|system|developer")];
const CALLS = [
  named(
    "tool_?calls?|tool_?use_?id|tool_?call_?id|tool_?invocations?|function_?calls?|function_?call_?output|tool_?use",
    "[^\\s,}]",
  ),
  own("type|kind", "tool[-_](?:use|call|result)|function_call(?:_output)?|tool-invocation"),
];
const TRACES = [named("trace_?id", "[\\w-]{6,}")];
const SPANS = [named("(?:parent_?)?span_?id", "[\\w-]{6,}")];
/** Names that only spans of agents carry. */
const ATTRIBUTES = [
  /(?<![\w.])(?:gen_ai\.(?:tool|operation|request|response|input|output|prompt|completion)|openinference\.span|llm\.(?:input|output)_messages)[\w.]*["'\\]{0,4}\s*[:,]/g,
];

/** The signs in a text that is no JSON: cut off at its start, YAML, lines with something before each value, printed objects. */
export function indicatorsInText(whole: string): AgentIndicators {
  const text = whole.slice(0, MOST_TEXT).replace(/^(```|~~~)[\s\S]*?^\1/gm, "");
  const none = { messages: 0, calls: 0, spans: 0, events: 0 };
  if (!isMostlyData(text)) return none;
  const agent = count(text, AGENT);
  const user = count(text, USER);
  const both = agent > 0 && user > 0;
  const calls = count(text, CALLS);
  const spans = Math.min(count(text, TRACES), count(text, SPANS)) + count(text, ATTRIBUTES);
  return {
    messages: both || agent > 1 ? agent + user : 0,
    calls: calls > 1 || (calls > 0 && agent + user > 0) ? calls : 0,
    spans,
    events: 0,
  };
}

function count(text: string, patterns: readonly RegExp[]): number {
  return patterns.reduce((sum, pattern) => sum + (text.match(pattern)?.length ?? 0), 0);
}

/** Lines of JSON, of YAML, or of values behind a prefix, by their characters. */
function isMostlyData(text: string): boolean {
  let data = 0;
  let all = 0;
  for (const line of text.split("\n")) {
    const words = line.trim();
    all += words.length;
    if (
      /^[{}[\]"',]|^- \w[\w.-]*:|^[\w."'-]+:(?:\s|$)|^(?:- |\\ )?\S*"?[\w-]+"?:|[{,]\s*\\*["']\w+\\*["']\s*:/.test(
        words,
      )
    )
      data += words.length;
  }
  return all > 0 && data >= (/^#{1,6} \S/m.test(text) ? MOSTLY : WITHOUT_HEADINGS) * all;
}

/** The signs that the columns of rows are: of messages, spans or calls. */
export function indicatorsOfColumns(columns: readonly string[], rows: readonly unknown[]): AgentIndicators {
  const has = (pattern: RegExp) => columns.some((column) => pattern.test(column.trim()));
  const n = rows.length;
  return {
    messages: has(/^role$/i) && has(/^(?:content|message|text)$/i) ? n : 0,
    calls:
      has(/^(?:tool_?calls?|tool_?call_?id|tool_?use_?id|function_?call)$/i) ||
      (has(/^(?:tool|tool_?name|function_?name)$/i) && has(/^(?:arguments|args|tool_?input|tool_?args)$/i))
        ? n
        : 0,
    spans: has(/^trace_?id$/i) && has(/^span_?id$/i) ? n : 0,
    events: 0,
  };
}
