import type { ToolDefinition } from "../../../worlds/bundle.ts";
import type { Compute } from "../../compute.ts";
import { badRequest, unprocessable } from "../../errors.ts";
import { type PrivacyRule, privacyOf } from "../anonymize/index.ts";
import type { CapturedHttp, Converted, DocumentContent, Format, Item } from "../formats/format.ts";
import { type Decision, detectFormat, namedFormat, unknownFormat } from "../formats/index.ts";
import { withoutSecretExamples } from "../intake/secret-examples.ts";
import { findSecrets } from "../intake/secrets.ts";
import { type AgentRecord, keptAs, recordIn, recordInExchanges, recordInTables, unreadRecord } from "./agent-record.ts";
import { inflated } from "./bytes.ts";
import { contained } from "./containers.ts";
import { itemOf, openSource, type Source } from "./source.ts";
import { Tally } from "./tally.ts";
import { readInBatches, type TraceBatch } from "./trace-batches.ts";
import { HELD_BYTES, type ReadingRules, secretReason, TraceReader, tooMuchToHold } from "./trace-reader.ts";

/** What a caller says of a body before it is read. */
export interface Hints {
  /** The media type, without parameters. */
  readonly type?: string | undefined;
  readonly kind?: string | undefined;
  readonly format?: string | undefined;
  /** Whether traces that hold secrets are taken as they are. */
  readonly allowSecrets?: boolean | undefined;
  /** What of the values is kept; all of them when absent. */
  readonly privacy?: PrivacyRule | undefined;
}

/** A body of a decided format. Call exactly one of `traces`, `batches`, `tools`, `document` and `capture`, by the format's kind. */
export interface OpenEvidence {
  readonly format: Format;
  readonly detected: string;
  readonly tally: Tally;
  /** What a person should know of how it was read; whole when it was read. */
  readonly warnings: readonly string[];
  /** Traces one by one. Those that hold a secret are refused, with its kind, unless they are allowed. */
  traces(): AsyncIterable<Converted>;
  /** The same traces a few at a time; those that are items by themselves are read by `compute`, where there is one. */
  batches(compute?: Compute): AsyncIterable<TraceBatch>;
  tools(): Promise<ToolDefinition[]>;
  document(): Promise<DocumentContent>;
  /** Exchanges without credentials. Those that hold a secret still are refused, with its kind, unless they are allowed. */
  capture(): Promise<CapturedHttp[]>;
}

/** From here on a body is not looked at as one value too. */
const SURE = 0.8;

const ANY_FORMAT = new Set(["jsonl", "ndjson", "json", "auto"]);

/**
 * Opens a body of evidence (gzip, zstd, PDF and log archives too), decides its format and why. What has to be computed
 * for that is done by `compute`, where there is one. Throws AppError: malformed, truncated, too large, in no known format.
 */
export async function openEvidence(
  bytes: AsyncIterable<Uint8Array>,
  hints: Hints = {},
  compute?: Compute,
): Promise<OpenEvidence> {
  const content = await contained(inflated(bytes), hints.type, compute);
  const source = await openSource(content.bytes, content.type);
  const { decision, from } = decide(source, hints);
  const tally = new Tally(from.header);
  const { format } = decision;
  const rules = (): ReadingRules => {
    if (format.kind !== "traces") throw wrongKind();
    return { format, shape: from.sample.shape, allowSecrets: hints.allowSecrets === true, privacy: hints.privacy };
  };
  const warnings: string[] = [];
  const asked = hints.kind !== undefined || !isAnyFormat(hints.format);
  const heed = (record: AgentRecord | undefined) => {
    if (!record) return;
    if (!asked) throw unreadRecord(record, format.kind);
    warnings.push(keptAs(record, format.kind));
  };
  return {
    ...decision,
    tally,
    warnings,
    traces: () => traces(from, rules(), tally),
    batches: (compute) => readInBatches(from, rules(), tally, compute),
    async tools() {
      if (format.kind !== "tool_listing") throw wrongKind();
      const plain = format.name === "openapi" && hints.allowSecrets !== true;
      const text = plain ? await withoutExamples(from.text, tally) : from.text;
      if (text !== "" && hints.allowSecrets !== true) await refuseSecrets(text);
      const items = await itemsOf(from, tally, hints, plain);
      const tools = [...(await format.tools(items, tally, text))];
      // A document of an interface shows calls as examples.
      if (format.name !== "openapi") heed(recordIn(items, from));
      return hints.privacy ? privacyOf(hints.privacy).tools(tools) : tools;
    },
    async document() {
      if (format.kind !== "document") throw wrongKind();
      if (from.text !== "" && hints.allowSecrets !== true) await refuseSecrets(from.text);
      const items = await itemsOf(from, tally, hints);
      const content = await format.document(items, from.text, tally);
      heed(recordIn(items, from) ?? recordInTables(content));
      return hints.privacy ? privacyOf(hints.privacy).document(content) : content;
    },
    async capture() {
      if (format.kind !== "http_capture") throw wrongKind();
      const items = await itemsOf(from, tally, { ...hints, allowSecrets: true });
      const exchanges: CapturedHttp[] = [];
      for (const capturedHttp of format.capture(items, tally)) {
        const secrets = hints.allowSecrets === true ? [] : await findSecrets(JSON.stringify(capturedHttp));
        if (secrets.length > 0) tally.refuse(capturedHttp.place, secretReason(secrets));
        else exchanges.push(capturedHttp);
      }
      heed(recordInExchanges(exchanges));
      return hints.privacy ? privacyOf(hints.privacy).exchanges(exchanges) : exchanges;
    },
  };
}

