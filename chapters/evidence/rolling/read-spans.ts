import type { ComputeTask } from "../../compute.ts";
import type { PackedTrace } from "../../ports/store.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { type PrivacyRule, privacyOf } from "../anonymize/index.ts";
import type { Span } from "../formats/otlp/span.ts";
import { traceOfSpans } from "../formats/otlp/trace.ts";
import { findSecrets } from "../intake/secrets.ts";
import { Tally } from "../reading/tally.ts";
import { secretReason } from "../reading/trace-reader.ts";

interface Spans {
  /** JSON texts of lists of spans, in the order they came; of a span that was sent again the last counts. */
  readonly parts: readonly string[];
  /** Parts that nothing can open any more. */
  readonly unreadable: number;
  readonly rootEnded: boolean;
  readonly allowSecrets: boolean;
  /** Kinds of secrets that spans held which were not kept. */
  readonly secrets: readonly string[];
  readonly privacy?: PrivacyRule | undefined;
}

/** What a trace's spans come to. */
export interface RollingContent {
  /** The trace as it is stored, the tools that it calls, and what its source says of it. */
  readonly trace:
    | {
        readonly packed: PackedTrace;
        readonly tools: readonly string[];
        readonly labels: CanonicalTrace["labels"];
      }
    | undefined;
  readonly losses: Readonly<Record<string, number>>;
  readonly refused: string | undefined;
  readonly service: string;
  /** When it began, unix seconds. */
  readonly startedAt: number | undefined;
}

/** Puts the spans of one trace together, and packs the trace as it is stored. */
export const readSpans: ComputeTask<Spans, RollingContent> = {
  name: "read_spans",
  brief: true,
  async run({ parts, unreadable, rootEnded, allowSecrets, secrets: held, privacy }, { packTrace }) {
    const tally = new Tally({});
    for (let i = 0; i < unreadable; i++) tally.lose("spans_unreadable");
    const byId = new Map(parts.flatMap((text) => (JSON.parse(text) as Span[]).map((span) => [span.id, span] as const)));
    const spans = [...byId.values()];
    const root = spans.find((span) => span.parent === undefined) ?? spans[0];
    const service = root?.service ?? spans.find((span) => span.service !== undefined)?.service ?? "unknown";
    const startedAt = spans.reduce<number | undefined>(
      (first, { start }) => (start === undefined || (first !== undefined && first <= start) ? first : start),
      undefined,
    );
    if (!rootEnded) tally.lose("root_not_seen");
    const made = held.length > 0 ? undefined : traceOfSpans(spans, tally);
    const secrets = made && !allowSecrets ? await findSecrets(JSON.stringify(made)) : held;
    const refused =
      secrets.length > 0
        ? secretReason(secrets)
        : made
          ? undefined
          : "a trace without model, tool or agent spans that hold messages";
    const trace = refused !== undefined || !made ? undefined : privacy ? privacyOf(privacy).trace(made) : made;
    const tools = new Set(trace?.calls.map(({ tool }) => tool));
    return {
      trace: trace && { packed: packTrace(trace), tools: [...tools], labels: trace.labels },
      losses: tally.losses,
      refused,
      service,
      startedAt,
    };
  },
};
