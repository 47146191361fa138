import type { ModelPrice } from "../../chapters/models/port.ts";

const dated = (as_of: string, rows: Readonly<Record<string, readonly [input: number, output: number]>>) =>
  Object.entries(rows).map(([model, [input_usd, output_usd]]): [string, ModelPrice] => [
    model,
    { input_usd, output_usd, as_of },
  ]);

/** List prices, US dollars per million tokens, by the provider's own model name. The operator's SVC_MODEL_PRICES goes before. */
export const PRICES: ReadonlyMap<string, ModelPrice> = new Map(
  dated("2025-11-30", {
    "gpt-4.1": [2, 8],
    "gpt-4.1-mini": [0.4, 1.6],
    "gpt-4.1-nano": [0.1, 0.4],
    "gpt-4o": [2.5, 10],
    "gpt-4o-mini": [0.15, 0.6],
    "gpt-5": [1.25, 10],
    "gpt-5-mini": [0.25, 2],
    "gpt-5-nano": [0.05, 0.4],
    "claude-opus-4-5": [5, 25],
    "claude-sonnet-4-5": [3, 15],
    "claude-haiku-4-5": [1, 5],
  }),
);
