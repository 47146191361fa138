/** Whose rows a connection sees. */
export const SEEN = "current_setting('svc.org', true)";

/** Row-level policies for tables whose rows belong to an org, for the orgs themselves, and for what belongs to none. */
export function guarded(...owned: readonly (readonly string[])[]): string {
  return [
    ...owned.flat().map((table) => policy(table, `org = ${SEEN} or `)),
    policy("orgs", `id = ${SEEN} or `),
    ofWorkspace("settings", "workspace_audit"),
  ].join("");
}

/** Row-level policies for tables that belong to no org. */
export function ofWorkspace(...tables: readonly string[]): string {
  return tables.map((table) => policy(table, "")).join("");
}

/** A row-level policy for a table: `whose`, or rows of every org for a connection that sees them. */
export function policy(table: string, whose: string): string {
  return `
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy own_rows on ${table} using (${whose}${SEEN} = '*');
`;
}
