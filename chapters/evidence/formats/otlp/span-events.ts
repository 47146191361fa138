import type { JsonObject } from "../../../../worlds/json.ts";
import { text } from "../values.ts";
import { roleOf } from "./conventions.ts";
import type { Span } from "./span.ts";

/** A framework that writes each event of a tool's call as a span names its path and the event in `target`. */
const EVENT = /^(tool\..+)\.(start|success|error|retry|finish)$/;

/** Events that are read for what was said, called or scored. */
const READ =
  /^gen_ai\.(?:(?:system|user|assistant|tool)\.message|choice|client\.inference\.operation\.details|evaluation\.result)$/;

type SpanEvent = Span["events"][number];

/** Whether something of an event is kept: its messages, its score, or the exception that a call failed with. */
export function isKept(event: SpanEvent, span: Span): boolean {
  if (READ.test(event.name)) return true;
  return event.name === "exception" && span.failed && roleOf(span) === "tool" && said(event) === exceptionOf(span);
}

/** What a span says it failed with: in its status, else as the last exception that was recorded of it. */
export function exceptionOf({ message, events }: Span): string | undefined {
  const last = events.findLast(({ name }) => name === "exception");
  return message ?? (last && said(last));
}

function said({ attributes }: SpanEvent): string | undefined {
  return text(attributes["exception.message"]) ?? text(attributes["exception.type"]);
}

interface ToolEvent {
  readonly span: Span;
  readonly path: string;
  readonly event: string;
}

/**
 * The spans, with one for each call of a tool where a framework wrote its start, its success or error and its finish as
 * a span each. All of those end with the run: the call is as long as from one to the other.
 */
export function withoutEvents(spans: readonly Span[]): readonly Span[] {
  const told = spans.flatMap((span): ToolEvent[] => {
    const [, path, event] = EVENT.exec(text(span.attributes.target) ?? "") ?? [];
    return path === undefined || event === undefined ? [] : [{ span, path, event }];
  });
  if (told.length === 0) return spans;
  const byId = new Map(spans.map((span) => [span.id, span]));
  const events = new Set(told.map(({ span }) => span));
  const named = (each: ToolEvent) => toolName(each, byId);
  const open: ToolEvent[] = [];
  const calls: Span[] = [];
  const ordered = told.sort((a, b) => (a.span.start ?? 0) - (b.span.start ?? 0));
  for (const each of ordered) {
    if (each.event === "start") open.push(each);
    if (each.event !== "success" && each.event !== "error") continue;
    const at = open.findIndex((start) => start.path === each.path && sameArguments(start.span, each.span));
    const [start] = at < 0 ? [] : open.splice(at, 1);
    calls.push(callOf(named(each), start?.span, each.span, each.event === "error"));
  }
  for (const start of open) calls.push(callOf(named(start), start.span, undefined, false));
  return [...spans.filter((span) => !events.has(span)), ...calls];
}

/** What the agent calls the tool: said by the step that the event belongs to, else the end of the path. */
function toolName({ span, path }: ToolEvent, byId: ReadonlyMap<string, Span>): string {
  const step = span.parent === undefined ? undefined : byId.get(span.parent);
  return text(step?.attributes["tool.name"]) ?? path.slice(path.lastIndexOf(".") + 1);
}

function sameArguments(start: Span, end: Span): boolean {
  const [a, b] = [start.attributes["tool.parameters"], end.attributes["tool.parameters"]];
  return a === undefined || b === undefined || JSON.stringify(a) === JSON.stringify(b);
}

function callOf(tool: string, start: Span | undefined, end: Span | undefined, failed: boolean): Span {
  const first = (start ?? end) as Span;
  const attributes: JsonObject = { ...start?.attributes, ...end?.attributes, "tool.name": tool };
  const { end: _run, ...rest } = first;
  const message = end?.message ?? first.message;
  return {
    ...rest,
    attributes,
    failed: failed || end?.failed === true,
    ...(end?.start === undefined || start === undefined ? {} : { end: end.start }),
    ...(message === undefined ? {} : { message }),
  };
}
