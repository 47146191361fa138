import { AppError } from "../../chapters/errors.ts";
import type { AuditLine } from "../../chapters/ports/store.ts";
import { and, eq, isNull } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { orgs } from "../schema.ts";
import { build, run, statement, value } from "../statement.ts";
import { appendLine, orgChain } from "./audit.ts";

const rename = statement(
  build
    .update(orgs)
    .set({ tag: value("tag") })
    .where(and(eq(orgs.id, value("id")), isNull(orgs.removed_at))),
);

/**
 * Gives an org another tag and writes the line that says so, in one transaction: every row of the org is kept under its
 * id, so the move is whole or has not begun. False when the tag is taken or the org is gone.
 */
export async function renameOrg(
  engine: Engine,
  id: string,
  tag: string,
  line: Omit<AuditLine, "seq" | "hash">,
): Promise<boolean> {
  try {
    return await engine.write(function* () {
      if ((yield* run(rename, { id, tag })) === 0) return false;
      yield* appendLine(orgChain(id), line);
      return true;
    });
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return false;
    throw error;
  }
}
