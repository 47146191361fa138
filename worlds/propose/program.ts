import { oneLine } from "../behaviour/print.ts";
import { compileBehaviour } from "../behaviour/program.ts";
import { Behaviour, type Step } from "../behaviour/schema.ts";
import type { TableModel, ToolDefinition } from "../bundle.ts";
import { BehaviourSyntaxError } from "../errors.ts";
import type { Json } from "../json.ts";
import { joinKey } from "../state/keys.ts";
import type { Proposal, ProposedCase, ProposedTool } from "./schema.ts";

/** What says which case a call is; no program may use the names itself. */
const CASE = "the_case";
const ONCE = "once_in_case";

/** Whether a tool has one program for all of its calls. */
const isPlain = ({ cases }: ProposedTool): boolean => cases.length === 1 && cases[0]?.when === undefined;

/**
 * A proposed tool as one behaviour. Calls of a case in `cut`, and calls of no case, are gaps. With `probe` it does the
 * same and answers, or is refused with, the number of the case, from 1.
 */
export function programOf(tool: ProposedTool, cut: ReadonlySet<number> = new Set(), probe = false): Behaviour {
  const lets = (tool.lets ?? []).map(({ name, expr }): Step => ({ op: "let", name, expr }));
  if (isPlain(tool)) {
    const [only] = tool.cases;
    const steps: Step[] = cut.has(1) ? [{ op: "answer", expr: "not_served()" }] : [...lets, ...(only?.steps ?? [])];
    return { v: 1, steps };
  }
  const steps: Step[] = [...lets, { op: "let", name: CASE, expr: `known(${numbered(tool.cases, cut)})` }];
  const answers: string[] = [];
  tool.cases.forEach((one, i) => {
    const k = i + 1;
    if (cut.has(k)) return;
    for (const step of one.steps) {
      const part = within(step, `${CASE} == ${k}`, probe ? k : undefined);
      if (typeof part === "string") answers.push(`${CASE} == ${k} ? (${part}) : `);
      else steps.push(part);
    }
  });
  steps.push({ op: "answer", expr: `(${answers.join("")}unknown())` });
  return { v: 1, steps };
}

function numbered(cases: readonly ProposedCase[], cut: ReadonlySet<number>): string {
  return cases.reduceRight((rest, { when }, i) => {
    const own = cut.has(i + 1) ? "null" : String(i + 1);
    return when === undefined ? own : `((${oneLine(when)}) ? ${own} : ${rest})`;
  }, "null");
}

/** A step of a case as a step of the whole, or the expression that it answers. */
function within(step: Step, holds: string, probe: number | undefined): Step | string {
  switch (step.op) {
    case "let":
      return { ...step, expr: `${holds} ? (${oneLine(step.expr)}) : null` };
    case "answer":
      return probe === undefined ? oneLine(step.expr) : String(probe);
    case "say":
      return probe === undefined ? `generate(${JSON.stringify(step.template)})` : String(probe);
    case "refuse":
      return {
        ...step,
        when: step.when === undefined ? holds : `${holds} && (${oneLine(step.when)})`,
        ...(probe === undefined ? {} : { template: String(probe) }),
      };
    case "insert":
    case "update":
    case "delete": {
      const { each } = step;
      const list = each === undefined ? "[1]" : `(${oneLine(each.in)})`;
      return { ...step, each: { name: each?.name ?? ONCE, in: `${holds} ? ${list} : []` } };
    }
    default:
      return step;
  }
}

/** The tables of a proposal as a bundle has them. */
export function tablesOf({ tables }: Proposal): TableModel[] {
  return tables.map(({ name, key, columns, start = [] }) => ({
    name,
    key: [...key],
    columns: [...new Set([...key, ...columns, ...start.flatMap((row) => Object.keys(row))])].map((column) => ({
      name: column,
      types: ["null", "boolean", "number", "string", "array", "object"],
      present: 1,
    })),
  }));
}

/**
 * What keeps a proposal from being replayed at all, in words for whoever wrote it: names that are not there or twice,
 * expressions that do not read, steps that may not stand in a case. Empty where it can be replayed.
 */
export function faultsOf(
  proposal: Proposal,
  { tools, tables }: { readonly tools: readonly ToolDefinition[]; readonly tables: readonly TableModel[] },
): string[] {
  const faults: string[] = [];
  const taken = new Set(tables.map(({ name }) => name));
  for (const { name, key, start = [] } of proposal.tables) {
    if (taken.has(name)) faults.push(`The table ${name} is there already.`);
    taken.add(name);
    const keys = start.map((row) => joinKey(key.map((column) => row[column] as Json | undefined)));
    if (keys.includes(undefined) || new Set(keys).size < keys.length)
      faults.push(`Rows that ${name} starts with lack a key column, or share a key.`);
  }
  const listed = new Set(tools.map(({ name }) => name));
  const seen = new Set<string>();
  const model = { tables: [...tables.filter(({ internal }) => internal !== true), ...tablesOf(proposal)] };
  for (const tool of proposal.tools) {
    if (!listed.has(tool.name) || seen.has(tool.name))
      faults.push(`${JSON.stringify(tool.name)} is no tool of the listing, or stands twice.`);
    seen.add(tool.name);
    faults.push(...faultsOfTool(tool, model));
  }
  return faults;
}

function faultsOfTool(tool: ProposedTool, model: { readonly tables: readonly TableModel[] }): string[] {
  const { name, cases } = tool;
  const faults: string[] = [];
  const names = [
    ...(tool.lets ?? []).map((one) => one.name),
    ...cases.flatMap(({ steps }) => steps.flatMap((step) => (step.op === "let" ? [step.name] : []))),
  ];
  if (new Set(names).size < names.length || names.includes(CASE) || names.includes(ONCE))
    faults.push(`${name}: each let needs a name of its own, and none may be ${CASE} or ${ONCE}.`);
  cases.forEach(({ when, steps }, i) => {
    if (steps.some(({ op }) => op === "recorded")) faults.push(`${name}: a step may not be recorded.`);
    if (isPlain(tool)) return;
    if (when === undefined && i < cases.length - 1)
      faults.push(`${name}: case ${i + 1} has no condition; only the last may have none.`);
    if (steps.some(({ op }) => op === "read" || op === "list"))
      faults.push(`${name}: with cases, read and list may not be used: answer lookup(…) or rows(…) instead.`);
    const ends = steps.map((step) => step.op === "answer" || step.op === "say" || (step.op === "refuse" && !step.when));
    if (ends.indexOf(true) !== steps.length - 1)
      faults.push(`${name}: case ${i + 1} has to end with one answer, say, or refuse without a condition.`);
  });
  if (faults.length > 0) return faults;
  try {
    const whole = programOf(tool);
    const parsed = Behaviour.safeParse(whole);
    if (!parsed.success) return [`${name}: all cases together are too long: ${parsed.error.issues[0]?.message ?? ""}.`];
    compileBehaviour(whole, model);
    compileBehaviour(programOf(tool, new Set(), true), model);
    return [];
  } catch (error) {
    if (!(error instanceof BehaviourSyntaxError)) throw error;
    return [`${name}: at ${JSON.stringify(error.word)}, ${error.expected} is needed.`];
  }
}
