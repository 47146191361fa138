import type { ToolDefinition } from "../../../worlds/bundle.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import type { CapturedHttp, DocumentContent, RecordTable } from "../formats/format.ts";
import { changedHttp, valuesOf } from "./http-changes.ts";
import { Pseudonyms } from "./pseudonyms.ts";
import { ShapeReader } from "./shapes.ts";
import { bareSchema, cleanTool, learnTool } from "./tools.ts";
import { ValueCleaner } from "./values.ts";

/** Labels that say how a trace was made, and of nobody in it. */
const TECHNICAL =
  /^(?:model|environment|env|domain|framework|version|seed|trial|task_id|service(?:\.(?:name|version))?|sdk|language|provider)$/;
/** The label that holds the id its source gave a trace. */
const TRACE_ID = "trace_id";
/** An id made by a machine at random: nobody is known by it, and the place it comes from is. */
const OPAQUE =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|\d{15,}|(?:call|toolu|span|trace|run|msg)_[A-Za-z0-9]{10,})$/i;

/** Takes the identifying values out of evidence, or all values. Pure functions of what is read and the key. */
export interface Privacy {
  trace(trace: CanonicalTrace): CanonicalTrace;
  tools(tools: readonly ToolDefinition[]): ToolDefinition[];
  document(content: DocumentContent): DocumentContent;
  exchanges(exchanges: readonly CapturedHttp[]): CapturedHttp[];
  /** What the id of a session or of a trace becomes. */
  session(id: string): string;
  /** A text by itself, such as a note. */
  text(text: string): string;
}

/** How evidence is to be read under `anonymized` and `shapes`, as data. `key`: hex, of the org or of the source. */
export interface PrivacyRule {
  readonly access: "anonymized" | "shapes";
  readonly key: string;
  /** What the key is known by; nothing of the key is in it. */
  readonly ref?: string;
}

/** What a rule makes of evidence. */
export function privacyOf({ access, key }: PrivacyRule): Privacy {
  const pseudonyms = new Pseudonyms(Buffer.from(key, "hex"));
  return access === "shapes" ? new Shapes(pseudonyms) : new Anonymized(pseudonyms);
}

/**
 * Identifying values (names, addresses of mail and post, phones, cards, ids, days of birth) become keyed pseudonyms that
 * keep their form and their joins; a value is the same pseudonym in every trace under one key.
 */
class Anonymized implements Privacy {
  readonly #pseudonyms: Pseudonyms;

  constructor(pseudonyms: Pseudonyms) {
    this.#pseudonyms = pseudonyms;
  }

