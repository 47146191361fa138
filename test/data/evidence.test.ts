import { createReadStream, existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import type { AppError } from "../../chapters/errors.ts";
import { type OpenEvidence, openEvidence } from "../../chapters/evidence/reading/evidence.ts";
import { toObserved } from "../../chapters/evidence/traces/observed.ts";
import { CanonicalTrace } from "../../chapters/records/evidence/evidence.ts";
import { createComputePool } from "../../src/jobs/pool.ts";
import { readWay } from "../chapters/evidence/formats/both-ways.ts";

const DATA = join(process.env.SVC_DATA ?? "", "dev");

it("finds the real files", () => {
  expect(existsSync(DATA), "set SVC_DATA to the folder that holds dev/").toBe(true);
});

async function convert(file: string) {
  const open = await openEvidence(createReadStream(join(DATA, file)));
  const traces: CanonicalTrace[] = [];
  for await (const { trace } of open.traces()) traces.push(CanonicalTrace.parse(trace));
  const calls = traces.flatMap((trace) => trace.calls);
  return { open, traces, calls, errors: calls.filter((call) => /^error|^refused/.test(call.answer_class)).length };
}

/** Trajectories, tool calls, error results, distinct tools and mean reward, as the manifest's table has them. */
it.each([
  ["airline/tau-bench-v1.gpt-4o.trials01.json", "tau-bench", 62, 351, 24, 13, 0.452],
  ["airline/tau2.gpt-4.1.json", "tau2", 15, 104, 1, 12, 0.6],
  ["airline/tau2.toolorchestra-gpt-4.1-mini.json", "tau2", 31, 404, 4, 12, 0.484],
  ["retail/tau2.gpt-4.1.json", "tau2", 25, 205, 10, 15, 0.84],
  ["retail/tau2.toolorchestra-gpt-4.1-mini.json", "tau2", 75, 582, 9, 14, 0.8],
])("%s converts whole", async (file, format, trajectories, calls, errors, tools, reward) => {
  const got = await convert(file);
  expect(got.open.format.name).toBe(format);
  expect([got.traces.length, got.calls.length, got.errors, new Set(got.calls.map((call) => call.tool)).size]).toEqual([
    trajectories,
    calls,
    errors,
    tools,
  ]);
  const mean = got.traces.reduce((sum, trace) => sum + (trace.outcome?.reward ?? Number.NaN), 0) / got.traces.length;
  expect(mean).toBeCloseTo(reward, 3);
  expect([
    got.open.tally.refused,
    got.open.tally.losses,
    got.calls.filter((call) => call.answer_class === "pending").length,
  ]).toEqual([[], {}, 0]);
  expect(got.traces.every((trace) => trace.request !== "" && toObserved(trace, "x").group !== undefined)).toBe(true);
});

/** Traces and calls of the format samples; the manifest's counts where it has them. */
it.each([
  ["tau-bench-v1-unmodified/gpt-4o-airline.first2.json", "tau-bench", 2, 8],
  ["tau2-results-unmodified/airline.gpt-4.1.first2.json", "tau2", 2, 5],
  ["tau2-results-unmodified/retail.gpt-4.1.first2.json", "tau2", 2, 11],
  ["inspect-eval-log/2025-05-12T20-27-36-04-00_browser.json", "inspect", 1, 4],
  ["inspect-eval-log/docent.ctf.json", "inspect", 2, 11],
  ["inspect-eval-log/log_tool_call_error.json", "inspect", 0, 0],
  ["otel-spans-python-readable/openai_agents_openinference_live_spans.json", "otlp", 1, 4],
  ["otel-spans-python-readable/otel_genai_convention_spans.json", "otlp", 1, 2],
  ["otel-spans-python-readable/claude_live_spans.json", "otlp", 1, 6],
  ["otel-spans-python-readable/adk_live_spans.json", "otlp", 1, 1],
  ["otel-spans-python-readable/pydantic_ai_live_spans.json", "otlp", 1, 1],
  ["otel-spans-python-readable/openinference_live_spans.json", "otlp", 1, 1],
  ["otlp-json/tempo_export_with_batches.json", "otlp", 1, 1],
  ["jaeger-json/k8s.json", "otlp", 1, 0],
  ["span-attributes-genai-vs-openinference/openinference_client_span_input_output_only.json", "otlp", 1, 1],
  ["span-attributes-genai-vs-openinference/openinference_client_span_tool_calls.json", "otlp", 1, 1],
  ["span-attributes-genai-vs-openinference/otel_genai_client_span_tool_calls.json", "otlp", 1, 1],
  ["span-attributes-genai-vs-openinference/otel_genai_deprecated_client_span_tool_calls.json", "otlp", 1, 1],
  ["span-attributes-genai-vs-openinference/otel_genai_tool_execution_span.json", "otlp", 1, 1],
  ["langfuse-trace-export/autogen-2025-06-06.trace.json", "trace_store", 1, 0],
  ["langfuse-trace-export/claude-agent-2025-12-22.trace.json", "trace_store", 1, 2],
  ["langfuse-trace-export/openai-agents-2025-09-30.trace.json", "trace_store", 1, 1],
  ["langfuse-trace-export/pydantic-ai-tools-2025-12-04.trace.json", "trace_store", 1, 3],
  ["langfuse-trace-export/vercel-aisdk-2025-11-17.trace.json", "trace_store", 1, 1],
  ["langfuse-trace-export/langgraph-python-2025-08-22.trace.json", "trace_store", 1, 1],
  ["langfuse-trace-export/koog-2025-08-26.trace.json", "trace_store", 1, 2],
  ["claude-code-session/tool_call_conversation.jsonl", "claude-code", 1, 1],
  ["claude-code-session/agent_session.jsonl", "claude-code", 1, 1],
  ["openai-chat-http/openai-chat-completions-records-tool-calls.json", "openai-chat", 1, 2],
  ["openai-chat-http/test_chat_completion_tool_calls_with_content.yaml", "openai-chat", 1, 2],
  ["anthropic-messages-http/test_anthropic_tools_legacy.yaml", "anthropic-messages", 1, 2],
  ["anthropic-messages-http/test_anthropic_tools_history_legacy.yaml", "anthropic-messages", 1, 2],
  ["datadog-http/tests.llmobs.test_llmobs_span_agentless_writer.test_send_multiple_events.yaml", "obs-spans", 2, 0],
  ["inspect-eval-log/log_formats.eval", "inspect", 1, 0],
  ["atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.json", "atif", 1, 0],
  ["atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.cont-1.json", "atif", 1, 0],
  ["swe-agent-traj/marshmallow-code__marshmallow-1867.traj", "swe-agent", 1, 11],
  ["swe-agent-traj/mini.github_issue.traj.json", "swe-agent", 1, 10],
  ["adk-evalset/order_query.test.json", "adk", 1, 7],
  ["jaeger-json/evalset_k8s_2026-02-20.json", "adk", 1, 0],
  ["claude-agent-sdk-stream/tool_use_conversation.json", "claude-code", 1, 1],
  ["langfuse-trace-export/crewai-2025-07-11.trace.json", "trace_store", 1, 0],
  ["langfuse-trace-export/google-gemini-2025-08-01.trace.json", "trace_store", 1, 0],
  ["langfuse-trace-export/vertex-ai-2025-08-01.trace.json", "trace_store", 1, 0],
])("formats/%s is read as %s", async (file, format, traces, calls) => {
  const got = await convert(join("formats", file));
  expect([got.open.format.name, got.traces.length, got.calls.length]).toEqual([format, traces, calls]);
  expect(got.traces.every((trace) => trace.turns.length + trace.calls.length > 0)).toBe(true);
});

// Findings A35, A36, A40, A41, A44 and A46.
/** What a person counted in the files: turns with words, calls, losses, the final answer's class. */
it.each([
  ["otel-spans-python-readable/openinference_adot_spans.json", 2, 5, ["get_weather:data"], {}, "answered"],
  [
    "langfuse-trace-export/agno-2025-06-11.trace.json",
    1,
    3,
    ["duckduckgo_search:data"],
    { nested_model_span: 2 },
    "answered",
  ],
  [
    "langfuse-trace-export/beeai-2025-08-01.trace.json",
    1,
    5,
    ["Wikipedia:data"],
    { streamed_parts_missing: 233 },
    "answered",
  ],
  [
    "langfuse-trace-export/csharp-agent-with-gemini-2026-03-09.trace.json",
    1,
    3,
    ["get_custom_report:error:not_found", "final_result:empty"],
    { part_other: 2 },
    "said_no_data",
  ],
  [
    "otel-spans-python-readable/openai_agents_openinference_adot_spans.json",
    1,
    4,
    ["multiply_numbers:data"],
    { call_without_span: 2 },
    "answered",
  ],
  [
    "otel-spans-python-readable/claude_adot_spans.json",
    1,
    3,
    ["Agent:data", "Agent:data", "Bash:data", "Bash:data"],
    { part_reasoning: 1 },
    "answered",
  ],
  ["langfuse-trace-export/langgraph-js-2025-10-30.trace.json", 1, 2, ["get_weather:data"], {}, "answered"],
  ["langfuse-trace-export/llamaindex-2025-06-05.trace.json", 1, 2, [], {}, "answered"],
  [
    "openai-chat-http/test_responses_create_captures_tool_call_content.yaml",
    1,
    1,
    ["get_current_weather:pending"],
    {},
    "none",
  ],
])("formats-2/%s is read as it was counted", async (file, traces, turns, calls, losses, final) => {
  const got = await convert(join("formats-2", file));
  const said = got.traces.flatMap((trace) => trace.turns).filter(({ text }) => text !== "");
  expect([got.traces.length, said.length]).toEqual([traces, turns]);
  expect(got.calls.map((call) => `${call.tool}:${call.answer_class}`)).toEqual(calls);
  expect([got.open.tally.losses, got.traces[0]?.final_answer_class]).toEqual([losses, final]);
});

/** Finding A45: names of the scores that each export holds; a value and a comment stand beside each. */
it.each([
  ["formats-2/langfuse-trace-export/beeai-2025-08-01.trace.json", ["hallucination", "toxicity"]],
  ["formats-2/langfuse-trace-export/langgraph-js-2025-10-30.trace.json", ["hallucination", "toxicity"]],
  ["formats-2/langfuse-trace-export/google-adk-2025-08-28.trace.json", ["hallucination", "toxicity"]],
  [
    "formats-2/langfuse-trace-export/microsoft-agent-2025-12-17.trace.json",
    ["correctness", "hallucination", "toxicity"],
  ],
  ["formats/langfuse-trace-export/openai-agents-2025-09-30.trace.json", ["hallucination", "toxicity"]],
  ["formats/langfuse-trace-export/crewai-2025-07-11.trace.json", ["hallucination", "toxicity"]],
])("%s keeps its scores", async (file, names) => {
  const [trace] = (await convert(file)).traces;
  const said = Object.keys(trace?.labels ?? {}).filter((label) => label.startsWith("score."));
  expect(said.sort()).toEqual(names.flatMap((name) => [`score.${name}`, `score.${name}.comment`]));
});

// Finding A43.
it("verdicts that a model gave are of its tier", async () => {
  const { traces } = await convert(
    "formats-2/inspect-eval-log/2025-09-23T08-09-58-04-00_security-guide_LuxZJVwvymC3S3SyoJczxB.eval",
  );
  expect(traces.map(({ outcome }) => outcome?.tier)).toEqual(Array(16).fill("llm-derived"));
});

/** What every file is read as, by the first pattern that fits its path; `refused` where no format fits. */
const READ_AS: readonly (readonly [path: RegExp, format: string])[] = [
  [/^airline\/tau-bench|^formats\/tau-bench/, "tau-bench"],
  [/\/tau2\.|^formats\/tau2/, "tau2"],
  [/\/tools\./, "openai-tools"],
  [/\.md$|documents\.jsonl$|multi-step\/task\.toml$/, "markdown"],
  [/task\.toml$/, "text"],
  [/langfuse-trace/, "trace_store"],
  [/adk-evalset|\/evalset_/, "adk"],
  [/otlp-json|otel-spans|jaeger-json|span-attributes/, "otlp"],
  [/anthropic-messages/, "anthropic-messages"],
  [/openai-chat/, "openai-chat"],
  [/claude-/, "claude-code"],
  [/formats\/atif/, "atif"],
  [/swe-agent/, "swe-agent"],
  [/inspect-eval-log/, "inspect"],
  [/mcp-tools/, "mcp"],
  [/openapi/, "openapi"],
  [/span_agentless_writer/, "obs-spans"],
  [/datadog-http|github-http/, "http-exchanges"],
  [/github-webhooks/, "refused"],
];

it("every file is detected and read, or refused in words that say why", async () => {
  const files = globSync("**/*.*", { cwd: DATA }).sort();
  expect(files.length).toBeGreaterThan(100);
  const seen = new Set<string>();
  for (const file of files) {
    const wanted = READ_AS.find(([path]) => path.test(file))?.[1];
    const open = await openEvidence(createReadStream(join(DATA, file))).catch((cause: unknown) => cause);
    seen.add(wanted ?? "");
    if (wanted === "refused") {
      expect([file, (open as AppError).code, (open as AppError).reason]).toEqual([
        file,
        "unprocessable",
        expect.stringMatching(/^The content is in no format that can be read here\. .*Formats: otlp, /),
      ]);
      continue;
    }
    if (!(open as Partial<OpenEvidence>).format) throw new Error(`${file}: ${(open as AppError).reason}`);
    const { format, detected, tally, ...read } = open as OpenEvidence;
    expect([file, format.name]).toEqual([file, wanted]);
    expect(detected.startsWith(`${format.name}: `)).toBe(true);
    let taken = 0;
    if (format.kind === "traces") for await (const _ of read.traces()) taken++;
    else if (format.kind === "tool_listing") taken = (await read.tools()).length;
    else if (format.kind === "http_capture") taken = (await read.capture()).length;
    else taken = (await read.document()).texts.length;
    // Nothing is dropped in silence: what gave nothing says why.
    expect([file, taken + tally.refusedCount > 0]).toEqual([file, true]);
  }
  expect([...seen].sort()).toEqual([...new Set(READ_AS.map(([, format]) => format))].sort());
});

it("a trace of plain server spans is refused and told", async () => {
  const got = await convert("formats/otlp-json/trace.json");
  expect([got.traces.length, got.open.tally.refusedCount]).toEqual([0, 1]);
});

it.each([
  ["airline/tools.tau-bench-v1.json", "openai-tools", 14],
  ["airline/tools.tau2.json", "openai-tools", 14],
  ["retail/tools.tau2.json", "openai-tools", 16],
  ["formats/mcp-tools-list/github-mcp-server.json", "mcp", 59],
])("%s is a listing of %s", async (file, format, tools) => {
  const open = await openEvidence(createReadStream(join(DATA, file)));
  expect([open.format.name, (await open.tools()).length, open.tally.refused]).toEqual([format, tools, []]);
});

it("documents are read with their titles", async () => {
  const open = await openEvidence(createReadStream(join(DATA, "documents/banking_knowledge.documents.jsonl")));
  const { texts } = await open.document();
  expect([open.format.name, texts.length, texts.every((text) => text.title !== undefined)]).toEqual([
    "markdown",
    100,
    true,
  ]);
  const policy = await openEvidence(createReadStream(join(DATA, "retail/policy.tau2.md")));
  expect((await policy.document()).texts).toHaveLength(1);
});

const pool = createComputePool();
afterAll(() => pool.close());

/** The file as it is, and its items one a line and as an array, several times over so that they fill batches. */
function shapesOf(text: string): string[] {
  let items: unknown[];
  try {
    const value = JSON.parse(text);
    const listed = value.simulations ?? value.samples ?? [value];
    items = Array.isArray(value) ? value : listed;
  } catch {
    return [text];
  }
  const many = Array.from({ length: Math.ceil(100 / Math.max(1, items.length)) }, () => items).flat();
  return [text, many.map((item) => JSON.stringify(item)).join("\n"), JSON.stringify(many)];
}

it("every file of traces comes to the same bytes on this thread and on others", async () => {
  const files = globSync("{airline,retail,formats}/**/*.{json,jsonl}", { cwd: DATA }).sort();
  const formats = new Set<string>();
  let elsewhere = 0;
  let compared = 0;
  for (const file of files)
    for (const text of shapesOf(readFileSync(join(DATA, file), "utf8"))) {
      const open = await openEvidence(Readable.from([Buffer.from(text)])).catch(() => undefined);
      if (open?.format.kind !== "traces") continue;
      const here = await readWay(text, undefined);
      const there = await readWay(text, pool);
      expect([file, { ...there, elsewhere: 0 }]).toEqual([file, here]);
      elsewhere += there.elsewhere;
      compared += here.rows.length;
      if (there.elsewhere > 0) formats.add(open.format.name);
    }
  expect([...formats].sort()).toEqual(["adk", "atif", "inspect", "tau-bench", "tau2"]);
  expect(elsewhere).toBeGreaterThan(1000);
  expect(compared).toBeGreaterThan(elsewhere);
});
