import type { Caller } from "../../chapters/caller.ts";
import { AppError } from "../../chapters/errors.ts";
import { periodIn } from "../../chapters/findings/assistant/root-period.ts";
import {
  type FoundTool,
  isNear,
  type NearAnswer,
  OFFERED,
  type ReadTool,
  type ReadTools,
  ROOT_TOOLS,
  type ToolRead,
} from "../../chapters/findings/assistant/root-tools.ts";
import { call, type Host } from "../../tools/kernel/call.ts";
import { type AnyOperation, orgResolutionOf, requiredOf } from "../../tools/kernel/operation.ts";
import { QUESTION_WORDS } from "../../tools/kernel/question-words.ts";
import { type RegisteredOperation, Registry } from "../../tools/kernel/registry.ts";
import { countLine, shape } from "../../tools/kernel/shaped.ts";
import { FACT_NAMES, questionsOf } from "../../tools/questions/index.ts";
import { Meanings, type SoughtWords } from "../../tools/questions/meaning.ts";
import { type Answerer, NearestQuestions } from "../../tools/questions/nearest.ts";
import { documented } from "../guides/documented.ts";
import { meaningFor, sentencesFor } from "../guides/passages.ts";
import { terms } from "../guides/terms.ts";
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
    nearest: (question, around) => nearestOf(registry, question, around),
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

/** How much more a fact counts, and a tool that an org asks about its work: people ask for these. */
const USUAL = { fact: 1.34, tool: 1.1 } as const;
/** How many of the nearest are told of. */
const NEAREST = 2;

type Row = Answerer & { readonly registered?: RegisteredOperation; readonly tell?: (question: string) => string };
const known = new WeakMap<Registry, NearestQuestions<Row>>();

let meanings: Meanings | undefined;

function nearestOf(registry: Registry, question: string, around?: string): NearAnswer[] {
  meanings ??= new Meanings(terms());
  // Who asks what a word means is told that, and nothing of the records that have it.
  const meaning = meaningOf(meanings.sought(question), question);
  if (meaning !== undefined) return [{ score: Number.POSITIVE_INFINITY, question, text: meaning }];
  const found = questionsKnown(registry)
    .nearest(question, undefined, around)
    .slice(0, NEAREST)
    .map(({ answerer: { name, kind, registered, tell, texts }, score }): NearAnswer => {
      const near = { score, question: texts[0] ?? name };
      if (tell !== undefined) return { ...near, text: tell(question) };
      return kind === "fact" || registered === undefined
        ? { ...near, fact: name }
        : { ...near, tool: foundTool(registered) };
    });
  // Who names a span of time asks about what is stored: no page tells it.
  if (isNear(found) || periodIn(question) !== undefined) return found;
  // What no known question is near to may stand in the documentation.
  const text = sentencesFor(question);
  return text === undefined ? found : [{ score: Number.POSITIVE_INFINITY, question, text }];
}

function questionsKnown(registry: Registry): NearestQuestions<Row> {
  const questions = known.get(registry) ?? new NearestQuestions(answerersOf(registry));
  known.set(registry, questions);
  return questions;
}

/** The operations that people ask for in words like these, the nearest first; none whose known questions are far. */
export function operationsFor(registry: Registry, words: string): RegisteredOperation[] {
  const near = questionsKnown(registry).nearest(words);
  return near.flatMap(({ answerer: { registered }, score }) => (registered && score >= OFFERED ? [registered] : []));
}

/** What words mean that are asked for: a value's own sentence, else what the documentation says of words that are no terms. */
function meaningOf({ terms, others }: SoughtWords, question: string): string | undefined {
  // A number says which one of what has no term (status 3); of a term it is the figure.
  const numbers = terms.length > 0 && others.every((word) => /^\d+$/.test(word));
  const said = numbers || terms.some(({ value }) => value) ? undefined : meaningFor(others, question);
  return said ?? (terms.length === 0 ? undefined : terms.map(({ text }) => text).join("\n"));
}

/** All that a question may be answered by: facts, operations, acts of the operator, and sentences of the documentation. */
export function answerersOf(registry: Registry): Row[] {
  const facts = new Set(FACT_NAMES);
  const operations = registry.operations.filter(({ op }) => !op.name.startsWith("root_"));
  const names = new Set(operations.map(({ op }) => op.name));
  return [
    ...FACT_NAMES.filter((name) => !names.has(name)).map(
      (name): Row => ({ name, kind: "fact", texts: questionsOf(name), usual: USUAL.fact }),
    ),
    // What is handed over as a file is wanted by who wants something done.
    ...operations.map((registered): Row => {
      const row = { ...rowOf(registered.op), registered };
      if (facts.has(row.name)) return { ...row, kind: "fact", usual: USUAL.fact };
      if ((ROOT_TOOLS as readonly string[]).includes(row.name)) return { ...row, usual: USUAL.tool };
      return isFile(registered) ? { ...row, kind: "act" } : row;
    }),
    ...new Registry([operatorChapter]).operations.map(
      ({ op }): Row => ({ ...rowOf(op), kind: "act", tell: () => operatorAct(op) }),
    ),
    ...documented(),
  ];
}

function rowOf({ name, title, description, effect }: AnyOperation): Answerer {
  const words = {
    title: `${name.replaceAll("_", " ")} ${title}`,
    about: description,
    hints: QUESTION_WORDS[name] ?? "",
  };
  return { name, kind: effect === "read" ? "read" : "act", texts: questionsOf(name), description: words };
}

function operatorAct({ name, input, description }: AnyOperation): string {
  return `By whoever runs the service: ${["svc operator", name, ...Object.keys(input.shape).map((field) => `${field}=…`)].join(" ")}: ${description}`;
}

function foundTool(registered: RegisteredOperation): FoundTool {
  const { name, title, description, effect, scope } = registered.op;
  const takes = Object.keys(registered.op.input.shape).filter((field) => field !== "orgtag");
  const [reads, file] = [isReading(registered), isFile(registered)];
  const required = requiredOf(registered.op);
  return { name, title, description, reads, file, effect, scope, takes, required };
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
