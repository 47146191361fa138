import type { ModelOffer, ModelPrice } from "../../chapters/models/port.ts";
import { PRICES } from "./prices.ts";

/** What the operator set for models: which are offered, where their providers are, and the keys. */
export interface ModelConfig {
  readonly offered: readonly ModelOffer[];
  readonly providers: Readonly<Record<ModelOffer["provider"], ProviderConfig>>;
}

/** Where a provider is asked, and with which key. */
export interface ProviderConfig {
  /** No slash at the end. */
  readonly baseUrl: string;
  readonly key: string | undefined;
}

/** `openai-compatible/NAME` or `anthropic/NAME`, separated by commas. */
export const MODEL_LIST =
  /^(openai-compatible|anthropic)\/[\w.:/-]+(\s*,\s*(openai-compatible|anthropic)\/[\w.:/-]+)*$/;
/** `NAME=INPUT/OUTPUT`, separated by commas; US dollars per million tokens. */
export const PRICE_LIST = /^[\w.:/-]+=\d+(\.\d+)?\/\d+(\.\d+)?(\s*,\s*[\w.:/-]+=\d+(\.\d+)?\/\d+(\.\d+)?)*$/;

const KEY_NAMES = { "openai-compatible": "SVC_OPENAI_API_KEY", anthropic: "SVC_ANTHROPIC_API_KEY" } as const;

/** Makes the offer of what was set; `day` dates the operator's own prices (ISO date). */
export function modelConfig(
  set: {
    readonly models: string | undefined;
    readonly prices: string | undefined;
    readonly openAiUrl: string | undefined;
    readonly openAiKey: string | undefined;
    readonly anthropicUrl: string | undefined;
    readonly anthropicKey: string | undefined;
  },
  day: string,
): ModelConfig {
  const providers = {
    "openai-compatible": { baseUrl: base(set.openAiUrl ?? "https://api.openai.com/v1"), key: set.openAiKey },
    anthropic: { baseUrl: base(set.anthropicUrl ?? "https://api.anthropic.com/v1"), key: set.anthropicKey },
  };
  const own = new Map(parts(set.prices).map((text) => ownPrice(text, day)));
  const offered = [...new Set(parts(set.models))].map((model): ModelOffer => {
    const provider = model.startsWith("anthropic/") ? "anthropic" : "openai-compatible";
    const name = model.slice(provider.length + 1);
    const price = own.get(model) ?? own.get(name) ?? PRICES.get(name);
    return {
      model,
      provider,
      ...(price === undefined ? {} : { price }),
      key: { name: KEY_NAMES[provider], set: providers[provider].key !== undefined },
    };
  });
  return { offered, providers };
}

function parts(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

function ownPrice(text: string, as_of: string): [string, ModelPrice] {
  const [name = "", amounts = ""] = text.split("=");
  const [input_usd = 0, output_usd = 0] = amounts.split("/").map(Number);
  return [name, { input_usd, output_usd, as_of }];
}

function base(url: string): string {
  return url.replace(/\/+$/, "");
}
