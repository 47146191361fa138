import type { WorldError } from "../errors.ts";
import type { Json } from "../json.ts";

/** How a behaviour ended: a value, an error in the system's own words (`keeps`: what was done before it stands), a recorded answer asked for, a gap (`keeps`: in what is said alone, effects stand), or a fault of the behaviour itself. */
export type Outcome =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "error"; readonly text: string; readonly keeps?: true }
  | { readonly kind: "recorded" }
  | { readonly kind: "gap"; readonly keeps?: true }
  | { readonly kind: "fault"; readonly error: WorldError };
