import { conflict } from "../chapters/errors.ts";

/** One step from a version of the tables to the next. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** SQL of a migration that both engines take as it is. */
export const BY_ID_ACROSS_ORGS = `
create index if not exists records_across_orgs on records (id, org);
create index if not exists tokens_across_orgs on tokens (id, org);
`;

/** The steps that a database at `version` still needs, in order. One that is newer than this program is refused. */
export function pending(migrations: readonly Migration[], version: number): readonly Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  if (version > newest) {
    throw conflict(
      `The store was written by a newer version of this program (tables ${version}, this one knows ${newest}); run that version or newer.`,
    );
  }
  return migrations.filter((migration) => migration.version > version);
}
