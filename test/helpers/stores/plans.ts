import pg from "pg";
import type { Ran } from "../recording-engine.ts";

/** A node of a plan, as EXPLAIN (FORMAT JSON) gives it. */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Recheck Cond"?: string;
  readonly Filter?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How a plan is asked for: by the values it runs with, or by none, as a statement prepared long ago is run. */
export type Planning = "custom" | "generic";

/** Every node of a plan that reads a table, and the table. */
export function scans(plan: PlanNode): (PlanNode & { readonly table: string })[] {
  const table = plan["Relation Name"];
  const own = table !== undefined && plan["Node Type"].includes("Scan") ? [{ ...plan, table }] : [];
  // The condition of a bitmap is on the index below it, which does not name the table.
  const below = (plan.Plans ?? []).flatMap(scans);
  const bitmap = plan.Plans?.find((each) => each["Node Type"].startsWith("Bitmap Index"));
  const [first] = own;
  if (first && bitmap?.["Index Cond"] !== undefined)
    return [{ ...first, "Index Cond": bitmap["Index Cond"] }, ...below];
  return [...own, ...below];
}

/** Rows that the scans of a measured plan looked at, whether they were kept or not. */
export function rowsRead(plan: PlanNode): number {
  return scans(plan).reduce((sum, scan) => {
    const each =
      (scan["Actual Rows"] ?? 0) + (scan["Rows Removed by Filter"] ?? 0) + (scan["Rows Removed by Index Recheck"] ?? 0);
    return sum + each * (scan["Actual Loops"] ?? 1);
  }, 0);
}

/** Asks a database for plans, on a connection of its own that sees the rows of `scope`. */
export class Planner {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string, scope: string): Promise<Planner> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("select set_config('svc.org', $1, false)", [scope]);
    return new Planner(client);
  }

  /** The plan of a statement; with `measured` it is run too, and undone. */
  async plan({ text, values }: Ran, planning: Planning, measured = false): Promise<PlanNode> {
    const client = this.#client;
    await client.query(`set plan_cache_mode = force_${planning}_plan`);
    await client.query("begin");
    try {
      await client.query(`prepare planned as ${text}`);
      const given = values.length === 0 ? "" : `(${values.map(literal).join(", ")})`;
      const { rows } = await client.query(`explain (format json, analyze ${measured}) execute planned${given}`);
      return rows[0]["QUERY PLAN"][0].Plan as PlanNode;
    } finally {
      await client.query("rollback");
      await client.query("deallocate all");
    }
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

function literal(value: string | number | Uint8Array | null): string {
  if (value === null) return "null";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return pg.escapeLiteral(value);
  return `'\\x${Buffer.from(value).toString("hex")}'`;
}