function isAnyFormat(format: string | undefined): format is undefined {
  return format === undefined || ANY_FORMAT.has(format);
}

function decide(source: Source, { kind, format }: Hints): { decision: Decision; from: Source } {
  if (!isAnyFormat(format)) {
    const decision = namedFormat(format);
    if (kind !== undefined && kind !== decision.format.kind) {
      throw badRequest(`This format is of kind ${decision.format.kind}.`, {
        fields: [{ path: "kind", message: "does not fit the format" }],
      });
    }
    const fits = decision.format.detect(source.sample) !== undefined || source.whole === undefined;
    return { decision, from: fits ? source : source.whole() };
  }
  const split = detectFormat(source.sample, kind);
  if (split && split.score >= SURE) return { decision: split, from: source };
  const whole = source.whole?.();
  const asWhole = whole && detectFormat(whole.sample, kind);
  if (whole && asWhole && asWhole.score > (split?.score ?? 0)) return { decision: asWhole, from: whole };
  if (!split) {
    const record = kind === undefined ? recordIn(source.sample.items, source) : undefined;
    throw record ? unreadRecord(record, "document") : unknownFormat(source.sample, kind);
  }
  return { decision: split, from: source };
}

function wrongKind(): Error {
  return new Error("the evidence is of another kind");
}

async function* traces(source: Source, rules: ReadingRules, tally: Tally): AsyncGenerator<Converted> {
  const reader = new TraceReader(rules, tally);
  for await (const piece of source.pieces()) yield* reader.read(piece);
  yield* reader.end();
}

/** `examples`: whether an item with a secret is tried again without its examples, as an interface's document is. */
async function itemsOf(source: Source, tally: Tally, hints: Hints, examples = false): Promise<Item[]> {
  const items: Item[] = [];
  let held = 0;
  for await (const piece of source.pieces()) {
    held += piece.bytes.length;
    if (held > HELD_BYTES) throw tooMuchToHold(HELD_BYTES);
    const item = itemOf(piece, source.sample.shape, (place, reason) => tally.refuse(place, reason));
    if (item === undefined) continue;
    const secrets = hints.allowSecrets === true ? [] : await findSecrets(item.text);
    const left = secrets.length > 0 && examples ? await withoutSecretExamples(item.value) : undefined;
    if (left) tally.lose("example_with_secret", left.removed);
    if (left) items.push({ ...item, value: left.value });
    else if (secrets.length > 0) tally.refuse(item.place, secretReason(secrets));
    else items.push(item);
  }
  return items;
}

async function refuseSecrets(text: string): Promise<void> {
  const secrets = await findSecrets(text);
  if (secrets.length > 0)
    throw unprocessable(`The document ${secretReason(secrets)}. Remove it, or send allow_secrets.`);
}

/** The text of an interface's document without examples that hold secrets; as it is where it holds none, or more than those. */
async function withoutExamples(text: string, tally: Tally): Promise<string> {
  if (text === "" || (await findSecrets(text)).length === 0) return text;
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 100 });
  } catch {
    return text;
  }
  const left = await withoutSecretExamples(value);
  if (!left) return text;
  tally.lose("example_with_secret", left.removed);
  return JSON.stringify(left.value);
}
