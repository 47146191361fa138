import type { WorldError } from "../errors.ts";
import type { Json } from "../json.ts";

/** How a behaviour ended. `keeps`: effects before the end stay. */
export type Outcome =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "error"; readonly text: string; readonly keeps?: true }
  | { readonly kind: "recorded" }
  | { readonly kind: "gap"; readonly keeps?: true }
  | { readonly kind: "fault"; readonly error: WorldError };
