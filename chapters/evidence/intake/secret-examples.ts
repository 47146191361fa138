import { findSecrets, mayHoldSecret } from "./secrets.ts";

const EXAMPLE = /^(?:x-)?(?:examples?|default)$/i;

/** An API document without examples that hold secrets, and their count; undefined where a secret is elsewhere. */
export async function withoutSecretExamples(
  value: unknown,
): Promise<{ readonly value: unknown; readonly removed: number } | undefined> {
  let removed = 0;
  const visit = async (each: unknown): Promise<unknown> => {
    if (Array.isArray(each)) return Promise.all(each.map(visit));
    if (typeof each !== "object" || each === null) return each;
    const kept: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(each)) {
      const text = EXAMPLE.test(key) ? JSON.stringify(inner) : "";
      if (mayHoldSecret(text) && (await findSecrets(text)).length > 0) removed += 1;
      else kept.push([key, await visit(inner)]);
    }
    return Object.fromEntries(kept);
  };
  const left = await visit(value);
  return removed > 0 && (await findSecrets(JSON.stringify(left))).length === 0 ? { value: left, removed } : undefined;
}
