import type { Page, PageInput } from "../../chapters/page.ts";
import type { Trials } from "../../chapters/ports/store.ts";
import type { TrialRow } from "../../chapters/records/runs/runs.ts";
import { packJson, unpackJson } from "../codec.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { alias, and, asc, count, eq, gt, notExists, sql } from "../drizzle.ts";
import { trials } from "../schema.ts";
import { all, build, byShape, one, statement, value } from "../statement.ts";
import { OrgRepository } from "./org-repository.ts";

const ofRun = and(eq(trials.org, value("org")), eq(trials.run, value("run")));
const body = { encoding: trials.encoding, body: trials.body };

const insertNew = statement(
  build
    .insert(trials)
    .values({
      org: value("org"),
      run: value("run"),
      task: value("task"),
      n: value("n"),
      attempt: value("attempt"),
      end: value("end"),
      started_at: value("started_at"),
      encoding: value("encoding"),
      body: value("body"),
    })
    .onConflictDoNothing()
    .returning({ attempt: trials.attempt }),
);
const selectPage = byShape((follows: boolean) => {
  const after = sql`(${trials.task}, ${trials.n}, ${trials.attempt}) > (${value("task")}, ${value("n")}, ${value("attempt")})`;
  return statement(
    build
      .select({ task: trials.task, n: trials.n, attempt: trials.attempt, ...body })
      .from(trials)
      .where(and(ofRun, follows ? after : undefined))
      .orderBy(asc(trials.task), asc(trials.n), asc(trials.attempt))
      .limit(value("limit")),
  );
});
const selectTry = statement(
  build
    .select(body)
    .from(trials)
    .where(and(ofRun, eq(trials.task, value("task")), eq(trials.n, value("n"))))
    .orderBy(asc(trials.attempt)),
);
const countAll = statement(
  build
    .select({ count: count().as("count") })
    .from(trials)
    .where(ofRun),
);
const newer = alias(trials, "newer");
const countEnds = statement(
  build
    .select({ end: trials.end, count: count().as("count") })
    .from(trials)
    .where(
      and(
        ofRun,
        notExists(
          build
            .select({ attempt: newer.attempt })
            .from(newer)
            .where(
              and(
                eq(newer.org, value("org")),
                eq(newer.run, value("run")),
                eq(newer.task, trials.task),
                eq(newer.n, trials.n),
                gt(newer.attempt, trials.attempt),
              ),
            ),
        ),
      ),
    )
    .groupBy(trials.end)
    .orderBy(asc(trials.end)),
);

/** Trials of one org's runs, in order of task, try and attempt. */
export class TrialRepository extends OrgRepository implements Trials {
  async insert(row: TrialRow): Promise<boolean> {
    const { run, task, n, attempt, end, started_at } = row;
    const values = { org: this.org, run, task, n, attempt, end, started_at, ...packJson(row) };
    return (await this.engine.writeOne(() => one(insertNew, values))) !== undefined;
  }

  async list(run: string, page?: PageInput): Promise<Page<TrialRow>> {
    const limit = pageLimit(page);
    const key = cursorKey("trials", "snn", page);
    const [task = "", n = 0, attempt = 0] = key ?? [];
    const values = { org: this.org, run, limit: limit + 1, ...(key ? { task, n, attempt } : {}) };
    const rows = await this.engine.read(() => all(selectPage(key !== undefined), values));
    return pageOf("trials", rows, limit, (row) => [row.task, row.n, row.attempt], decoded);
  }

  async get(run: string, task: string, n: number): Promise<TrialRow[]> {
    const rows = await this.engine.read(() => all(selectTry, { org: this.org, run, task, n }));
    return rows.map(decoded);
  }

  async count(run: string): Promise<number> {
    return (await this.engine.read(() => one(countAll, { org: this.org, run })))?.count ?? 0;
  }

  async tally(run: string): Promise<Readonly<Record<string, number>>> {
    const rows = await this.engine.read(() => all(countEnds, { org: this.org, run }));
    return Object.fromEntries(rows.map((row) => [row.end, row.count]));
  }
}

function decoded(row: { readonly encoding: string; readonly body: Uint8Array }): TrialRow {
  return unpackJson(row) as TrialRow;
}
