import { unprocessable } from "../chapters/errors.ts";
import type { RecordKind } from "../chapters/record.ts";
import { canonicalText, columnText, lookupText, sha256 } from "./text.ts";

/** A document ready to be stored. */
export interface Checked {
  /** As it is read again: parsed anew each time, which few ask for. */
  readonly doc: unknown;
  readonly row: {
    readonly kind: string;
    readonly id: string;
    readonly digest: string;
    readonly created_at: number;
    readonly updated_at: number;
    readonly body: string;
  };
  /** What it is looked up by. */
  readonly fields: readonly { readonly field: string; readonly value: string }[];
}

/** Checks a document against its kind's schema and writes it as text. Throws `unprocessable` with the paths that do not fit. */
export function checked(kind: RecordKind, doc: unknown): Checked {
  const parsed = kind.schema.safeParse(doc);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
    throw unprocessable("The document does not fit its kind; see fields.", { fields });
  }
  const body = canonicalText(parsed.data);
  const kept = parsed.data as Record<string, unknown>;
  const now = Date.now() / 1000;
  return {
    get doc(): unknown {
      return JSON.parse(body);
    },
    row: {
      kind: kind.kind,
      id: columnText(String(kept.id)),
      digest: sha256(body),
      created_at: typeof kept.created_at === "number" ? kept.created_at : now,
      updated_at: now,
      body,
    },
    fields: kind.fields.flatMap((field) => {
      const value = kept[field];
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
      return [{ field, value: lookupText(value) }];
    }),
  };
}
