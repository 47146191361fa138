/** Attributes of a span or resource as OTLP/JSON writes them. */
export const kv = (fields: Record<string, string>) =>
  Object.entries(fields).map(([key, stringValue]) => ({ key, value: { stringValue } }));
