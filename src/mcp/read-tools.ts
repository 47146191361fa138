import type { Caller } from "../../chapters/caller.ts";
import { AppError } from "../../chapters/errors.ts";
import {
  type FoundTool,
  type NearAnswer,
  type ReadTool,
  type ReadTools,
  ROOT_TOOLS,
  type ToolRead,
} from "../../chapters/findings/assistant/root-tools.ts";
import { call, type Host } from "../../tools/kernel/call.ts";
import { type AnyOperation, orgResolutionOf, requiredOf } from "../../tools/kernel/operation.ts";
import { type RegisteredOperation, Registry } from "../../tools/kernel/registry.ts";
import { searchOf } from "../../tools/kernel/search.ts";
import { countLine, shape } from "../../tools/kernel/shaped.ts";
import { FACT_TEXTS, questionsOf } from "../../tools/questions/index.ts";
import { type Answerer, NearestQuestions } from "../../tools/questions/nearest.ts";
import { publicError } from "../http/public-error.ts";
import { operatorChapter } from "../operator/operations.ts";

/** The reading tools of a registry for one caller in one org. What spans orgs is none of them. */
export function readTools(
  registry: Registry,
  host: () => Host,
  caller: Caller,
  org: { id: string; tag: string },
): ReadTools {
  // Bound to the org and to scope read, so that no argument names a record of another one.
  const reader: Caller = { ...caller, scope: "read", org: { id: org.id, tag: org.tag } };
  const get = (name: string): RegisteredOperation | undefined => {
    const registered = registry.get(name);
    return registered && isReading(registered) ? registered : undefined;
  };
  return {
    nearest: (question, kind) => nearestOf(registry, question, kind),
    named: (name) => {
      const registered = registry.get(name);
      return registered && foundTool(registered);
    },
    list: (names) => names.flatMap((name) => listed(get(name))),
    async call(name, args, signal) {
      const registered = get(name);
      if (!registered) return refused(new AppError("not_found", "There is no reading tool of this name."));
      try {
        return read(registered, await call(host(), registered.op, { credential: { caller: reader }, args, signal }));
      } catch (error) {
        if (error instanceof AppError) return refused(error);
        throw error;
      }
    },
  };
}

/** How much a kind of question counts that its form is of: it is seldom wrong where it fits. */
const KIND = 1;
/** How much more a fact counts, which no search finds, and a tool that an org asks about its work. */
const USUAL = { fact: 1.4, tool: 1.1 } as const;
/** How many of what the search over the operations finds add to how near they are. */
const FOUND = 25;
/** How many of the nearest are looked at. */
const NEAREST = 8;

type Row = Answerer & { readonly registered?: RegisteredOperation; readonly act?: string };
const known = new WeakMap<Registry, NearestQuestions<Row>>();

function nearestOf(registry: Registry, question: string, kind: string | undefined): NearAnswer[] {
  const questions = known.get(registry) ?? new NearestQuestions(rowsOf(registry));
  known.set(registry, questions);
  const found = searchOf(registry)().find(question).slice(0, FOUND);
  const best = found[0]?.score ?? 1;
  // An exact name is found infinitely well.
  const share = (score: number) => (Number.isFinite(best) ? score / best : 1);
  const searched = new Map(found.map(({ registered, score, known }) => [registered.op.name, share(score) * known]));
  return questions
    .nearest(question, { searched })
    .map(({ answerer, score }) => {
      const { kind: of, name } = answerer;
      const usual = of === "fact" ? USUAL.fact : (ROOT_TOOLS as readonly string[]).includes(name) ? USUAL.tool : 1;
      return { answerer, score: score * usual + (name === kind ? KIND : 0) };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, NEAREST)
    .map(({ answerer: { name, registered, act }, score }) => {
      if (registered) return { score, tool: foundTool(registered) };
      return act === undefined ? { score, fact: name } : { score, act };
    });
}

function rowsOf(registry: Registry): Row[] {
  const operations = registry.operations.filter(({ op }) => !op.name.startsWith("root_"));
  return [
    ...FACT_TEXTS.map(({ fact, texts }) => ({ name: fact, kind: "fact" as const, texts, about: "" })),
    // What is handed over as a file is wanted by who wants something done.
    ...operations.map(
      (registered): Row => ({ ...rowOf(registered.op), ...(isFile(registered) ? { kind: "act" } : {}), registered }),
    ),
    ...new Registry([operatorChapter]).operations.map(
      ({ op }): Row => ({ ...rowOf(op), kind: "act", act: operatorAct(op) }),
    ),
  ];
}

function rowOf({ name, title, description, effect }: AnyOperation): Answerer {
  const about = `${name.replaceAll("_", " ")} ${title} ${description}`;
  return { name, kind: effect === "read" ? "read" : "act", texts: questionsOf(name), about };
}

function operatorAct({ name, input, description }: AnyOperation): string {
  return `${["svc operator", name, ...Object.keys(input.shape).map((field) => `${field}=…`)].join(" ")}: ${description}`;
}

function foundTool(registered: RegisteredOperation): FoundTool {
  const { name, title, effect, scope } = registered.op;
  const takes = Object.keys(registered.op.input.shape).filter((field) => field !== "orgtag");
  const [reads, file, required] = [isReading(registered), isFile(registered), requiredOf(registered.op)];
  return { name, title, reads, file, effect, scope, takes, required };
}

function isReading(registered: RegisteredOperation): boolean {
  const { op } = registered;
  return (
    op.scope === "read" && op.effect === "read" && !isFile(registered) && !spansOrgs(op) && !op.name.startsWith("root_")
  );
}

/** Whether what it answers is handed over as a file and in no other form: nobody reads that out. */
function isFile({ op }: RegisteredOperation): boolean {
  return op.answer === "file" && op.shape === undefined;
}

/** Whether it answers of other orgs: with a field for the org (jobs_list) it answers a caller bound to one of that one alone. */
function spansOrgs(op: AnyOperation): boolean {
  return orgResolutionOf(op).from === "service" && !("org" in op.input.shape);
}

function listed(registered: RegisteredOperation | undefined): ReadTool[] {
  if (!registered) return [];
  const { name, description, inputSchema } = registered.listing;
  return [{ name, description, schema: inputSchema }];
}

function read({ op }: RegisteredOperation, outcome: Awaited<ReturnType<typeof call>>): ToolRead {
  const body = outcome.kind === "file" ? outcome.file.data : outcome.body;
  if (!op.shape || body === undefined) return { status: outcome.status, body };
  const { verdict, counts, next } = shape(op, outcome.status, body).structured;
  const told = { status: outcome.status, body, verdict, counts: counts.map(countLine) };
  return next === undefined ? told : { ...told, next };
}

function refused(error: AppError): ToolRead {
  const { status, body } = publicError(error, "");
  return { status, body };
}
