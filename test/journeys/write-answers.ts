import type { RegisteredOperation } from "../../tools/kernel/registry.ts";
import { invoker, type TestApp, type TestMcp, type TestOrg } from "../helpers/app.ts";
import { ok } from "../tools/sandboxes/kit.ts";
import { askOf, print, type ReadStore, type Told } from "./read-answers.ts";

/** Arguments that an operation needs beside the ids of the store's records, where the smallest ones say nothing. */
const GIVEN: Readonly<Record<string, Record<string, unknown>>> = {
  agent_discover: { surface: "desk" },
  agent_env_put: { name: "SHOP_KEY", value: "x" },
  agent_version_patch: { version: "1", retired: false },
  agent_version_skills: { version: "1", items: [{ name: "refunds", text: "How to refund." }] },
  agent_version_tool_texts: { version: "1" },
  agents_patch: { command: ["node", "other.js"], env: {} },
  agents_post: { kind: "command", name: "second", command: ["node", "agent.js"] },
  budget_put: { usd_per_day: 5 },
  confidence_put: { low: 70, high: 90 },
  connectors_post: { connectors: [{ id: "crm", name: "crm", category: "crm" }] },
  corpus_post: { items: [{ text: "Where is my order?" }] },
  delivery_opens_post: { via: "link" },
  dimensions_personas_post: { add: ["Hurried"] },
  dimensions_post: { field: "channel", values: ["mail", "chat"] },
  environment_review_hold: { index: 0, reason: "Nobody asks that." },
  environment_task_turns: { index: 0, turns: ["Please."] },
  environment_tasks_post: { stated: ["Which orders of Ada are open?"] },
  environment_tasks_restore: { indexes: [0] },
  environment_tasks_retire: { indexes: [0] },
  evidence_post: { content: [{ role: "user", content: "Where is W1?" }] },
  failure_modes_post: { title: "Refunds twice", description: "It pays twice." },
  failure_mode_proposals_post: { text: "It refunds twice." },
  investigate_failure: { text: "It refunds twice.", author: "Ada" },
  labels_policy_put: { production_only: false },
  make_failure_modes: { text: "It refunds twice." },
  members_post: { email: "ada@example.com", name: "Ada" },
  ontology_compile: { surface: "desk" },
  org_rename: { to: "acme-two" },
  org_tokens_post: { name: "ci", scope: "read" },
  record_feedback: { text: "It refunds twice." },
  root_post: { text: "How did the last run go?" },
  schedules_post: { kind: "weekly", cadence: "weekly" },
  sources_post: { kind: "upload", external_id: "feed" },
  start_run: { harness: "rule" },
  statements_post: { text: "A refund is never more than was paid." },
  surfaces_post: { name: "second desk", tools: [{ name: "find", input_schema: { type: "object" } }] },
  version_labels_put: { version: "1", label: "main" },
};

/** What ends all records is not asked at all. */
const ENDS_ALL = new Set(["org_delete"]);

/** When an operation is asked: what starts jobs after what they would hold up, and last what ends records. */
function orderOf({ op }: RegisteredOperation): number {
  if (op.effect === "delete" || /_(?:retire|cancel|stop|rename)$/.test(op.name)) return 2;
  return op.effect === "start" ? 1 : 0;
}

/** Ids of records that no read is asked about, by the operations that take them. */
async function moreRecords(app: TestApp, org: TestOrg, { ids, groups }: ReadStore) {
  const invoke = invoker(app, "rest", org);
  const made = async (tool: string, args: Record<string, unknown>) => (await ok(invoke(tool, args))).body;
  const source = await made("sources_post", { kind: "upload", external_id: "desk" });
  const member = await made("members_post", { email: "kim@example.com", name: "Kim" });
  const { failure_modes } = await made("failure_modes_post", { title: "Pays late", description: "It pays too late." });
  return ({ op }: RegisteredOperation): Record<string, unknown> => {
    const known: Record<string, unknown> = {
      sid: op.name.startsWith("sources_") ? source.id : op.name.startsWith("sandbox_") ? ids.environment : ids.schedule,
      mid: op.name.startsWith("members_") ? member.id : failure_modes[0].id,
      id: op.name === "reports_post" ? groups[3] : undefined,
    };
    return Object.fromEntries(Object.entries(known).filter(([name, id]) => name in op.input.shape && id !== undefined));
  };
}

/** Asks every operation that writes once, over MCP, on records of the store, and prints the largest answers. */
export async function writeAll(app: TestApp, org: TestOrg, mcp: TestMcp, store: ReadStore, surface: string) {
  const recordsOf = await moreRecords(app, org, store);
  const writing = app.service.registry.operations.filter(({ op }) => op.effect !== "read" && !ENDS_ALL.has(op.name));
  const rows: Told[] = [];
  for (const registered of [...writing].sort((a, b) => orderOf(a) - orderOf(b))) {
    const given = { ...recordsOf(registered), ...GIVEN[registered.op.name] };
    rows.push(await askOf(mcp, registered, store, { surface, given }));
  }
  print(rows);
  return rows;
}
