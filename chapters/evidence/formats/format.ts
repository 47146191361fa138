import type { ToolDefinition } from "../../../worlds/bundle.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";

/** One item of a body: an array element, a line, or the whole value. */
export interface Item {
  readonly value: unknown;
  /** Line number for line-delimited bodies, else the item's number, from 1. */
  readonly place: number;
  /** Which member of the top-level object the item is an element of. */
  readonly member?: string;
  /** How long its text is, characters, where it was read from one. */
  readonly size?: number;
}

/** What detection looks at: the shape of a body, its first items, and the start of its text. */
export interface Sample {
  readonly shape: "object" | "array" | "lines" | "text";
  /** Members of the top-level object that are not split into items. */
  readonly header: JsonObject;
  readonly items: readonly Item[];
  /** The first characters, for bodies that are not JSON. */
  readonly text: string;
  /** The media type it came with. */
  readonly type: string | undefined;
}

/** How sure a format is (0..1) that a body is its own, and what it saw. `why` holds no text of the body. */
export interface Detection {
  readonly score: number;
  readonly why: string;
}

/** Where a reading counts what it could not carry over and what it could not place. */
export interface Reading {
  /** Members of the top-level object read so far. */
  readonly header: JsonObject;
  /** Counts something of the source that the canonical form does not hold. */
  lose(name: string, n?: number): void;
  /** Counts an item that could not be placed. `reason` holds no text of the body. */
  refuse(place: number, reason: string): void;
  /** Counts credentials that were taken out. */
  strip(n: number): void;
}

/** A converted trace and the item it came from. */
export interface Converted {
  readonly trace: CanonicalTrace;
  readonly place: number;
}

/** Turns items into traces as they come; what spans several items is given at the end. */
export interface Converter {
  item(item: Item): Iterable<Converted>;
  end(): Iterable<Converted>;
}

interface FormatBase {
  readonly name: string;
  readonly detect: (sample: Sample) => Detection | undefined;
}

/** A format of traces. */
export interface TraceFormat extends FormatBase {
  readonly kind: "traces";
  /** Its traces are put together from several items. */
  readonly assembles?: boolean;
  /** Whether an item is converted by itself, with nothing kept of it for the items after it. None is when absent. */
  readonly alone?: (value: unknown) => boolean;
  /** Whether the converter itself sees to it that it does not hold too much of such items. */
  readonly bounded?: (value: unknown) => boolean;
  readonly open: (reading: Reading) => Converter;
}

/** A format of tool listings. `text` is the whole body where it is not JSON. */
export interface ListingFormat extends FormatBase {
  readonly kind: "tool_listing";
  readonly tools: (
    items: readonly Item[],
    reading: Reading,
    text: string,
  ) => readonly ToolDefinition[] | Promise<readonly ToolDefinition[]>;
}

/** A text with what is known of it. */
export interface TextDocument {
  readonly id?: string;
  readonly title?: string;
  readonly text: string;
}

/** Rows of one table of a database export. */
export interface RecordTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

/** What a document holds: texts, or tables of rows. */
export interface DocumentContent {
  readonly texts: readonly TextDocument[];
  readonly tables: readonly RecordTable[];
}

/** A format of documents. `text` is the whole body where it is not JSON. */
export interface DocumentFormat extends FormatBase {
  readonly kind: "document";
  readonly document: (
    items: readonly Item[],
    text: string,
    reading: Reading,
  ) => DocumentContent | Promise<DocumentContent>;
}

/** What one side of an HTTP exchange sent. */
export interface HttpMessage {
  /** Names in lower case, without those that hold credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type, without parameters. */
  readonly type?: string;
  /** JSON and forms as values, all else as text; absent where there was none, none that is text, or a page. */
  readonly body?: unknown;
}

/** One HTTP exchange of a capture, without credentials. */
export interface CapturedHttp {
  /** Its number in the capture, from 1. */
  readonly place: number;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Unix seconds. */
  readonly started_at?: number;
  /** Milliseconds. */
  readonly ms?: number;
  readonly request: HttpMessage;
  readonly response: HttpMessage;
}

/** A format of recorded HTTP traffic. */
export interface CaptureFormat extends FormatBase {
  readonly kind: "http_capture";
  /** The exchanges of a whole body, credentials stripped and counted. */
  readonly capture: (items: readonly Item[], reading: Reading) => readonly CapturedHttp[];
}

export type Format = TraceFormat | ListingFormat | DocumentFormat | CaptureFormat;
