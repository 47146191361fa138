import type { z } from "zod";
import type { ToolDefinition } from "../../../worlds/bundle.ts";
import { AppError } from "../../errors.ts";
import type { Converted, DocumentContent, Format, Item, Reading, TraceFormat } from "../formats/format.ts";
import { type Decision, detectFormat, namedFormat, unknownFormat } from "../formats/index.ts";
import type { Refusal } from "../schema.ts";
import { findSecrets, mayHoldHeaders, stripCredentials } from "../secrets.ts";
import { inflated } from "./bytes.ts";
import { openSource, type Source, type SourceItem } from "./source.ts";

/** What a caller says of a body before it is read. */
export interface Hints {
  /** The media type, without parameters. */
  readonly type?: string | undefined;
  readonly kind?: string | undefined;
  readonly format?: string | undefined;
  /** Whether traces that hold secrets are taken as they are. */
  readonly allowSecrets?: boolean | undefined;
}

/** Refusals kept with their reasons; all are counted. */
const REFUSALS_KEPT = 100;

/** What a reading counted. Grows while it is read. */
export class Tally implements Reading {
  readonly header: Reading["header"];
  readonly losses: Record<string, number> = {};
  readonly refused: z.infer<typeof Refusal>[] = [];
  refusedCount = 0;
  strippedCredentials = 0;

  constructor(header: Reading["header"]) {
    this.header = header;
  }

  lose(name: string, n = 1): void {
    if (n > 0) this.losses[name] = (this.losses[name] ?? 0) + n;
  }

  refuse(place: number, reason: string): void {
    this.refusedCount++;
    if (this.refused.length < REFUSALS_KEPT) this.refused.push({ line: place, reason });
  }
}

/** A body whose format is decided. One of `traces`, `tools` and `document` is to be called, by the format's kind, once. */
export interface OpenEvidence {
  readonly format: Format;
  readonly detected: string;
  readonly tally: Tally;
  /** Traces one by one. Those that hold a secret are refused, with its kind, unless they are allowed. */
  traces(): AsyncIterable<Converted>;
  tools(): Promise<ToolDefinition[]>;
  document(): Promise<DocumentContent>;
}

/** From here on a body is not looked at as one value too. */
const SURE = 0.8;

const ANY_FORMAT = new Set(["jsonl", "ndjson", "json", "auto"]);

/** Opens a body of evidence (gzip and zstd too), decides its format and why. Throws AppError: malformed, truncated, too large, in no known format. */
export async function openEvidence(bytes: AsyncIterable<Uint8Array>, hints: Hints = {}): Promise<OpenEvidence> {
  const source = await openSource(inflated(bytes), hints.type);
  const { decision, from } = decide(source, hints);
  const tally = new Tally(from.header);
  const { format } = decision;
  return {
    ...decision,
    tally,
    traces: () => traces(from, format, tally, hints.allowSecrets === true),
    async tools() {
      if (format.kind !== "tool_listing") throw wrongKind();
      return format.tools(await itemsOf(from, tally, hints), tally);
    },
    async document() {
      if (format.kind !== "document") throw wrongKind();
      if (from.text !== "" && hints.allowSecrets !== true) await refuseSecrets(from.text);
      return format.document(await itemsOf(from, tally, hints), from.text, tally);
    },
  };
}

function decide(source: Source, { kind, format }: Hints): { decision: Decision; from: Source } {
  if (format !== undefined && !ANY_FORMAT.has(format)) {
    const decision = namedFormat(format);
    if (kind !== undefined && kind !== decision.format.kind) {
      throw new AppError("bad_request", `This format is of kind ${decision.format.kind}.`, {
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
  if (!split) throw unknownFormat(source.sample, kind);
  return { decision: split, from: source };
}

function wrongKind(): Error {
  return new Error("the evidence is of another kind");
}

async function* traces(source: Source, format: Format, tally: Tally, allowSecrets: boolean): AsyncGenerator<Converted> {
  if (format.kind !== "traces") throw wrongKind();
  const converter = format.open(tally);
  for await (const item of source.items((place, reason) => tally.refuse(place, reason))) {
    const clean = await cleanItem(item, format, tally, allowSecrets);
    if (clean) yield* checked(converter.item(clean), format, tally, allowSecrets);
  }
  yield* checked(converter.end(), format, tally, allowSecrets);
}

/** The item without credential headers; undefined when it holds a secret. Items of one trace each are judged by their own text. */
async function cleanItem(
  item: SourceItem,
  format: TraceFormat,
  tally: Tally,
  allowSecrets: boolean,
): Promise<Item | undefined> {
  let text = item.text;
  let given: Item = item;
  if (mayHoldHeaders(text)) {
    const { value, stripped } = stripCredentials(item.value);
    tally.strippedCredentials += stripped;
    if (stripped > 0) {
      given = { ...item, value };
      text = JSON.stringify(value);
    }
  }
  if (allowSecrets || format.assembles) return given;
  const secrets = await findSecrets(text);
  if (secrets.length === 0) return given;
  tally.refuse(item.place, secretReason(secrets));
  return undefined;
}

/** Traces put together from several items are judged by what would be stored of them. */
async function* checked(
  converted: Iterable<Converted>,
  format: TraceFormat,
  tally: Tally,
  allowSecrets: boolean,
): AsyncGenerator<Converted> {
  for (const each of converted) {
    if (each.trace.turns.length + each.trace.calls.length === 0) {
      tally.refuse(each.place, "a trace without turns and calls");
      continue;
    }
    const secrets = format.assembles && !allowSecrets ? await findSecrets(JSON.stringify(each.trace)) : [];
    if (secrets.length === 0) yield each;
    else tally.refuse(each.place, secretReason(secrets));
  }
}

function secretReason(kinds: readonly string[]): string {
  return `holds a secret (${kinds.join(", ")})`;
}

async function itemsOf(source: Source, tally: Tally, hints: Hints): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source.items((place, reason) => tally.refuse(place, reason))) {
    const secrets = hints.allowSecrets === true ? [] : await findSecrets(item.text);
    if (secrets.length > 0) tally.refuse(item.place, secretReason(secrets));
    else items.push(item);
  }
  return items;
}

async function refuseSecrets(text: string): Promise<void> {
  const secrets = await findSecrets(text);
  if (secrets.length > 0)
    throw new AppError("unprocessable", `The document ${secretReason(secrets)}. Remove it, or send allow_secrets.`);
}