  trace(trace: CanonicalTrace): CanonicalTrace {
    const cleaner = new ValueCleaner(this.#pseudonyms);
    for (const call of trace.calls) cleaner.keep(call.tool);
    for (const tool of trace.tools ?? []) cleaner.keep(tool.name);
    for (const { args, result } of trace.calls) {
      cleaner.learn(args);
      cleaner.learn(result);
    }
    const labels = Object.entries(trace.labels).filter(([name]) => !TECHNICAL.test(name));
    cleaner.learn(Object.fromEntries(labels));
    for (const tool of trace.tools ?? []) learnTool(cleaner, tool);
    for (const text of [trace.request, trace.final_answer ?? "", ...trace.turns.map((turn) => turn.text)])
      cleaner.learnText(text);
    const id = (text: string) => (OPAQUE.test(text) ? text : cleaner.cleanUnder("id", text));
    return {
      ...trace,
      session: id(trace.session),
      request: cleaner.cleanText(trace.request),
      turns: trace.turns.map((turn) => ({ ...turn, text: cleaner.cleanText(turn.text) })),
      calls: trace.calls.map((call) => ({
        ...call,
        args: cleaner.clean(call.args) as Record<string, unknown>,
        result: cleaner.clean(call.result),
        ...(call.span === undefined ? {} : { span: id(call.span) }),
      })),
      final_answer: trace.final_answer === null ? null : cleaner.cleanText(trace.final_answer),
      labels: Object.fromEntries(
        Object.entries(trace.labels).map(([name, value]) => [
          name,
          TECHNICAL.test(name) ? value : name === TRACE_ID ? id(value) : cleaner.cleanUnder(name, value),
        ]),
      ),
      ...(trace.tools === undefined ? {} : { tools: trace.tools.map((tool) => cleanTool(cleaner, tool)) }),
    };
  }

  session(id: string): string {
    return OPAQUE.test(id) ? id : new ValueCleaner(this.#pseudonyms).cleanUnder("id", id);
  }

  text(text: string): string {
    const cleaner = new ValueCleaner(this.#pseudonyms);
    cleaner.learnText(text);
    return cleaner.cleanText(text);
  }

  tools(tools: readonly ToolDefinition[]): ToolDefinition[] {
    const cleaner = new ValueCleaner(this.#pseudonyms);
    for (const tool of tools) cleaner.keep(tool.name);
    for (const tool of tools) learnTool(cleaner, tool);
    return tools.map((tool) => cleanTool(cleaner, tool));
  }

  document({ texts, tables }: DocumentContent): DocumentContent {
    const cleaner = new ValueCleaner(this.#pseudonyms);
    for (const { columns, rows } of tables) {
      for (const column of columns) cleaner.learnText(column);
      for (const row of rows) cleaner.learn(row);
    }
    for (const { title, text } of texts) for (const each of [title ?? "", text]) cleaner.learnText(each);
    return {
      texts: texts.map(({ id, title, text }) => ({
        ...(id === undefined ? {} : { id: cleaner.cleanUnder("id", id) }),
        ...(title === undefined ? {} : { title: cleaner.cleanText(title) }),
        text: cleaner.cleanText(text),
      })),
      tables: tables.map((table) => tableOf(table, (value) => cleaner.clean(value))),
    };
  }

  exchanges(exchanges: readonly CapturedHttp[]): CapturedHttp[] {
    const cleaner = new ValueCleaner(this.#pseudonyms);
    for (const value of valuesOf(exchanges)) cleaner.learn(value);
    const segment = (part: string) =>
      /[\d@]/.test(part) && !/^v\d+$/.test(part) ? cleaner.cleanUnder("id", part) : cleaner.cleanText(part);
    const change = { value: (value: unknown) => cleaner.clean(value), segment, host: (host: string) => host };
    return exchanges.map((capturedHttp) => changedHttp(capturedHttp, change));
  }
}

/** A table made of another: its name and its columns may be values too, where a file has no line of names. */
function tableOf({ name, columns, rows }: RecordTable, change: (value: unknown) => unknown): RecordTable {
  const field = (given: string) => Object.keys(change({ [given]: null }) as object)[0] ?? given;
  return { name: field(name), columns: columns.map(field), rows: rows.map((row) => change(row) as JsonObject) };
}

/** No value leaves: types and formats stand in their place. What the session took (times, tokens, cost) and how it went stay. */
class Shapes implements Privacy {
  readonly #pseudonyms: Pseudonyms;

  constructor(pseudonyms: Pseudonyms) {
    this.#pseudonyms = pseudonyms;
  }

  trace(trace: CanonicalTrace): CanonicalTrace {
    const shapes = new ShapeReader();
    for (const { args, result } of trace.calls) {
      shapes.learn(args);
      shapes.learn(result);
    }
    shapes.learn(trace.labels);
    const { tools, ...rest } = trace;
    return {
      ...rest,
      session: this.#pseudonyms.opaque(trace.session),
      request: shapes.text(trace.request),
      turns: trace.turns.map((turn) => ({ ...turn, text: shapes.text(turn.text) })),
      calls: trace.calls.map(({ span: _span, ...call }) => ({
        ...call,
        args: shapes.shape(call.args) as Record<string, unknown>,
        result: shapes.shape(call.result),
      })),
      final_answer: trace.final_answer === null ? null : shapes.text(trace.final_answer),
      labels: {
        ...(shapes.shape(trace.labels) as Record<string, string>),
        ...(trace.labels[TRACE_ID] === undefined ? {} : { [TRACE_ID]: this.session(trace.labels[TRACE_ID]) }),
      },
      ...(tools === undefined
        ? {}
        : {
            tools: tools.map(({ name, input_schema }) => ({
              name,
              ...(input_schema === undefined ? {} : { input_schema: bareSchema(input_schema) }),
            })),
          }),
    };
  }

  session(id: string): string {
    return this.#pseudonyms.opaque(id);
  }

  text(text: string): string {
    return new ShapeReader().text(text);
  }

  tools(tools: readonly ToolDefinition[]): ToolDefinition[] {
    return tools.map(({ description: _text, title: _title, ...tool }) => bareSchema(tool) as ToolDefinition);
  }

  document({ texts, tables }: DocumentContent): DocumentContent {
    const shapes = new ShapeReader();
    for (const table of tables) for (const row of table.rows) shapes.learn(row);
    return {
      texts: texts.map(() => ({ text: "<text>" })),
      tables: tables.map((table) => tableOf(table, (value) => shapes.shape(value))),
    };
  }

  exchanges(exchanges: readonly CapturedHttp[]): CapturedHttp[] {
    const shapes = new ShapeReader();
    for (const value of valuesOf(exchanges)) shapes.learn(value);
    const value = (given: unknown) => shapes.shape(given);
    const segment = (part: string) => Object.keys(shapes.shape({ [part]: null }) as object)[0] ?? "";
    return exchanges.map((capturedHttp) => changedHttp(capturedHttp, { value, segment, host: () => "host" }));
  }
}
