import type { JsonObject } from "../../../../worlds/json.ts";
import { defined, fromJson, label, object, objects, seconds, text } from "../values.ts";

const COLUMN = "attributes.";
/** Values that stay whole: what stands below them is content. */
const WHOLE = /(?:^|\.)(?:parameters|variables|json_schema|metadata|arguments|value|vector)$/;

/**
 * A span as Phoenix exports it: its interface's (`context`, `span_kind`), or a row of its data frame, whose columns are
 * named with dots. The kind stands beside the attributes, attributes may be nested. Undefined where it is none.
 */
export function phoenixSpan(item: JsonObject) {
  const row = item["context.trace_id"] !== undefined;
  const context = row ? undefined : object(item.context);
  if (!row && (context?.trace_id === undefined || text(item.span_kind) === undefined)) return undefined;
  const given = row
    ? Object.entries(item).flatMap(([key, value]) =>
        key.startsWith(COLUMN) ? [[key.slice(COLUMN.length), value]] : [],
      )
    : Object.entries(object(fromJson(item.attributes)) ?? {});
  const attributes: JsonObject = {};
  for (const [key, value] of given as [string, unknown][]) flatten(attributes, key, value);
  attributes["openinference.span.kind"] ??= item.span_kind as string;
  scores(attributes, item.annotations ?? item.span_annotations);
  return {
    trace: String(item["context.trace_id"] ?? context?.trace_id),
    id: String(item["context.span_id"] ?? context?.span_id),
    name: text(item.name) ?? "",
    ...defined({
      parent: text(item.parent_id),
      start: seconds(item.start_time),
      end: seconds(item.end_time),
      message: text(item.status_message),
    }),
    attributes,
    events: objects(item.events).map((event) => ({
      name: text(event.name) ?? "",
      attributes: object(event.attributes) ?? {},
    })),
    failed: item.status_code === "ERROR",
  };
}

function flatten(into: JsonObject, key: string, value: unknown): void {
  const inner = WHOLE.test(key) ? undefined : value;
  const nested = object(inner) ?? (Array.isArray(inner) && inner.some((each) => object(each)) ? inner : undefined);
  if (nested === undefined) {
    // A column that another span's row fills is null here.
    if (value !== null) into[key] = value as string;
    return;
  }
  for (const [name, each] of Object.entries(nested)) flatten(into, `${key}.${name}`, each);
}

/** Annotations by their name: what people and evaluators said of the span. */
function scores(into: JsonObject, annotations: unknown): void {
  for (const each of objects(annotations)) {
    const result = object(each.result) ?? each;
    const name = text(each.name);
    const value = label(result.score) ?? label(result.label);
    if (name !== undefined && value !== undefined) into[`score.${name}`] = value;
    const said = text(result.explanation);
    if (name !== undefined && said !== undefined) into[`score.${name}.comment`] = said;
  }
}
