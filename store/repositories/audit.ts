import { conflict } from "../../chapters/errors.ts";
import { everyRow, type Page } from "../../chapters/page.ts";
import type { AuditLine, AuditLog, OrderedPage } from "../../chapters/ports/store.ts";
import { brokenAt, CHAIN_START, chainHash } from "../audit-chain.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, desc, eq, gt, lt } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { audit, workspaceAudit } from "../schema.ts";
import {
  all,
  build,
  byShape,
  exclude,
  one,
  type Program,
  run,
  type Statement,
  statement,
  value,
} from "../statement.ts";
import { canonicalText, columnText } from "../text.ts";

/** A chain of lines: where it is kept, and the name that its hashes cover. */
export interface Chain {
  readonly name: string;
  readonly values: { readonly org: string } | Record<never, never>;
  readonly statements: ReturnType<typeof statementsOn>;
}

function statementsOn(table: typeof audit | typeof workspaceAudit) {
  const own = "org" in table ? eq(table.org, value("org")) : undefined;
  const { seq, at, by, act, fields, hash } = table;
  const line = {
    seq: value<number>("seq"),
    at: value<number>("at"),
    by: value<string>("by"),
    act: value<string>("act"),
    fields: value<string>("fields"),
    hash: value<string>("hash"),
  };
  const insert: Statement<unknown> =
    "org" in table
      ? statement(build.insert(table).values({ org: value<string>("org"), ...line }))
      : statement(build.insert(table).values(line));
  return {
    insert,
    selectLast: statement(build.select({ seq, hash }).from(table).where(own).orderBy(desc(seq)).limit(1)),
    selectPage: byShape((newest: boolean, follows: boolean) =>
      statement(
        build
          .select({ seq, at, by, act, fields, hash })
          .from(table)
          .where(and(own, follows ? (newest ? lt : gt)(seq, value("after")) : undefined))
          .orderBy(newest ? desc(seq) : asc(seq))
          .limit(value("limit")),
      ),
    ),
  };
}

const ofOrgs = statementsOn(audit);

/** The chain of acts within one org; every org's begins at 1. */
export function orgChain(org: string): Chain {
  return { name: org, values: { org }, statements: ofOrgs };
}

/** The chain of acts on the workspace itself. */
export const WORKSPACE_CHAIN: Chain = { name: "workspace", values: {}, statements: statementsOn(workspaceAudit) };

/** Appends a line to a chain within a program of more steps. */
export function* appendLine(
  { name, values, statements }: Chain,
  { at, by, act, fields }: Omit<AuditLine, "seq" | "hash">,
): Program<AuditLine> {
  const text = canonicalText(fields);
  // The hash covers what a reader will see, so what the columns keep.
  const kept = { at, by: columnText(by), act: columnText(act), fields: JSON.parse(text) as AuditLine["fields"] };
  yield* exclude(`audit ${name}`);
  const last = yield* one(statements.selectLast, values);
  const line = { seq: (last?.seq ?? 0) + 1, ...kept };
  const hash = chainHash(last?.hash ?? CHAIN_START, name, line);
  yield* run(statements.insert, { ...values, ...line, fields: text, hash });
  return { ...line, hash };
}

/** An audit log. Lines are numbered from 1 without gaps. */
export class AuditRepository implements AuditLog {
  readonly #engine: Engine;
  readonly #chain: Chain;

  constructor(engine: Engine, chain: Chain) {
    this.#engine = engine;
    this.#chain = chain;
  }

  async append(at: number, by: string, act: string, fields: AuditLine["fields"]): Promise<AuditLine> {
    return this.#engine.write(() => appendLine(this.#chain, { at, by, act, fields }));
  }

  async restore(lines: readonly AuditLine[]): Promise<void> {
    const { name, values, statements } = this.#chain;
    await this.#engine.write(function* () {
      yield* exclude(`audit ${name}`);
      let last = yield* one(statements.selectLast, values);
      for (const { hash, ...line } of lines) {
        const follows = line.seq === (last?.seq ?? 0) + 1 && hash === chainHash(last?.hash ?? CHAIN_START, name, line);
        if (!follows) throw conflict("A line of the audit log does not follow the one before it.");
        yield* run(statements.insert, { ...values, ...line, fields: canonicalText(line.fields), hash });
        last = { seq: line.seq, hash };
      }
    });
  }

  async verify(): Promise<{ readonly lines: number; readonly broken?: number }> {
    let [before, lines] = [CHAIN_START, 0];
    for await (const line of everyRow((page) => this.list({ ...page, order: "oldest" }))) {
      const broken = brokenAt(this.#chain.name, [line], before, lines + 1);
      if (broken !== undefined) return { lines, broken };
      before = line.hash;
      lines += 1;
    }
    return { lines };
  }

  async list(page?: OrderedPage): Promise<Page<AuditLine>> {
    const limit = pageLimit(page);
    const after = cursorKey("audit", "n", page)?.[0];
    const { values, statements } = this.#chain;
    const statement = statements.selectPage(page?.order !== "oldest", after !== undefined);
    const asked = { ...values, limit: limit + 1, ...(after === undefined ? {} : { after }) };
    const rows = await this.#engine.read(() => all(statement, asked));
    return pageOf(
      "audit",
      rows,
      limit,
      (row) => [row.seq],
      (row) => ({ ...row, fields: JSON.parse(row.fields) as AuditLine["fields"] }),
    );
  }
}
