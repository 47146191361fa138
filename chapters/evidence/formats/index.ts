import { type AppError, badRequest, unprocessable } from "../../errors.ts";
import { adk } from "./adk.ts";
import { agentdojo } from "./agentdojo.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { atif } from "./atif.ts";
import { claudeCode } from "./claude-code.ts";
import { html } from "./documents/html.ts";
import { openapi } from "./documents/openapi.ts";
import { pdf } from "./documents/pdf.ts";
import { records } from "./documents/records.ts";
import { markdown, plainText } from "./documents/texts.ts";
import { anthropicTools, mcpTools, openaiTools } from "./documents/tool-listings.ts";
import { exchanges } from "./exchanges.ts";
import type { Format, Sample } from "./format.ts";
import { har } from "./har.ts";
import { inspect } from "./inspect.ts";
import { obsSpans } from "./obs-spans.ts";
import { openaiChat } from "./openai-chat.ts";
import { otlp } from "./otlp.ts";
import { autogen } from "./sessions/autogen.ts";
import { codex } from "./sessions/codex.ts";
import { crewai } from "./sessions/crewai.ts";
import { geminiCli } from "./sessions/gemini-cli.ts";
import { geminiTelemetry } from "./sessions/gemini-telemetry.ts";
import { letta } from "./sessions/letta.ts";
import { openhands } from "./sessions/openhands.ts";
import { deepeval, promptfoo } from "./sessions/test-results.ts";
import { spanExports } from "./span-exports/index.ts";
import { sweAgent } from "./swe-agent.ts";
import { tauBench } from "./tau-bench.ts";
import { tau2 } from "./tau2.ts";
import { traceStore } from "./trace-store.ts";

/** Every format that can be read, in the order that settles a tie of detection. */
export const FORMATS: readonly Format[] = [
  otlp,
  obsSpans,
  traceStore,
  tau2,
  tauBench,
  inspect,
  agentdojo,
  atif,
  sweAgent,
  adk,
  claudeCode,
  codex,
  geminiCli,
  geminiTelemetry,
  openhands,
  autogen,
  crewai,
  letta,
  ...spanExports,
  promptfoo,
  deepeval,
  anthropicMessages,
  openaiChat,
  mcpTools,
  openaiTools,
  anthropicTools,
  openapi,
  har,
  exchanges,
  pdf,
  html,
  records,
  markdown,
  plainText,
];

/** The array members of a top-level object whose elements are items of their own. */
export const SPLIT_MEMBERS: ReadonlySet<string> = new Set([
  "resourceSpans",
  "resource_spans",
  "batches",
  "data",
  "spans",
  "simulations",
  "samples",
  "traces",
  "conversations",
]);

/** The format a body is in, and why. */
export interface Decision {
  readonly format: Format;
  readonly detected: string;
}

/** The format that fits a sample best among those of `kind` (all when absent), with how sure it is. */
export function detectFormat(sample: Sample, kind?: string): (Decision & { readonly score: number }) | undefined {
  const candidates = formatsOf(kind).flatMap((format) => {
    const detection = format.detect(sample);
    return detection ? [{ format, ...detection }] : [];
  });
  candidates.sort((a, b) => b.score - a.score);
  const [best, second] = candidates;
  if (!best) return undefined;
  const beside = second && second.score > best.score - 0.15 ? `; ${second.format.name} came second` : "";
  return { format: best.format, detected: `${best.format.name}: ${best.why}${beside}`, score: best.score };
}

/** The 422 for a sample that no format of `kind` fits. */
export function unknownFormat(sample: Sample, kind?: string): AppError {
  const known = formatsOf(kind).map((format) => format.name);
  return unprocessable(
    `The content is in no format that can be read here. It is ${SHAPES[sample.shape]}. Formats: ${known.join(", ")}.`,
  );
}

function formatsOf(kind: string | undefined): readonly Format[] {
  return FORMATS.filter((format) => kind === undefined || format.kind === kind);
}

/** The named format; 400 when there is none of that name. */
export function namedFormat(name: string): Decision {
  const wanted = ALIASES[name] ?? name;
  const format = FORMATS.find((each) => each.name === wanted);
  if (format) return { format, detected: `${format.name}: named by the caller` };
  throw badRequest(`There is no such format. Formats: ${FORMATS.map((each) => each.name).join(", ")}.`, {
    fields: [{ path: "format", message: "unknown format" }],
  });
}

const ALIASES: Readonly<Record<string, string>> = {
  csv: "records",
  md: "markdown",
  txt: "text",
  htm: "html",
  eval: "inspect",
  "tau2-bench": "tau2",
};

const SHAPES: Readonly<Record<Sample["shape"], string>> = {
  object: "one JSON object",
  array: "a JSON array",
  lines: "JSON lines",
  text: "text that is not JSON",
};
