import type { PlanNode } from "../test/helpers/stores/plans.ts";

/** A node as auto_explain logs it. */
export interface LoggedNode extends PlanNode {
  readonly "Index Name"?: string;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly LoggedNode[];
}

/** A statement that ran, and how. */
export interface LoggedPlan {
  readonly "Query Text": string;
  readonly Plan: LoggedNode;
}

/** Settings of a role whose statements are logged with their plans as they ran. */
export const LOGS_PLANS = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_format": "json",
} as const;

/** The plans in a text of PostgreSQL's log. */
export function loggedPlans(log: string): LoggedPlan[] {
  return [...log.matchAll(/ plan:\n((?:\t.*\n)+)/g)].map(([, json = ""]) => JSON.parse(json.replace(/^\t/gm, "")));
}

/** Rows that a node answered, over all its loops. */
function rowsOf(node: LoggedNode | undefined): number {
  return (node?.["Actual Rows"] ?? 0) * (node?.["Actual Loops"] ?? 1);
}

function passedOver(node: LoggedNode | undefined): number {
  return (node?.["Rows Removed by Filter"] ?? 0) * (node?.["Actual Loops"] ?? 1);
}

const number = (n: number) => Math.round(n).toLocaleString("en-US");

/** Plans in one line each, those alike in one: each node with its index or table, and all rows that it answered. */
export function planLines(plans: readonly LoggedPlan[]): string[] {
  const alike = Map.groupBy(
    plans
      .map(({ Plan }) => ({ pages: pagesOf(Plan), nodes: nodesOf(Plan).filter(reads) }))
      .filter(({ nodes }) => nodes.length > 0),
    ({ nodes }) => nodes.map(nameOf).join(" > "),
  );
  return [...alike.values()].map((some) => {
    const sum = (of: (one: (typeof some)[number]) => number) => some.reduce((total, one) => total + of(one), 0);
    const nodes = (some[0]?.nodes ?? []).map((node, i) => {
      const passed = sum(({ nodes }) => passedOver(nodes[i]));
      const rows = sum(({ nodes }) => rowsOf(nodes[i]));
      return `${nameOf(node)} ${number(rows)}${passed > 0 ? ` (${number(passed)} passed over)` : ""}`;
    });
    const times = some.length === 1 ? "" : `${some.length} times: `;
    return `${times}${nodes.join(" > ")}; ${number(sum(({ pages }) => pages))} pages`;
  });
}

function nameOf(node: LoggedNode): string {
  const of = node["Index Name"] ?? node["Relation Name"];
  return of === undefined ? node["Node Type"] : `${node["Node Type"]} ${of}`;
}

function pagesOf(node: LoggedNode): number {
  return (node["Shared Hit Blocks"] ?? 0) + (node["Shared Read Blocks"] ?? 0);
}

function reads(node: LoggedNode): boolean {
  return !/^(Result|Subquery Scan|ProjectSet)$/.test(node["Node Type"]);
}

/** Every node, what is read first. */
function nodesOf(node: LoggedNode): LoggedNode[] {
  return [...(node.Plans ?? []).flatMap(nodesOf), node];
}

/** Rows that a statement may read from end to end, or sort, and still be no matter of how large a table is. */
const SCANNED = 10_000;
const SORTED = 100_000;

/** What a plan does that grows with its table: sequential scans and sorts. */
export function growing({ Plan }: LoggedPlan): LoggedNode[] {
  return nodesOf(Plan).filter((node) => {
    const type = node["Node Type"];
    const removed = (node["Rows Removed by Filter"] ?? 0) * (node["Actual Loops"] ?? 1);
    return type.endsWith("Seq Scan")
      ? rowsOf(node) + removed > SCANNED
      : type.endsWith("Sort") && rowsOf(node) > SORTED;
  });
}
