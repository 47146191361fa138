const ID = /\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}\b/g;

/** Records that a question may name by their ids, and the tool that reads each. */
const BY_ID: readonly { readonly prefix: string; readonly tool: string; readonly param: string }[] = [
  { prefix: "rg", tool: "run_group", param: "gid" },
  { prefix: "env", tool: "environment_tasks", param: "env_id" },
  { prefix: "pc", tool: "provider_comparison", param: "pcid" },
];

/** Ids of records that stand in a text, each once. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(ID) ?? [])];
}

/** The records that a tool's answer is of. */
export function citesOf(tool: string, body: unknown): { tool: string; id: string }[] {
  return idsIn(JSON.stringify(body) ?? "").map((id) => ({ tool, id }));
}

/** What reads the records that a text names by their ids: two groups are compared. */
export function byIds(text: string): { tool: string; args: Record<string, unknown> }[] {
  const ids = idsIn(text.toLowerCase());
  const groups = ids.filter((id) => id.startsWith("rg_"));
  const [a, b] = groups;
  if (a !== undefined && b !== undefined) return [{ tool: "compare_runs", args: { a, b, format: "json" } }];
  return ids.flatMap((id) => {
    const known = BY_ID.find(({ prefix }) => id.startsWith(`${prefix}_`));
    return known ? [{ tool: known.tool, args: { [known.param]: id } }] : [];
  });
}

/** Whether a value is the id of a record. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && new RegExp(`^${ID.source}$`).test(value);
}
